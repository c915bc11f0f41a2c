#!/usr/bin/env python3
"""This compares ids and byte offsets with Hugging Face's `tokenizers`: real CUDA text and generated
Unicode, on SmolLM2's tokenizer and on small ones of every chain. tokenizer_ids_shared.py tests
large ones."""
import json
import sys
import tempfile
from pathlib import Path

import _strings
import _tokenizers as t

texts = _strings.examples()
strings = _strings.generated(10000)
long_words = _strings.LONG_WORDS
checked = wrong = 0

smollm = t.DEPS / "models" / "SmolLM2-135M-Instruct" / "tokenizer.json"
if smollm.exists():
    wrong += t.compare(smollm.parent.name, smollm, texts + strings + long_words + [""])
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
    # Whole words without the merges that would form them: ignore_merges must find them.
    llama = t.trained_json("llama3", texts, 4000, ignore_merges=True)
    n = len(llama["model"]["vocab"])
    llama["model"]["merges"] = [" ".join(m) for m in llama["model"]["merges"]
                                if len(m[0]) + len(m[1]) < 6]
    llama["added_tokens"] = [t.added(n, "<|im_end|>"), t.added(n + 1, "<|im_"), t.added(n + 2, "<|eot_id|>"),
                             t.added(n + 3, "<|"), t.added(n + 4, "<tool_call>", special=False)]
    wrong += check("trained llama3", llama)
    # Every flag of added tokens, together with a normalizer.
    flags = t.trained_json("qwen2", texts, 2000, normalizer={"type": "Sequence", "normalizers": [nfc]})
    n = len(flags["model"]["vocab"])
    flags["added_tokens"] = [
        t.added(n, "<|im_end|>", lstrip=True), t.added(n + 1, "<|endoftext|>", rstrip=True),
        t.added(n + 2, "<|strip|>", lstrip=True, rstrip=True),
        t.added(n + 3, "\u2126", normalized=True, special=False),
        t.added(n + 4, "cafe\u0301", normalized=True, special=False),
        t.added(n + 5, "<pad>", normalized=True, lstrip=True, rstrip=True),
        t.added(n + 6, " <|eot_id|>")]  # may begin within spaces that another token took
    wrong += check("added token flags", flags)
    checked += 10

print(f"{checked} tokenizers, {wrong} strings differ")
if not wrong and not smollm.exists():
    print(f"skipped: {smollm} is absent; the other {checked} tokenizers agree")
    sys.exit(77)
sys.exit(1 if wrong else 0)
