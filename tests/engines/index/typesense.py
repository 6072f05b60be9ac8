"""Fills the collection `docs` of a Typesense server anew: typesense.py URL CHUNKS, with the key in TYPESENSE_API_KEY."""

import json
import os
import sys
import urllib.request

url, chunks = sys.argv[1:]


def send(method, path, body=""):
    headers = {"X-TYPESENSE-API-KEY": os.environ["TYPESENSE_API_KEY"]}
    request = urllib.request.Request(url + path, body.encode() or None, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()


fields = [{"name": "title", "type": "string"}, {"name": "text", "type": "string"}]
if json.loads(send("GET", "/collections")):
    send("DELETE", "/collections/docs")
send("POST", "/collections", json.dumps({"name": "docs", "fields": fields}))
with open(chunks, encoding="utf-8") as lines:
    outcomes = send("POST", "/collections/docs/documents/import?action=create", lines.read())
# The import says 200 whatever became of the documents.
failed = [outcome for outcome in outcomes.splitlines() if not json.loads(outcome)["success"]]
if failed:
    sys.exit(f"{len(failed)} documents were refused, the first with {failed[0]}")
