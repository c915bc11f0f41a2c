"""The values of transformers for two example pairs are still those in recorded_scores.json.
tests/cli/score_recorded.py compares cuset-score with these numbers if there is no transformers.

usage: recorded_scores.py [--write]   (--write makes the file)
"""

import hashlib
import json
import platform
import sys

import tokenizers
import torch
import transformers

import _score_pairs

place = _score_pairs.source / "tests/oracle/recorded_scores.json"
with open(_score_pairs.source / "examples/pairs.jsonl", encoding="utf-8") as lines:
    pairs = sorted((json.loads(line) for line in lines), key=lambda pair: len(pair["response"]))[:2]
encoded = [_score_pairs.encode(pair) for pair in pairs]
truth = _score_pairs.oracle(encoded, torch.float32)
half = _score_pairs.oracle(encoded, torch.bfloat16)
with open(_score_pairs.model_folder / "model.safetensors", "rb") as weights:
    sha256 = hashlib.file_digest(weights, "sha256").hexdigest()
now = {
    "provenance": {
        "made_by": "tests/oracle/recorded_scores.py --write",
        "model": _score_pairs.model_folder.name,
        "model.safetensors": f"sha256 {sha256}",
        "transformers": transformers.__version__,
        "tokenizers": tokenizers.__version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "computed_in": "float32, one pair at a time, log_softmax in float32",
    },
    "max_tokens": _score_pairs.max_tokens,
    # |confidence in bfloat16 - confidence in float32|, averaged over all tokens.
    "bfloat16_error": float(f"{_score_pairs.error(half, truth):.4g}"),
    "pairs": [{"id": pair["id"], "tokens": ids, "ends": ends,
               "confidence": [float(f"{p:.7f}") for p in row.tolist()]}
              for pair, (_, ids, ends), row in zip(pairs, encoded, truth)],
}
if sys.argv[1:] == ["--write"]:
    text = json.dumps(now, indent=1)
    # One list on a line, not one number on a line.
    for part in now["pairs"]:
        for key in "tokens", "ends", "confidence":
            text = text.replace(json.dumps(part[key], indent=1).replace("\n", "\n   "), json.dumps(part[key]))
    place.write_text(text + "\n", encoding="utf-8")
    sys.exit(0)

then = json.loads(place.read_text(encoding="utf-8"))
assert then["max_tokens"] == now["max_tokens"]
assert then["provenance"]["model.safetensors"] == now["provenance"]["model.safetensors"], "another model"
worst = 0.0
for old, new in zip(then["pairs"], now["pairs"], strict=True):
    assert [old[key] for key in ("id", "tokens", "ends")] == [new[key] for key in ("id", "tokens", "ends")]
    worst = max(worst, *(abs(a - b) for a, b in zip(old["confidence"], new["confidence"], strict=True)))
print(f"max |confidence difference| {worst:.2e}; bfloat16: recorded {then['bfloat16_error']}, "
      f"here {now['bfloat16_error']}")
# Processors sum in different orders: 1.5e-5 was met between two of them. The bound is half of what
# cuset-score may differ. Their bfloat16 noise has the same size, but not the same values.
assert worst <= 5e-5
assert 0.5 < then["bfloat16_error"] / now["bfloat16_error"] < 2
