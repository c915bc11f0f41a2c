"""This compares cuset-score with transformers on CUDABench's tasks, which no clone contains."""

import json
import os
import pathlib
import sys

tasks = pathlib.Path(os.environ["CUSET_SOURCE"]).parent / "shared/data/cudabench/cudabench-100.jsonl"
if not tasks.exists():
    print(f"skipped: {tasks} is absent")
    sys.exit(77)

import _score_pairs  # noqa: E402

with open(tasks, encoding="utf-8") as lines:
    pairs = [{"id": f"task{task['id']}", "prompt": task["level1_prompt"], "response": task["bench.cu"]}
             for task in map(json.loads, lines)]
chosen = _score_pairs.some(pairs, 60 if os.environ.get("CUSET_LONG") else 2)
sys.exit(1 if _score_pairs.compare(chosen) else 0)
