"""cuset-score on a real model gives the same as transformers on the same pairs:
recorded_scores.json has the numbers and their origin. tests/oracle/score_pairs.py compares more,
side by side."""

import json
import os
import pathlib
import subprocess

from _tool import built, case, skip

source = pathlib.Path(os.environ["CUSET_SOURCE"])
score = built("cuset-score")
model = pathlib.Path(os.environ["CUSET_DEPS"]) / "models/SmolLM2-135M-Instruct"
if not (model / "model.safetensors").exists():
    skip(f"{model} is absent")
recorded = json.loads((source / "tests/oracle/recorded_scores.json").read_text(encoding="utf-8"))
with open(source / "examples/pairs.jsonl", encoding="utf-8") as lines:
    pairs = {pair["id"]: pair for pair in map(json.loads, lines)}
lines = "".join(json.dumps(pairs[want["id"]], ensure_ascii=False) + "\n" for want in recorded["pairs"])


def errors(dtype, products):
    """|our confidence - transformers' in float32| for every token."""
    run = subprocess.run([score, "--model", model, "--plain", "-q", "-t2", "--device=cpu", "--dtype", dtype,
                          f"--max-tokens={recorded['max_tokens']}"],
                         input=lines.encode(), stdout=subprocess.PIPE, check=True,
                         env=os.environ | {"CUSET_PRODUCTS": products})
    scored = [json.loads(line)["score"] for line in run.stdout.decode().splitlines()]
    found = []
    for got, want in zip(scored, recorded["pairs"], strict=True):
        assert got["id"] == want["tokens"], f"{want['id']}: other tokens"
        assert got["end"] == want["ends"], f"{want['id']}: other ends"
        found += [abs(a - b) for a, b in zip(got["confidence"], want["confidence"], strict=True)]
    return found


for products in "mkl", "own":
    case(f"{products} products")
    single, half = errors("f32", products), errors("bf16", products)
    mean = sum(half) / len(half)
    print(f"{products}, {len(single)} tokens: f32 max {max(single):.2e}; bf16 mean {mean:.2e}, "
          f"transformers' {recorded['bfloat16_error']:.2e}")
    # The bounds of tests/oracle/_score_pairs.py, whose docstring gives the reasons.
    assert max(single) <= 1e-4
    assert mean <= 1.5 * recorded["bfloat16_error"]
