#!/usr/bin/env python3
"""This times our tokenizer and Hugging Face's on CUDA code, with one thread each, in one run, in
processor time.

    .deps/oracle/bin/python3 tests/bench/tokenizer_throughput.py BUILD_DIR [TOKENIZER.json ...]
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"
from tokenizers import Tokenizer  # noqa: E402  (reads the environment)

source = Path(__file__).resolve().parents[2]
data = source.parent / "shared" / "data"
build = Path(sys.argv[1])
paths = [Path(p) for p in sys.argv[2:]] or [p for p in (
    data / "tokenizers" / "qwen2.5-coder" / "tokenizer.json",
    data / "tokenizers" / "deepseek-coder" / "tokenizer.json",
    source / ".deps" / "models" / "SmolLM2-135M-Instruct" / "tokenizer.json") if p.exists()]
tasks = data / "cudabench" / "cudabench-100.jsonl"
headers = sorted((source / ".deps" / "torch" / "include").rglob("*.cuh"))
corpora = {
    # The tasks repeat themselves (1,200 different words in all); LibTorch's headers do not.
    "CUDABench": [json.loads(t)["bench.cu"] for t in tasks.read_text().splitlines()]
                 if tasks.exists() else [],
    "LibTorch .cuh": [h.read_text() for h in headers],
}


def measure(path, peer, peer_load, name, texts):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as lines:
        lines.write("".join(json.dumps(t) + "\n" for t in texts))
        lines.flush()
        out = subprocess.run([build / "tests" / "tokenizer_throughput", path, lines.name, "20"],
                             stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    size, tokens, seconds, load = int(out[0]), int(out[1]), float(out[2]), float(out[3])
    best = float("inf")
    for _ in range(3):
        start = time.thread_time()
        count = sum(len(peer.encode(t, add_special_tokens=False).ids) for t in texts)
        best = min(best, time.thread_time() - start)
    assert count == tokens, (count, tokens)
    print(f"{path.parent.name}, {name}: cuset {size / seconds / 1e6:.1f} MB/s, tokenizers "
          f"{size / best / 1e6:.2f} MB/s, ratio {best / seconds:.1f}; load {load:.0f} ms against "
          f"{peer_load * 1e3:.0f} ms ({size} bytes, {tokens} tokens)")


for path in paths:
    start = time.thread_time()
    peer = Tokenizer.from_file(str(path))
    peer_load = time.thread_time() - start
    for name, texts in corpora.items():
        if texts:
            measure(path, peer, peer_load, name, texts)
