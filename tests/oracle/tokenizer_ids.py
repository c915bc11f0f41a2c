#!/usr/bin/env python3
"""Ids and byte offsets against Hugging Face's `tokenizers`: real CUDA text and generated Unicode, on
the large public tokenizers where they are present and on small ones of every chain."""
import json
import os
import random
import sys
import tempfile
from pathlib import Path

import _tokenizers as t

seed = int(os.environ.get("CUSET_SEED") or random.SystemRandom().randrange(1 << 32))
print(f"CUSET_SEED={seed}")
rng = random.Random(seed)

SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" \
         "\u2028\u2029\u202f\u205f\u3000"
SPECIALS = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|EOT|>", "<tool_call>", "<|im_",
            "<\uff5cbegin\u2581of\u2581sentence\uff5c>", "<\uff5cfim\u2581hole\uff5c>", "<pad>", "<|",
            "<|eot_id|>", "<|strip|>", "<|endoftext|>  <|eot_id|>", "\u00f5", "\u00c0", "\u2126", "\u03a9", "caf\u00e9", "cafe\u0301"]
CODE = ["__global__ void k(float* x) {", "<<<grid, block>>>", "  int i = threadIdx.x;\n", "// don't",
        "\n\n    ", "#pragma unroll 4\n", "x[i] += 1.5e-3f;", "'s", "'LL", "'\u017f", "\r\n\r\n", "====",
        "it's I'VE we'd 'Re", "1234567890", "\t\t", "/*--------------------*/", "    \n  \n x"]
RANGES = [(0x20, 0x7E), (0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x52F), (0x590, 0x6FF),
          (0x900, 0x97F), (0xE00, 0xE7F), (0x1100, 0x11FF), (0x1E00, 0x1FFF), (0x2000, 0x27BF),
          (0x3000, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF),
          (0xFE00, 0xFFEF), (0x10000, 0x1007F), (0x1D400, 0x1D7FF), (0x1F300, 0x1FAFF), (0xE0000, 0x10FFFF)]
DIGITS = "0123456789\u0660\u0661\u06f5\u0966\u0e51\u2460\u00bd\u2167\u3007\uff11\U0001d7ce\U00011de0"
EMOJI = ["\U0001f469\u200d\U0001f4bb", "\U0001f1eb\U0001f1f7", "\U0001f44d\U0001f3fd", "\u2764\ufe0f"]
NFC = ["e\u0301", "a\u0323\u0302", "a\u0302\u0323", "\u1ea5", "\u212b", "\u1100\u1161\u11a8", "\uac00\u11a8",
       "\u0958", "\u2adc", "\u0344", "q\u0307\u0323", "\u1e9b\u0323", "\u0301\u0327", "\uf900", "\u0041\u030a",
       "\u1025\u102e", "\U0001d15e", "\u0f71\u0f72\u0f74", "\u05e9\u05bc\u05c1", "\U00011935\U00011930"]


def piece():
    kind = rng.randrange(12)
    if kind == 0:
        return "".join(rng.choice(SPACES) for _ in range(rng.randint(1, 5)))
    if kind == 1:
        return rng.choice(SPECIALS)
    if kind in (2, 3):
        return rng.choice(CODE)
    if kind == 4:
        return "".join(rng.choice(DIGITS) for _ in range(rng.randint(1, 8)))
    if kind == 5:
        return rng.choice(EMOJI)
    if kind in (6, 7):
        return "".join(rng.choice(NFC) for _ in range(rng.randint(1, 3)))
    if kind == 8:
        c = rng.randrange(0x110000)
        return "" if 0xD800 <= c <= 0xDFFF else chr(c)
    if kind == 9:
        return rng.choice("\r\n \t'\".,;$+<=>~|^`") * rng.randint(1, 4)
    low, high = rng.choice(RANGES)
    return "".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 10)))


def generated(count):
    return ["".join(piece() for _ in range(rng.randint(0, 12))) for _ in range(count)]


texts = []
tasks = t.DATA / "cudabench" / "cudabench-100.jsonl"
if tasks.exists():
    for line in tasks.read_text().splitlines():
        task = json.loads(line)
        texts += [v for v in task.values() if isinstance(v, str)]
examples = t.SOURCE / "examples" / "pairs"
texts += [p.read_text() for p in sorted(examples.glob("*.*"))] if examples.exists() else []
if not texts:
    print("skipped: neither shared/data/cudabench nor examples/pairs is here")
    sys.exit(77)

strings = generated(10000)
long_words = [w * n for w in ("a", " ", "ab", "=", "\u00e9", "e\u0301", "\n", "7", "\u4e2d") for n in (49, 5000)]
checked = wrong = 0

large = [p for p in (t.DATA / "tokenizers" / "qwen2.5-coder" / "tokenizer.json",
                     t.DATA / "tokenizers" / "deepseek-coder" / "tokenizer.json",
                     t.DEPS / "models" / "SmolLM2-135M-Instruct" / "tokenizer.json") if p.exists()]
for path in large:
    wrong += t.compare(path.parent.name, path, texts + strings + long_words + [""])
    checked += 1

with tempfile.TemporaryDirectory() as folder:
    def check(name, spec):
        path = Path(folder) / "tokenizer.json"
        path.write_text(json.dumps(spec))
        return t.compare(name, path, small + long_words + texts[:60])

    small = strings[:3000]
    nfc = {"type": "NFC"}
    for chain in t.CHAINS:
        made = t.pairs_json(chain, normalizer=nfc if chain == "qwen2" else None)
        wrong += check(f"pairs {chain}", made)
    trained = t.trained_json("gpt2", texts, 3000)
    wrong += check("trained gpt2", trained)
    wrong += check("trained gpt2, bytes missing",
                   t.trained_json("gpt2", texts[:40], 800, full_alphabet=False))
    # Whole words without the merges that would make them: ignore_merges must find them.
    llama = t.trained_json("llama3", texts, 4000, ignore_merges=True)
    n = len(llama["model"]["vocab"])
    llama["model"]["merges"] = [" ".join(m) for m in llama["model"]["merges"]
                                if len(m[0]) + len(m[1]) < 6]
    llama["added_tokens"] = [t.added(n, "<|im_end|>"), t.added(n + 1, "<|im_"), t.added(n + 2, "<|eot_id|>"),
                             t.added(n + 3, "<|"), t.added(n + 4, "<tool_call>", special=False)]
    wrong += check("trained llama3", llama)
    # Every flag of added tokens, with a normalizer.
    flags = t.trained_json("qwen2", texts, 2000, normalizer={"type": "Sequence", "normalizers": [nfc]})
    n = len(flags["model"]["vocab"])
    flags["added_tokens"] = [
        t.added(n, "<|im_end|>", lstrip=True), t.added(n + 1, "<|endoftext|>", rstrip=True),
        t.added(n + 2, "<|strip|>", lstrip=True, rstrip=True),
        t.added(n + 3, "\u2126", normalized=True, special=False),
        t.added(n + 4, "cafe\u0301", normalized=True, special=False),
        t.added(n + 5, "<pad>", normalized=True, lstrip=True, rstrip=True),
        t.added(n + 6, " <|eot_id|>")]  # may begin within the spaces that another took
    wrong += check("added token flags", flags)
    checked += 10

if len(large) < 3:
    print(f"note: {3 - len(large)} of the 3 large tokenizers are not here")
print(f"{checked} tokenizers, {wrong} strings differ")
sys.exit(1 if wrong else 0)
