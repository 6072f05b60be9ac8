#!/usr/bin/env bash
# package.sh FOLDER NAME: NAME.tar.gz of the program in FOLDER with its manual page, completions and licence, and its checksum.
set -euo pipefail
built=$1
name=$2
program=$built/recall-gate
[ -f "$program" ] || program=$program.exe
rm -rf "$name"
mkdir -p "$name/completions"
cp "$program" LICENSE README.md CHANGELOG.md "$name/"
"$program" man >"$name/recall-gate.1"
for shell in bash elvish fish powershell zsh; do
    "$program" completions "$shell" >"$name/completions/recall-gate.$shell"
done
tar -czf "$name.tar.gz" "$name"
rm -rf "$name"
if command -v sha256sum >/dev/null; then
    sha256sum "$name.tar.gz" >"$name.tar.gz.sha256"
else
    shasum -a 256 "$name.tar.gz" >"$name.tar.gz.sha256"
fi
