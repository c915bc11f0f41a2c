#!/usr/bin/env python3
"""This sends every code point that could be a character of its own, in several contexts, through
every chain: classes of the pre-tokenizers, case folding of contractions, Digits, NFC. The
vocabulary shows word borders (see pairs_json). Every third code point of each class, by the commit."""
import json
import os
import sys
import tempfile
from pathlib import Path

import _tokenizers as t

sys.path.append(os.environ["CUSET_SOURCE"] + "/tests/cli")
from _rotation import third  # noqa: E402

# All code points of the planes whose classes differ, and a sample of the ideographs and of the
# unassigned.
CODE_POINTS = [c for c in range(0x20000) if not 0xD800 <= c <= 0xDFFF]
CODE_POINTS += [*range(0x20000, 0x40000, 61), *range(0x2A6D0, 0x2A710), *range(0x2F800, 0x2FA20),
                *range(0x3134A, 0x31360), *range(0x323A0, 0x323C0), *range(0x40000, 0xE0000, 4093),
                *range(0xE0000, 0xE0200), *range(0xE0200, 0x110000, 2039)]
ROTATING = third(CODE_POINTS, "code points")
# All contexts that distinguish classes, in one text; a private-use character and a newline separate
# one code point from the next.
SURROUNDINGS = "x{}x {} .{}1'{} 'l{}a  {}{}\n\ue000\n"
NFC_SURROUNDINGS = "a{} a\u0345{} a\u0316{}\u0301 \u1100{}\u11a8 {}\u0301\u0327{}\u3099\n"


def strings(surroundings, step=1):
    points = ROTATING if step == 1 else CODE_POINTS[::step]
    for start in range(0, len(points), 64):
        yield "".join(surroundings.replace("{}", chr(c)) for c in points[start:start + 64])


wrong = 0
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "tokenizer.json"
    for chain in t.CHAINS:
        # The other three chains share the scanners of these three.
        step = 1 if chain in ("smollm", "qwen2", "deepseek-coder") else 7
        path.write_text(json.dumps(t.pairs_json(chain)))
        wrong += t.compare(chain, path, list(strings(SURROUNDINGS, step)))
    path.write_text(json.dumps(t.pairs_json("qwen2", normalizer={"type": "NFC"})))
    wrong += t.compare("NFC", path, list(strings(NFC_SURROUNDINGS)))
print(f"{len(t.CHAINS) + 1} tokenizers, {len(ROTATING)} code points, {wrong} strings differ")
sys.exit(1 if wrong else 0)
