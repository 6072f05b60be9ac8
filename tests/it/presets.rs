//! Every preset against the shape of its engine's answer, as the engine documents it or gave it when it was asked.

use serde_json::{Value, json};

use crate::common::project::{Outcome, Project};
use crate::common::server::{Answer, Server};

/// What an engine is like.
struct Engine {
    preset: &'static str,
    with: &'static str,
    /// For an engine that is only in a cloud: its path here instead of its host.
    path: Option<&'static str>,
    /// Method and target of the request; the query is `a "b": c`.
    asked: &'static str,
    /// What the body must be; null where there is none.
    body: Value,
    /// Two hits, `d1` before `d2`.
    answer: Value,
    /// Nothing found.
    nothing: Value,
    /// An answer with status 200 that must not be judged; null where the engine has none.
    broken: Value,
}

const QUERY: &str = "a \"b\": c";

fn vector() -> Value {
    json!([0.5, -1.0])
}

#[allow(clippy::too_many_lines, reason = "a table")]
fn engines() -> Vec<Engine> {
    let hits = |name: &str, key: &str, score: &str| json!({name: [{key: "d1", score: 2.5}, {key: "d2", score: 1.5}]});
    let es = |hits: Value, timed_out: bool, failed: u32| {
        json!({"took": 1, "timed_out": timed_out, "_shards": {"total": 2, "successful": 2, "failed": failed},
            "hits": {"total": {"value": 2}, "max_score": null, "hits": hits}})
    };
    let es_hits = json!([{"_index": "i", "_id": "d1", "_score": 2.5}, {"_index": "i", "_id": "d2", "_score": 1.5}]);
    let elastic = |preset| Engine {
        preset,
        with: "index: i, fields: [title, body]",
        path: None,
        asked: "POST /i/_search",
        body: json!({"size": 2, "_source": false,
            "query": {"multi_match": {"query": QUERY, "fields": ["title", "body"]}}}),
        answer: es(es_hits.clone(), false, 0),
        nothing: es(json!([]), false, 0),
        broken: es(es_hits.clone(), false, 1),
    };
    vec![
        elastic("elasticsearch"),
        elastic("opensearch"),
        Engine {
            preset: "manticore",
            with: "table: t",
            path: None,
            asked: "POST /search",
            body: json!({"table": "t", "limit": 2, "query": {"match": {"*": QUERY}}}),
            answer: json!({"timed_out": false, "hits": {"hits": es_hits}}),
            nothing: json!({"timed_out": false, "hits": {"hits": []}}),
            broken: json!({"timed_out": true, "hits": {"hits": []}}),
        },
        Engine {
            preset: "quickwit",
            with: "index: i, id: doc.id",
            path: None,
            asked: "POST /api/v1/i/search",
            body: json!({"query": "\"a\" OR \"b\" OR \"c\"", "max_hits": 2, "search_field": "body"}),
            answer: json!({"num_hits": 2, "hits": [{"doc.id": "d1"}, {"doc.id": "d2"}], "errors": []}),
            nothing: json!({"num_hits": 0, "hits": []}),
            broken: Value::Null,
        },
        Engine {
            preset: "qdrant",
            with: "collection: c",
            path: None,
            asked: "POST /collections/c/points/query",
            body: json!({"query": vector(), "limit": 2, "with_payload": ["doc_id"]}),
            answer: json!({"status": "ok", "time": 0.1, "result": {"points": [
                {"id": 18_446_744_073_709_551_615_u64, "score": 2.5, "payload": {"doc_id": "d1"}},
                {"id": 2, "score": 1.5, "payload": {"doc_id": "d2"}}]}}),
            nothing: json!({"status": "ok", "result": {"points": []}}),
            broken: json!({"status": {"error": "Not found"}, "result": {"points": []}}),
        },
        Engine {
            preset: "weaviate",
            with: "class: Docs",
            path: None,
            asked: "POST /v1/graphql",
            body: json!({"query": "{ Get { Docs(bm25: {query: \"a \\\"b\\\": c\"}, limit: 2) { docId _additional { score } } } }"}),
            answer: json!({"data": {"Get": {"Docs": [{"docId": "d1", "_additional": {"score": "2.5"}},
                {"docId": "d2", "_additional": {"score": "1.5"}}]}}}),
            nothing: json!({"data": {"Get": {"Docs": []}}}),
            broken: json!({"data": {"Get": {"Docs": null}}, "errors": [{"message": "no such class"}]}),
        },
        Engine {
            preset: "milvus",
            with: "collection: c, id: doc",
            path: None,
            asked: "POST /v2/vectordb/entities/search",
            body: json!({"collectionName": "c", "data": [vector()], "annsField": "vector", "limit": 2, "outputFields": ["doc"]}),
            answer: json!({"code": 0, "data": [{"distance": 2.5, "doc": "d1", "id": 1}, {"distance": 1.5, "doc": "d2", "id": 2}]}),
            nothing: json!({"code": 0, "data": []}),
            broken: json!({"code": 100, "message": "collection not found"}),
        },
        Engine {
            preset: "milvus-v1",
            with: "collection: c, id: doc",
            path: None,
            asked: "POST /v1/vector/search",
            body: json!({"collectionName": "c", "vector": vector(), "limit": 2, "outputFields": ["doc"]}),
            answer: json!({"code": 200, "data": [{"distance": 2.5, "doc": "d1"}, {"distance": 1.5, "doc": "d2"}]}),
            nothing: json!({"code": 200, "data": []}),
            broken: json!({"code": 100, "message": "collection not found"}),
        },
        Engine {
            preset: "chroma",
            with: "collection: c",
            path: None,
            asked: "POST /api/v2/tenants/default_tenant/databases/default_database/collections/7f-1/query",
            body: json!({"query_embeddings": [vector()], "n_results": 2, "include": ["distances"]}),
            answer: json!({"id": "7f-1", "ids": [["d1", "d2"]], "distances": [[-2.5, -1.5]], "documents": null}),
            nothing: json!({"id": "7f-1", "ids": [[]], "distances": [[]]}),
            broken: json!({"id": "7f-1", "ids": [["d1", "d2"]], "distances": [[1]]}),
        },
        Engine {
            preset: "pinecone",
            with: "host: h, namespace: n",
            path: Some("/query"),
            asked: "POST /query",
            body: json!({"vector": vector(), "topK": 2, "namespace": "n"}),
            answer: hits("matches", "id", "score"),
            nothing: json!({"matches": []}),
            broken: Value::Null,
        },
        Engine {
            preset: "pinecone-text",
            with: "host: h",
            path: Some("/records/namespaces/n/search"),
            asked: "POST /records/namespaces/n/search",
            body: json!({"query": {"inputs": {"text": QUERY}, "top_k": 2}}),
            answer: json!({"result": hits("hits", "_id", "_score"), "usage": {}}),
            nothing: json!({"result": {"hits": []}}),
            broken: Value::Null,
        },
        Engine {
            preset: "meilisearch",
            with: "index: i",
            path: None,
            asked: "POST /indexes/i/search",
            body: json!({"q": QUERY, "limit": 2, "attributesToRetrieve": ["id"], "showRankingScore": true}),
            answer: hits("hits", "id", "_rankingScore"),
            nothing: json!({"hits": []}),
            broken: Value::Null,
        },
        Engine {
            preset: "typesense",
            with: "collection: c, fields: 'title,body'",
            path: None,
            asked: "POST /multi_search",
            body: json!({"searches": [{"collection": "c", "q": QUERY, "query_by": "title,body", "per_page": 2,
                "include_fields": "id", "drop_tokens_threshold": 2}]}),
            answer: json!({"results": [{"found": 2, "search_cutoff": false, "hits": [
                {"document": {"id": "d1"}, "text_match": 2.5}, {"document": {"id": "d2"}, "text_match": 1.5}]}]}),
            nothing: json!({"results": [{"found": 0, "search_cutoff": false, "hits": []}]}),
            broken: json!({"results": [{"code": 404, "error": "Not found."}]}),
        },
        Engine {
            preset: "algolia",
            with: "app: A, index: i",
            path: Some("/1/indexes/i/query"),
            asked: "POST /1/indexes/i/query",
            body: json!({"query": QUERY, "hitsPerPage": 2, "attributesToRetrieve": []}),
            answer: json!({"hits": [{"objectID": "d1"}, {"objectID": "d2"}], "nbHits": 2}),
            nothing: json!({"hits": []}),
            broken: Value::Null,
        },
        Engine {
            preset: "vespa",
            with: "source: docs",
            path: None,
            asked: "POST /search/",
            body: json!({"yql": "select * from docs where userQuery()", "query": QUERY, "type": "any", "hits": 2}),
            answer: json!({"root": {"coverage": {"full": true}, "children": [{"id": "d1", "relevance": 2.5},
                {"id": "d2", "relevance": 1.5}]}}),
            nothing: json!({"root": {"fields": {"totalCount": 0}, "coverage": {"full": true}}}),
            broken: json!({"root": {"coverage": {"full": false}, "children": []}}),
        },
        Engine {
            preset: "solr",
            with: "core: c",
            path: None,
            asked: "GET /solr/c/select?q=a%20%22b%22%3A%20c&defType=edismax&qf=text&fl=id,score&rows=2&wt=json",
            body: Value::Null,
            answer: json!({"responseHeader": {"status": 0}, "response": hits("docs", "id", "score")}),
            nothing: json!({"responseHeader": {"status": 0}, "response": {"docs": []}}),
            broken: json!({"responseHeader": {"status": 0, "partialResults": true}, "response": {"docs": []}}),
        },
        Engine {
            preset: "azure-ai-search",
            with: "service: s, index: i",
            path: Some("/indexes/i/docs/search?api-version=2024-07-01"),
            asked: "POST /indexes/i/docs/search?api-version=2024-07-01",
            body: json!({"search": QUERY, "top": 2, "select": "id"}),
            answer: hits("value", "id", "@search.score"),
            nothing: json!({"value": []}),
            broken: Value::Null,
        },
        Engine {
            preset: "vertex-ai-search",
            with: "engine: projects/p",
            path: Some("/v1/projects/p:search"),
            asked: "POST /v1/projects/p:search",
            body: json!({"query": QUERY, "pageSize": 2}),
            answer: json!({"results": [{"id": "x", "document": {"id": "d1"}}, {"id": "y", "document": {"id": "d2"}}]}),
            nothing: json!({"totalSize": 0}),
            broken: Value::Null,
        },
        Engine {
            preset: "vertex-vector-search",
            with: "host: h, endpoint: projects/p, deployed: d",
            path: Some("/v1/projects/p:findNeighbors"),
            asked: "POST /v1/projects/p:findNeighbors",
            body: json!({"deployedIndexId": "d", "queries": [{"neighborCount": 2, "datapoint": {"featureVector": vector()}}]}),
            answer: json!({"nearestNeighbors": [{"neighbors": [{"datapoint": {"datapointId": "d1"}, "distance": 2.5},
                {"datapoint": {"datapointId": "d2"}}]}]}),
            nothing: json!({"nearestNeighbors": [{}]}),
            broken: Value::Null,
        },
        Engine {
            preset: "postgrest",
            with: "function: match_documents",
            path: None,
            asked: "POST /rpc/match_documents",
            body: json!({"query_embedding": vector(), "match_count": 2}),
            answer: json!([{"id": "d1", "similarity": 2.5}, {"id": "d2", "similarity": 1.5}]),
            nothing: json!([]),
            broken: json!({"code": "PGRST202", "message": "no such function"}),
        },
        Engine {
            preset: "marqo",
            with: "index: i",
            path: None,
            asked: "POST /indexes/i/search",
            body: json!({"q": QUERY, "limit": 2}),
            answer: hits("hits", "_id", "_score"),
            nothing: json!({"hits": []}),
            broken: Value::Null,
        },
        Engine {
            preset: "hayhooks",
            with: "pipeline: search",
            path: None,
            asked: "POST /search/run",
            body: json!({"query": QUERY, "top_k": 2}),
            answer: hits("result", "id", "score"),
            nothing: json!({"result": []}),
            broken: Value::Null,
        },
        Engine {
            preset: "langserve",
            with: "path: retriever",
            path: None,
            asked: "POST /retriever/invoke",
            body: json!({"input": QUERY}),
            answer: json!({"output": [{"id": null, "metadata": {"id": "d1"}, "page_content": "t"},
                {"metadata": {"id": "d2"}, "page_content": "t"}, {"metadata": {"id": "d3"}}], "metadata": {}}),
            nothing: json!({"output": []}),
            broken: Value::Null,
        },
        Engine {
            preset: "llamaindex",
            with: "workflow: search",
            path: None,
            asked: "POST /workflows/search/run",
            body: json!({"start_event": {"query": QUERY, "k": 2}}),
            answer: json!({"status": "completed", "error": null, "result": {"value": hits("result", "id", "score")}}),
            nothing: json!({"status": "completed", "result": {"value": {"result": []}}}),
            broken: json!({"status": "failed", "error": "x", "result": {"value": {"result": []}}}),
        },
        Engine {
            preset: "txtai",
            with: "",
            path: None,
            asked: "GET /search?query=a%20%22b%22%3A%20c&limit=2",
            body: Value::Null,
            answer: json!([{"id": "d1", "text": "t", "score": 2.5}, {"id": "d2", "text": "t", "score": 1.5}]),
            nothing: json!([]),
            broken: Value::Null,
        },
        Engine {
            preset: "groonga",
            with: "table: Docs, column: text",
            path: None,
            asked: "GET /d/select?table=Docs&match_columns=text&query=%22a%22%20OR%20%22b%22%20OR%20%22c%22&output_columns=_key,_score&sort_keys=-_score&limit=2&command_version=3",
            body: Value::Null,
            answer: json!({"header": {"return_code": 0}, "body": {"n_hits": 2, "records": [["d1", 2.5], ["d2", 1.5]]}}),
            nothing: json!({"header": {"return_code": 0}, "body": {"records": []}}),
            broken: json!({"header": {"return_code": -22}, "body": {"records": []}}),
        },
        Engine {
            preset: "anserini",
            with: "index: '%2Fidx'",
            path: None,
            asked: "GET /v1/%2Fidx/search?query=a%20%22b%22%3A%20c&hits=2",
            body: Value::Null,
            answer: hits("candidates", "docid", "score"),
            nothing: json!({"candidates": []}),
            broken: Value::Null,
        },
        Engine {
            preset: "datasette",
            with: "database: docs",
            path: None,
            asked: "GET /docs/search.json?q=%22a%22%20OR%20%22b%22%20OR%20%22c%22&k=2&_shape=objects",
            body: Value::Null,
            answer: json!({"ok": true, "rows": [{"id": "d1", "score": 2.5}, {"id": "d2", "score": 1.5}]}),
            nothing: json!({"rows": []}),
            broken: json!({"ok": false, "error": "unterminated string", "rows": []}),
        },
        Engine {
            preset: "tantivy",
            with: "",
            path: None,
            asked: "GET /api/?q=a%20b%20c&nhits=2",
            body: Value::Null,
            answer: json!({"num_hits": 2, "hits": [{"score": 2.5, "doc": {"id": ["d1"]}, "id": 0},
                {"score": 1.5, "doc": {"id": ["d2"]}, "id": 1}]}),
            nothing: json!({"num_hits": 0, "hits": []}),
            broken: Value::Null,
        },
    ]
}

impl Engine {
    /// Asks a server that gives `answer`; what the program said, and the last request.
    fn asked(&self, answer: &Value) -> (Outcome, crate::common::server::Asked) {
        let answer = answer.clone();
        let server = Server::start(move |_| Answer::from(&answer));
        let with = [self.with.to_owned(), format!("server: '{}'", server.url)];
        let with =
            with.into_iter().filter(|part| !part.is_empty() && (self.path.is_none() || !part.starts_with("server")));
        let url = self.path.map(|path| format!(", url: '{}{path}'", server.url)).unwrap_or_default();
        let vector = if self.body.to_string().contains("[0.5,-1.0]") { ", vector: {file: v.jsonl}" } else { "" };
        let project = Project::with_config(&format!(
            "pipeline:\n  http: {{preset: {}, with: {{{}}}{url}{vector}}}\n",
            self.preset,
            with.collect::<Vec<_>>().join(", ")
        ));
        project.write("v.jsonl", r#"{"id": "try", "vector": [0.5, -1.0]}"#);
        let mut command = project.command(&["pipeline", "try", QUERY, "-k", "2"]);
        for variable in
            ["PINECONE_API_KEY", "TYPESENSE_API_KEY", "ALGOLIA_API_KEY", "AZURE_SEARCH_KEY", "GOOGLE_ACCESS_TOKEN"]
        {
            command.env(variable, "a-key-for-tests");
        }
        (command.output().unwrap().into(), server.asked().last().cloned().unwrap_or_default())
    }
}

#[test]
fn every_preset_asks_and_reads_as_its_engine_does() {
    for engine in engines() {
        let name = engine.preset;
        let (outcome, asked) = engine.asked(&engine.answer);
        assert_eq!(outcome.code, 0, "{name}: {outcome:?}");
        assert_eq!(format!("{} {}", asked.method, asked.target), engine.asked, "{name}");
        if engine.body.is_null() {
            assert_eq!(asked.body, "", "{name}");
        } else {
            assert_eq!(asked.json(), engine.body, "{name}");
        }
        let read = outcome.stdout.split("\nRead: ").nth(1).unwrap_or_else(|| panic!("{name}: {}", outcome.stdout));
        assert!(read.starts_with("2 results, best first"), "{name}: {read}");
        let ids: Vec<&str> = read.lines().skip(2).filter_map(|line| line.split_whitespace().nth(1)).collect();
        assert_eq!(ids, ["d1", "d2"], "{name}");
        let scores: Vec<&str> = read.lines().skip(2).filter_map(|line| line.split_whitespace().nth(3)).collect();
        let has_scores = engine.answer.to_string().contains("2.5");
        assert_eq!(scores[0], if has_scores { "2.5" } else { "-" }, "{name}");

        let (outcome, _) = engine.asked(&engine.nothing);
        assert_eq!(outcome.code, 0, "{name}: {outcome:?}");
        assert!(outcome.stdout.contains("Read: nothing found"), "{name}: {}", outcome.stdout);

        if !engine.broken.is_null() {
            let (outcome, _) = engine.asked(&engine.broken);
            assert_eq!(outcome.code, 3, "{name}: {outcome:?}");
        }
    }
}

#[test]
fn every_preset_is_listed_and_tested() {
    let outcome = Project::new().run(&["pipeline", "presets"]);
    let listed: Vec<&str> = outcome.stdout.lines().filter(|line| !line.starts_with(' ')).collect();
    let tested: Vec<&str> = engines().iter().map(|engine| engine.preset).collect();
    assert_eq!(listed, tested);
    assert!(outcome.stdout.lines().all(|line| line.chars().count() <= 80), "{}", outcome.stdout);
    let outcome = Project::new().run(&["pipeline", "presets", "chroma"]);
    assert!(outcome.stdout.contains("preset: chroma") && outcome.stdout.contains("$.ids[0][*]"), "{}", outcome.stdout);
    assert_eq!(Project::new().run(&["pipeline", "presets", "x"]).code, 2);
}
