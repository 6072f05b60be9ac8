"""Fills a Typesense server: typesense.py URL CHUNKS, with the key in TYPESENSE_API_KEY."""

import json
import os
import sys
import urllib.request

url, chunks = sys.argv[1:]


def post(path, body):
    headers = {"X-TYPESENSE-API-KEY": os.environ["TYPESENSE_API_KEY"]}
    with urllib.request.urlopen(urllib.request.Request(url + path, body.encode(), headers)) as answer:
        return answer.read().decode()


fields = [{"name": "title", "type": "string"}, {"name": "text", "type": "string"}]
post("/collections", json.dumps({"name": "docs", "fields": fields}))
with open(chunks, encoding="utf-8") as lines:
    outcomes = post("/collections/docs/documents/import?action=create", lines.read())
# The import says 200 whatever became of the documents.
failed = [outcome for outcome in outcomes.splitlines() if not json.loads(outcome)["success"]]
if failed:
    sys.exit(f"{len(failed)} documents were refused, the first with {failed[0]}")
