"""The tokenizer oracle scripts share these: running token_dump, small tokenizers made here, and the
comparison with Hugging Face's `tokenizers`."""
import json
import os
import random
import subprocess
import sys
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

BUILD = Path(os.environ["CUSET_BUILD"])
SOURCE = Path(os.environ["CUSET_SOURCE"])
DEPS = Path(os.environ["CUSET_DEPS"])
DATA = SOURCE.parent / "shared" / "data"

CL100K = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|DIGITS| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
SEED_CODER = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+"
              r"|\s*[\r\n]+|\s+(?!\S)|\s+")


def byte_level(use_regex):
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
            "use_regex": use_regex}


def split(pattern):
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def sequence(*parts):
    return {"type": "Sequence", "pretokenizers": list(parts)}


DIGITS = {"type": "Digits", "individual_digits": True}
CHAINS = {
    "gpt2": byte_level(True),
    "smollm": sequence(DIGITS, byte_level(True)),
    "qwen2": sequence(split(CL100K.replace("DIGITS", r"\p{N}")), byte_level(False)),
    "llama3": sequence(split(CL100K.replace("DIGITS", r"\p{N}{1,3}")), byte_level(False)),
    "seed-coder": sequence(split(SEED_CODER), byte_level(False)),
    "deepseek-coder": sequence(split(r"[\r\n]"), split(r"\s?\p{L}+"), split(r"\s?\p{P}+"),
                               split("[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"), DIGITS,
                               byte_level(False)),
}


def byte_alphabet():
    """GPT-2's table of a character for each byte, in the order of the bytes."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = (b for b in range(256) if b not in own)
    table = {b: chr(b) for b in own}
    table.update({b: chr(256 + i) for i, b in enumerate(rest)})
    return [table[b] for b in range(256)]


ALPHABET = byte_alphabet()
BYTE_OF = {c: b for b, c in enumerate(ALPHABET)}


def tokenizer_json(chain, vocab, merges, normalizer=None, added=(), **model):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": list(added),
            "normalizer": normalizer, "pre_tokenizer": CHAINS[chain], "post_processor": None,
            "decoder": byte_level(True),
            "model": {"type": "BPE", "dropout": None, "unk_token": None,
                      "continuing_subword_prefix": None, "end_of_word_suffix": None,
                      "fuse_unk": False, "byte_fallback": False, "vocab": vocab, "merges": merges,
                      **model}}


def pairs_json(chain, **more):
    """A vocabulary that shows word borders: every two bytes merge, so a word has a single-byte
    token only if its length is odd."""
    vocab = {c: i for i, c in enumerate(ALPHABET)}
    order = [(a, b) for a in ALPHABET for b in ALPHABET]
    random.Random(5).shuffle(order)
    for a, b in order:
        vocab[a + b] = len(vocab)
    return tokenizer_json(chain, vocab, [[a, b] for a, b in order], **more)


def trained_json(chain, texts, size, full_alphabet=True, **more):
    """A small tokenizer that `tokenizers` itself trains."""
    tokenizer = Tokenizer(models.BPE())
    shell = tokenizer_json(chain, {}, [])
    tokenizer = Tokenizer.from_str(json.dumps(shell))
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=size, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet() if full_alphabet else []))
    made = json.loads(tokenizer.to_str())["model"]
    return tokenizer_json(chain, made["vocab"], made["merges"], **more)


def added(id, content, **flags):
    return {"id": id, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
            "normalized": False, "special": True, **flags}


def ours(path, strings):
    """token_dump's [(ids, ends)]."""
    lines = "".join(json.dumps(s) + "\n" for s in strings)
    done = subprocess.run([BUILD / "tests" / "token_dump", path], input=lines.encode(),
                          stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"token_dump {path} ended with {done.returncode}")
    return [(r["ids"], r["ends"]) for r in map(json.loads, done.stdout.splitlines())]


class Reference:
    """Hugging Face's tokenizer, without a post-processor (ByteLevel's would trim offsets)."""

    def __init__(self, spec):
        spec = {**spec, "post_processor": None, "truncation": None, "padding": None}
        self.tokenizer = Tokenizer.from_str(json.dumps(spec))
        vocab = spec["model"]["vocab"]
        self.bytes_of = {i: bytes(BYTE_OF[c] for c in t) for t, i in vocab.items()
                         if all(c in BYTE_OF for c in t)}
        self.missing = {b for b, c in enumerate(ALPHABET) if c not in vocab}
        self.strips = any(t["lstrip"] or t["rstrip"] for t in spec["added_tokens"])
        self.bytes_of.update({t["id"]: t["content"].encode() for t in spec["added_tokens"]})

    def check(self, text, ids, ends):
        """None, or the error in our ids and ends of `text`."""
        theirs = self.tokenizer.encode(text, add_special_tokens=False)
        if ids != theirs.ids:
            return f"ids {ids}\n  not {theirs.ids}"
        if len(ids) != len(ends) or ends != sorted(ends):
            return f"ends {ends} do not fit"
        data = text.encode()
        if ends and ends[-1] > len(data):
            return f"ends {ends} pass the end"
        borders = [0]
        for c in text:
            borders.append(borders[-1] + len(c.encode()))
        # Walks the text by the tokens' own bytes, if they cover all of it.
        normalizer = self.tokenizer.normalizer
        changed = normalizer is not None and normalizer.normalize_str(text) != text
        walked = None if changed or self.strips else self.walk(data, ids)
        if walked is not None and walked != ends:
            return f"ends {ends}\n  walk {walked}"
        # Uses Hugging Face's offsets, for tokens that end with a character. If a byte was dropped,
        # its offsets are short by that byte up to the end of the word; only the walk checks such
        # texts.
        # walk.
        if walked is not None and any(b in self.missing for b in data):
            return None
        joined = b"".join(self.bytes_of[i] for i in ids)
        at = 0
        for k, (i, offsets) in enumerate(zip(ids, theirs.offsets)):
            at += len(self.bytes_of[i])
            whole = at == len(joined) or joined[at] & 0xC0 != 0x80
            want = borders[offsets[1]]
            if (whole or self.strips and i not in self.bytes_of) and ends[k] != want:
                return f"token {k} ends at {ends[k]}, not {want}"
            if ends[k] > want:
                return f"token {k} ends at {ends[k]}, after {want}"
        return None

    def walk(self, data, ids):
        """Ends found by matching token bytes one after the other; None if the text was normalized
        or an added token swallowed spaces."""
        at, ends = 0, []
        for i in ids:
            for b in self.bytes_of[i]:
                while at < len(data) and data[at] != b and data[at] in self.missing:
                    at += 1
                if at == len(data) or data[at] != b:
                    return None
                at += 1
            ends.append(at)
        return ends if all(b in self.missing for b in data[at:]) else None


def compare(name, path, strings):
    """The number of strings that differ; prints the first few."""
    reference = Reference(json.loads(Path(path).read_text()))
    results = ours(path, strings)
    if len(results) != len(strings):
        sys.exit(f"{name}: {len(results)} answers to {len(strings)} strings")
    wrong = tokens = 0
    for text, (ids, ends) in zip(strings, results):
        problem = reference.check(text, ids, ends)
        tokens += len(ids)
        if problem:
            wrong += 1
            if wrong <= 3:
                print(f"{name}: {text[:200]!r}\n  {problem[:600]}")
    print(f"{name}: {len(strings)} strings, {tokens} tokens, {wrong} differ")
    return wrong
