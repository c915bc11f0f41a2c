#!/usr/bin/env python3
"""This compares ids and byte offsets with Hugging Face's `tokenizers` on data that no clone
contains: two large public tokenizers, and the text of the CUDABench tasks for these and
SmolLM2's."""
import sys

import _strings
import _tokenizers as t

large = [t.DATA / "tokenizers" / name / "tokenizer.json" for name in ("qwen2.5-coder", "deepseek-coder")]
smollm = t.DEPS / "models" / "SmolLM2-135M-Instruct" / "tokenizer.json"
tasks = _strings.tasks()
if not tasks or not all(path.exists() for path in large):
    print(f"skipped: the tokenizers or the CUDABench tasks of {t.DATA} are absent")
    sys.exit(77)

wrong = 0
if smollm.exists():
    wrong += t.compare(smollm.parent.name, smollm, tasks)
texts = tasks + _strings.examples() + _strings.generated(10000) + _strings.LONG_WORDS + [""]
for path in large:
    wrong += t.compare(path.parent.name, path, texts)
print(f"{wrong} strings differ")
sys.exit(1 if wrong else 0)
