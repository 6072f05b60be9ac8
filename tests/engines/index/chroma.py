"""Fills a Chroma server: chroma.py URL CHUNKS. It gets vectors, and nothing that it could make vectors of."""

import json
import sys
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from embed import embed  # noqa: E402

url, chunks = sys.argv[1:]
collections = f"{url}/api/v2/tenants/default_tenant/databases/default_database/collections"


def post(address, body):
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(address, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)


collection = post(collections, {"name": "docs", "get_or_create": True})["id"]
with open(chunks, encoding="utf-8") as lines:
    documents = [json.loads(line) for line in lines]
vectors = [embed(f"{document['title']} {document['text']}") for document in documents]
post(f"{collections}/{collection}/add", {"ids": [document["id"] for document in documents], "embeddings": vectors})
