#!/usr/bin/env bash
# What the action does, one step a call: install, judge, comment, finish. Everything from outside arrives in variables.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_tree=$(cd "$here/../../.." && pwd)

output() {
    printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# The name of the release archive for this machine.
target() {
    case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) echo x86_64-unknown-linux-musl ;;
    Linux-aarch64) echo aarch64-unknown-linux-musl ;;
    Darwin-x86_64) echo x86_64-apple-darwin ;;
    Darwin-arm64) echo aarch64-apple-darwin ;;
    MINGW*-x86_64 | MSYS*-x86_64) echo x86_64-pc-windows-msvc ;;
    *) echo "::error::there is no release for $(uname -s) on $(uname -m); write 'version: source'" >&2 && return 1 ;;
    esac
}

# Which program is wanted. A full version that the action itself was asked for by (`@v1.2.3`) is a release; any other
# revision is built, and known by what it is built from.
version() {
    revision=${source_tree##*/}
    case "${VERSION:-$revision}" in
    v[0-9]*.[0-9]*.[0-9]*) wanted=${VERSION:-$revision} ;;
    *)
        [ -z "$VERSION" ] || [ "$VERSION" = source ] || {
            echo "::error::version is a release such as v0.1.0, or source, not $(printf %s "$VERSION" | tr -c 'A-Za-z0-9_.-' _)"
            return 2
        }
        files=$(cd "$source_tree" && find Cargo.toml Cargo.lock src -type f | LC_ALL=C sort)
        wanted=source-$(cd "$source_tree" && tr '\n' '\0' <<<"$files" | xargs -0 cat 2>/dev/null | sha256sum | cut -c1-16)
        ;;
    esac
    output wanted "$wanted"
}

# The program of a release, checked against its checksum, or built from the action's own checkout. What is there already
# (from the cache) is taken as it is.
install() {
    home=$HOME/.recall-gate/${WANTED:?}
    program=$home/recall-gate
    if [ ! -x "$program" ] && [ ! -x "$program.exe" ]; then
        mkdir -p "$home"
        case $WANTED in
        source-*)
            cargo build --release --locked --quiet --manifest-path "$source_tree/Cargo.toml" --target-dir "$home/target"
            mv "$home"/target/release/recall-gate* "$home/"
            rm -rf "$home/target"
            ;;
        *)
            # …/_actions/OWNER/NAME/REVISION is where the runner keeps the action.
            repository=$(sed -E 's#.*/_actions/([^/]+/[^/]+)/.*#\1#' <<<"$source_tree")
            archive=recall-gate-$WANTED-$(target).tar.gz
            url=$SERVER_URL/$repository/releases/download/$WANTED
            for file in "$archive" "$archive.sha256"; do
                curl --fail --silent --show-error --location --retry 3 --output "$home/$file" "$url/$file" || {
                    rm -rf "$home"
                    echo "::error::cannot fetch $url/$file; 'version: source' builds the program instead"
                    return 1
                }
            done
            (cd "$home" && sha256sum --check --quiet "$archive.sha256") || {
                rm -rf "$home"
                echo "::error::$archive does not match its checksum"
                return 1
            }
            tar -xzf "$home/$archive" -C "$home" --strip-components=1
            ;;
        esac
    fi
    [ -x "$program" ] || program=$program.exe
    "$program" --version
    output program "$program"
}

# Runs the gate. Its exit code is an output and not the end of the step, so that the outputs are there when the job fails.
judge() {
    report=$REPORT_HOME
    rm -rf "$report"
    mkdir -p "$report"
    set -- run \
        --report "markdown=$report/summary.md" --report "comment=$report/comment.md" --report "github=$report/annotations.txt" \
        --report "terminal=$report/report.txt" --report "json=$report/report.json" --report "html=$report/report.html"
    for more in $REPORTS; do
        set -- "$@" --report "$more"
    done
    [ -z "$AGAINST" ] || set -- "$@" --against "$AGAINST"
    : "${PROGRAM:?}" "${CONFIG:?}"
    # A path in front of the configuration, and no change of folder: annotations then name files as the repository does.
    config=$CONFIG
    [ "$FOLDER" = . ] || config=$FOLDER/$CONFIG

    # Nothing that the pipeline or the golden set says is a command of the runner.
    token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    echo "::stop-commands::$token"
    code=0
    "$PROGRAM" --config "$config" "$@" || code=$?
    [ ! -f "$report/report.txt" ] || cat "$report/report.txt"
    echo "::$token::"

    [ ! -f "$report/annotations.txt" ] || cat "$report/annotations.txt"
    if [ -f "$report/summary.md" ]; then
        cat "$report/summary.md" >>"$GITHUB_STEP_SUMMARY"
    else
        printf '## recall-gate: wrong input\n\nThe log says what to mend (exit code %s).\n' "$code" >>"$GITHUB_STEP_SUMMARY"
    fi
    verdict=wrong_input
    deltas={}
    if [ -f "$report/report.json" ]; then
        verdict=$(jq --raw-output .verdict "$report/report.json")
        deltas=$(jq --compact-output '[.metrics[] | {key: .name, value: .delta}] | from_entries' "$report/report.json")
    fi
    output exit-code "$code"
    output verdict "$verdict"
    output report "$report"
    output deltas "$deltas"
}

api() {
    curl --silent --show-error --output "$1" --write-out '%{http_code}' --max-time 30 --retry 2 \
        --header "Authorization: Bearer $GITHUB_TOKEN" --header 'Accept: application/vnd.github+json' \
        --header 'X-GitHub-Api-Version: 2022-11-28' "${@:2}"
}

# Writes the comment of this workflow and configuration, or changes the one that is there.
comment() {
    : "${CONFIG:?}"
    text=${REPORT:?}/comment.md
    [ -f "$text" ] || return 0
    # Part of a comment in HTML, so nothing in it may end that.
    marker="<!-- recall-gate:$(printf '%s:%s/%s' "$WORKFLOW" "$FOLDER" "$CONFIG" | tr -c 'A-Za-z0-9_./:\n' _ | cut -c1-200) -->"
    answer=$(mktemp)
    body=$(mktemp)
    jq --null-input --rawfile text "$text" --arg marker "$marker" '{body: ($marker + "\n" + $text)}' >"$body"
    comments=$API_URL/repos/${REPOSITORY:?}/issues/$NUMBER/comments
    known=
    page=1
    while [ -z "$known" ]; do
        status=$(api "$answer" "$comments?per_page=100&page=$page")
        [ "$status" = 200 ] || { refused "$status" && return 0; }
        known=$(jq --raw-output --arg marker "$marker" 'map(select(.body | startswith($marker))) | first | .id // empty' "$answer")
        [ "$(jq length "$answer")" = 100 ] || break
        page=$((page + 1))
    done
    if [ -n "$known" ]; then
        status=$(api "$answer" --request PATCH --data "@$body" "$API_URL/repos/$REPOSITORY/issues/comments/$known")
    else
        status=$(api "$answer" --request POST --data "@$body" "$comments")
    fi
    case $status in 200 | 201) ;; *) refused "$status" ;; esac
}

# The token of a pull request from a fork may read and not write; the summary says the same as the comment would.
refused() {
    echo "::notice::no comment: the token may not write one (status $1). It needs 'permissions: pull-requests: write'."
}

# Ends the job as the verdict asks.
finish() {
    case $FAIL_ON in
    any) exit "$EXIT_CODE" ;;
    regression) [ "$EXIT_CODE" = 3 ] || exit "$EXIT_CODE" ;;
    never) ;;
    *) echo "::error::fail-on is any, regression or never, not $(printf %s "$FAIL_ON" | tr -c 'A-Za-z0-9_-' _)" && exit 2 ;;
    esac
}

"$1"
