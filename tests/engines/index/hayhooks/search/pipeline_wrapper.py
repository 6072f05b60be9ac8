"""A Haystack pipeline that Hayhooks serves at /search/run, over the documents of the file that CHUNKS names."""

import json
import os

from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from hayhooks import BasePipelineWrapper


class PipelineWrapper(BasePipelineWrapper):
    def setup(self) -> None:
        store = InMemoryDocumentStore()
        with open(os.environ["CHUNKS"], encoding="utf-8") as lines:
            documents = [json.loads(line) for line in lines]
        store.write_documents(
            [Document(id=document["id"], content=f"{document['title']}\n{document['text']}") for document in documents]
        )
        self.pipeline = Pipeline()
        self.pipeline.add_component("retriever", InMemoryBM25Retriever(store))

    def run_api(self, query: str, top_k: int = 10) -> list[dict]:
        found = self.pipeline.run({"retriever": {"query": query, "top_k": top_k}})["retriever"]["documents"]
        return [{"id": document.id, "score": document.score} for document in found]
