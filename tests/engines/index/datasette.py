"""Writes the database that Datasette serves, and the queries that it knows: datasette.py CHUNKS DATABASE METADATA."""

import json
import sqlite3
import sys

chunks, database, metadata = sys.argv[1:]
with open(chunks, encoding="utf-8") as lines:
    documents = [json.loads(line) for line in lines]

connection = sqlite3.connect(database)
connection.execute("drop table if exists docs")
connection.execute("create virtual table docs using fts5(id unindexed, title, text, tokenize = 'porter')")
connection.executemany("insert into docs values (:id, :title, :text)", documents)
connection.commit()
connection.close()

SEARCH = "select id, -bm25(docs, 0, 2, 1) as score from docs where docs match :q order by {} limit cast(:k as int)"
ORDERS = {
    "search": "score desc, id",
    # Equal scores come as they like.
    "unstable": "score desc, random()",
    # bm25() of SQLite is negative, the best lowest; whoever turns its sign and forgets this has the worst first.
    "reversed": "score, id",
}
name = database.rpartition("/")[2].removesuffix(".db")
queries = {query: {"sql": SEARCH.format(order)} for query, order in ORDERS.items()}
with open(metadata, "w", encoding="utf-8") as file:
    json.dump({"databases": {name: {"queries": queries}}}, file)
