"""Fills the collection `docs` of a Chroma server anew: chroma.py URL CHUNKS. It gets vectors, and nothing that it could make vectors of."""

import json
import sys
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from embed import embed  # noqa: E402

url, chunks = sys.argv[1:]
collections = f"{url}/api/v2/tenants/default_tenant/databases/default_database/collections"


def send(method, address, body=None):
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(address, body and json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


if send("GET", collections):
    send("DELETE", f"{collections}/docs")
collection = send("POST", collections, {"name": "docs"})["id"]
with open(chunks, encoding="utf-8") as lines:
    documents = [json.loads(line) for line in lines]
vectors = [embed(f"{document['title']} {document['text']}") for document in documents]
send("POST", f"{collections}/{collection}/add", {"ids": [document["id"] for document in documents], "embeddings": vectors})
