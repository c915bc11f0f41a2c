"""The tokenizer oracle scripts encode these texts: real CUDA text and generated Unicode."""
import json
import os
import random

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


# Pieces longer than any in real code.
LONG_WORDS = [w * n for w in ("a", " ", "ab", "=", "\u00e9", "e\u0301", "\n", "7", "\u4e2d") for n in (49, 5000)]


def examples():
    """The texts of examples/pairs, which every clone has."""
    found = [p.read_text() for p in sorted((t.SOURCE / "examples" / "pairs").glob("*.*"))]
    assert found, "examples/pairs is empty"
    return found


def tasks():
    """Every string of the CUDABench tasks; none if the shared folder is missing."""
    path = t.DATA / "cudabench" / "cudabench-100.jsonl"
    if not path.exists():
        return []
    return [v for line in path.read_text().splitlines() for v in json.loads(line).values()
            if isinstance(v, str)]
