"""Scores an exported folder with one of three tools: score.py TOOL FOLDER prints {"metric": {"query": value}}."""

import json
import sys
from pathlib import Path

tool, folder = sys.argv[1], Path(sys.argv[2])
qrels, run = str(folder / "qrels.txt"), str(folder / "run.trec")
scores: dict[str, dict[str, float]] = {}

if tool == "trec_eval":
    import pytrec_eval

    names = {"recall_10": "recall@10", "P_10": "precision@10", "success_10": "hit@10", "recip_rank": "mrr"}
    with open(qrels) as judged, open(run) as answered:
        evaluator = pytrec_eval.RelevanceEvaluator(
            pytrec_eval.parse_qrel(judged), {"recall.10", "P.10", "success.10", "recip_rank"}
        )
        for query, values in evaluator.evaluate(pytrec_eval.parse_run(answered)).items():
            for theirs, ours in names.items():
                scores.setdefault(ours, {})[query] = values[theirs]
elif tool == "ir_measures":
    import ir_measures
    from ir_measures import RR, P, R, Success

    # Its nDCG with an exponential gain is a Perl script that it fetches; ranx has that measure.
    measures = {R @ 10: "recall@10", RR @ 10: "mrr@10", P @ 10: "precision@10", Success @ 10: "hit@10"}
    judged, answered = ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run)
    for value in ir_measures.iter_calc(list(measures), judged, answered):
        scores.setdefault(measures[value.measure], {})[value.query_id] = value.value
else:
    import ranx

    names = {
        "recall@10": "recall@10",
        "mrr@10": "mrr@10",
        "precision@10": "precision@10",
        "hit_rate@10": "hit@10",
        "ndcg_burges@10": "ndcg@10",
    }
    answered = ranx.Run.from_file(run, kind="trec")
    ranx.evaluate(ranx.Qrels.from_file(qrels, kind="trec"), answered, list(names), make_comparable=True)
    for theirs, ours in names.items():
        scores[ours] = {query: float(value) for query, value in answered.scores[theirs].items()}

json.dump(scores, sys.stdout)
