#!/usr/bin/env python3
"""Measures cuset-curate: source bytes a second for exact and near duplicates against datasketch on the same programs,
and memory at many records. Times are seconds of processor, so that a busy machine counts little.

usage: CUSET_BIN=... .deps/oracle/bin/python3 tests/bench/curate_throughput.py [RECORDS]"""

import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

curate = pathlib.Path(os.environ.get("CUSET_BIN", "build/release/bin")) / "cuset-curate"
source = pathlib.Path(__file__).resolve().parents[2]
records = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
rng = random.Random(1)
room = tempfile.TemporaryDirectory()


def run(path, *words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.time()
    child = subprocess.Popen([curate, "-q", "-t", "1", *words, path, "-o", "/dev/null"])
    # Not the usage's own maximum, which begins with the memory of this process.
    most = 0
    while child.poll() is None:
        try:
            most = max(most, int(re.search(r"VmHWM:\s*(\d+)", pathlib.Path(f"/proc/{child.pid}/status").read_text())[1]))
        except (OSError, TypeError):
            pass
        time.sleep(0.05)
    assert child.returncode == 0, child.returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.time() - begin, most / 1024


def written(rows):
    path = os.path.join(room.name, "pairs.jsonl")
    size = 0
    with open(path, "w", encoding="utf-8") as out:
        for i, text in enumerate(rows):
            out.write(json.dumps({"id": str(i), "prompt": "p", "response": text}) + "\n")
            size += len(text.encode())
    return path, size


originals = [json.loads(l)["response"] for l in (source / "examples/pairs.jsonl").read_text(encoding="utf-8").splitlines()]
names = re.compile(r"\b[a-z]\w{2,}\b")


def program(i):
    text = originals[i % len(originals)]
    return text.replace(";", f";  // {i}", 1) if i % 3 else re.sub(r"\d+", lambda m: str(int(m[0]) + i), text)


path, size = written(program(i) for i in range(30_000))
for search in ("none", "exact", "near"):
    seconds, wall, memory = run(path, "--duplicates", search)
    print(f"{search}: {size / 1e6:.0f} MB of source, {seconds:.1f} s of processor, {size / 1e6 / seconds:.0f} MB/s, "
          f"{wall:.1f} s, {memory:.0f} MiB")

from datasketch import MinHash, MinHashLSH  # noqa: E402

count = 2000
some = []
for i in range(count):
    text = originals[i % len(originals)]
    some.append(names.sub(lambda m: m[0] if rng.random() > 0.02 else f"n{rng.randrange(10**6)}", text))
path, size = written(some)
token = re.compile(r"\w+|[^\w\s]")
shingles = []
for text in some:
    words = token.findall(text)
    shingles.append([" ".join(words[i:i + 5]).encode() for i in range(len(words) - 4)])
begin = time.process_time()
lsh = MinHashLSH(threshold=0.8, num_perm=128)
sketches = []
for i, s in enumerate(shingles):
    m = MinHash(num_perm=128)
    m.update_batch(s)
    lsh.insert(i, m)
    sketches.append(m)
pairs = sum(len(lsh.query(m)) for m in sketches)
theirs = time.process_time() - begin
ours, wall, memory = run(path, "--duplicates", "near")
print(f"near, {count} programs, {size / 1e6:.1f} MB: datasketch {theirs:.2f} s (from shingles), cuset-curate {ours:.2f} s "
      f"(from JSON): {theirs / ours:.1f} x")

path = os.path.join(room.name, "many.jsonl")
with open(path, "w", encoding="utf-8") as out:
    for i in range(records):
        a, b, c = (rng.randrange(10**6) for _ in range(3))
        if i % 10 == 9:
            a, b, c = last
        last = a, b, c
        out.write(f'{{"id":"{i}","prompt":"p","response":"__global__ void k{a}(float* x{b}, int n{c}) {{ int i = blockIdx.x * '
                  f'{a} + threadIdx.x; if (i < n{c}) x{b}[i] = x{b}[i] * {b} + s{a}(i, {c}); }} void r{b}(float* p, int m{a}) '
                  f'{{ k{a}<<<{c}, 256>>>(p, m{a}); check(cudaGetLastError(), \\"{b}\\"); }}"}}\n')
seconds, wall, memory = run(path, "--duplicates", "near")
print(f"{records} records of {os.path.getsize(path) / records:.0f} bytes: {seconds:.0f} s of processor, {wall:.0f} s, "
      f"{memory:.0f} MiB, {memory * 2**20 / records:.0f} bytes a record")
