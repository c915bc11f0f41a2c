"""This compares cuset-score with transformers on the example pairs."""

import json
import os
import sys

import _score_pairs

with open(_score_pairs.source / "examples/pairs.jsonl", encoding="utf-8") as lines:
    pairs = [json.loads(line) for line in lines]
chosen = _score_pairs.some(pairs, len(pairs) if os.environ.get("CUSET_LONG") else 3)
sys.exit(1 if _score_pairs.compare(chosen) else 0)
