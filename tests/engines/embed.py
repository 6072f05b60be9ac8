#!/usr/bin/env python3
"""A small embedding model that needs no model: hashed words and their trigrams, counted, of unit length.

It knows nothing of meaning, and gives every machine the same numbers. Reads JSON lines {"id", "query"} and answers each
with {"id", "vector"}, which is what `pipeline.http.vector.command` asks for; index/chroma.py embeds documents with it.
"""

import argparse
import json
import math
import re
import sys
import zlib

DIMENSIONS = 256


def features(text):
    for word in re.findall(r"\w+", text.lower()):
        # A long word says more than a short one, and this is all that it knows of frequent and rare.
        weight = min(len(word), 8) ** 2
        yield word, weight
        for start in range(len(word)):
            yield f"#{f'^{word}$'[start : start + 3]}", weight / len(word)


def embed(text, model=1):
    vector = [0.0] * DIMENSIONS
    for feature, weight in features(text):
        digest = zlib.crc32(feature.encode(), model)
        # The sign lets features that share a place cancel out instead of adding up.
        vector[digest % DIMENSIONS] += weight if digest & 0x10000 else -weight
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=int, default=1, help="another number, other vectors of the same size")
    arguments = parser.parse_args()
    for line in sys.stdin:
        question = json.loads(line)
        vector = embed(question["query"], arguments.model)
        print(json.dumps({"id": question["id"], "vector": vector}))


if __name__ == "__main__":
    main()
