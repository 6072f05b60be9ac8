#!/usr/bin/env python3
"""PostgreSQL full-text search as a `command` pipeline of recall-gate: needs psql, and no package.

psql finds the database by PGHOST, PGPORT, PGDATABASE, PGUSER and PGPASSWORD (or ~/.pgpass).

    pipeline:
      command: [python3, examples/postgres/answer.py, --language, english]

index.sql beside this file makes the table.
"""

import argparse
import json
import subprocess
import sys

# Any word may match, and rank decides: a question holds words that its answer does not. psql puts the query where
# :'query' stands, quoted as a literal, so that no character of it is SQL.
SEARCH = """
select coalesce(json_agg(hit), '[]') from (
    select id, ts_rank(words, query, 1) as score
    from docs, cast(replace(cast(plainto_tsquery(:'language', :'query') as text), '&', '|') as tsquery) as query
    where words @@ query
    order by score desc, id
    limit :k
) as hit;
"""


def search(language, query, depth):
    # -X: no ~/.psqlrc; -At: the value and nothing around it; -q: no notices. SQL comes through standard input, because
    # psql replaces variables only there.
    command = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1"]
    # A NUL cannot be in an argument, nor in any text of PostgreSQL.
    for name, value in [("language", language), ("query", query.replace("\0", " ")), ("k", depth)]:
        command += ["-v", f"{name}={value}"]
    answer = subprocess.run(command, input=SEARCH, stdout=subprocess.PIPE, check=True, encoding="utf-8")
    return json.loads(answer.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--language", default="english", help="a text search configuration, such as english or simple")
    arguments = parser.parse_args()
    for line in sys.stdin:
        question = json.loads(line)
        results = search(arguments.language, question["query"], question["k"])
        print(json.dumps({"id": question["id"], "results": results}), flush=True)


if __name__ == "__main__":
    main()
