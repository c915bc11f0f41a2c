"""The clusters of cuset-curate against datasketch: of the pairs that its MinHash LSH finds and whose exact Jaccard
index reaches the threshold, and of all pairs that reach it, at least 99 % are in one cluster. Clusters hold nothing
else than components of such pairs (text-dedup's method: banded MinHash, union-find, one of each cluster kept)."""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

try:
    from datasketch import MinHash, MinHashLSH
except ImportError:
    print("skipped: datasketch is absent (setup/setup.sh --oracles)")
    sys.exit(77)

curate = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-curate"
if not curate.exists():
    print("skipped: cuset-curate is not built")
    sys.exit(77)
seed = random.randrange(10**6)
print("seed", seed)
rng = random.Random(seed)

# Programs of the examples and mutations of them, some of whose tokens are changed.
lines = (pathlib.Path(os.environ["CUSET_SOURCE"]) / "examples/pairs.jsonl").read_text(encoding="utf-8").splitlines()
words = re.compile(r"\w+|[^\w\s]")
origins = [words.findall(json.loads(l)["response"]) for l in lines]
origins = [[w for w in o if re.fullmatch(r"[A-Za-z_]\w*", w) or w in "(){}[];,"] for o in origins]


def mutated(tokens):
    tokens = list(tokens)
    for _ in range(rng.randrange(0, max(2, len(tokens) // 30))):
        tokens[rng.randrange(len(tokens))] = f"w{rng.randrange(1000)}"
    return tokens


programs = []
for _ in range(int(os.environ.get("CUSET_LONG", "0")) * 1500 + 600):
    start = rng.choice(origins)
    at = rng.randrange(max(1, len(start) - 300))
    part = start[at:at + rng.randrange(40, 300)]
    programs += [mutated(part) for _ in range(rng.randrange(1, 4))]
rng.shuffle(programs)
sets = [{" ".join(p[i:i + 5]) for i in range(max(1, len(p) - 4))} for p in programs]


def jaccard(i, j):
    return len(sets[i] & sets[j]) / len(sets[i] | sets[j])


sketches = []
for s in sets:
    m = MinHash(num_perm=128, seed=seed)
    m.update_batch([t.encode() for t in s])
    sketches.append(m)
holders = {}
for i, s in enumerate(sets):
    for t in s:
        holders.setdefault(t, []).append(i)
near = {(i, j) for of in holders.values() if len(of) < 400 for i in of for j in of if i < j}
index = {p: jaccard(*p) for p in near}

failed = 0
for similar in (0.7, 0.8, 0.9):
    lsh = MinHashLSH(threshold=similar, num_perm=128)
    for i, m in enumerate(sketches):
        lsh.insert(i, m)
    theirs = {(min(i, j), max(i, j)) for i, m in enumerate(sketches) for j in lsh.query(m) if i != j}
    theirs = {p for p in theirs if jaccard(*p) >= similar}
    exact = {p for p in near if index[p] >= similar}

    with tempfile.TemporaryDirectory() as room:
        given = "".join(json.dumps({"id": str(i), "prompt": "p", "response": " ".join(p)}) + "\n"
                        for i, p in enumerate(programs))
        done = subprocess.run([curate, "-q", "--plain", "--similar", str(similar), "--rejects", f"{room}/r"],
                              input=given.encode(), capture_output=True, check=True)
        rejects = [json.loads(l) for l in open(f"{room}/r", encoding="utf-8")]
    cluster = list(range(len(programs)))
    for r in rejects:
        cluster[int(r["id"])] = int(r["curate"]["of"])
    root = list(range(len(programs)))

    def find(i):
        while root[i] != i:
            i = root[i]
        return i

    for i, j in exact | theirs:
        a, b = find(i), find(j)
        root[max(a, b)] = min(a, b)
    wrong = sum(find(i) != find(cluster[i]) for i in range(len(programs)))
    for name, pairs in (("datasketch", theirs), ("exact", exact)):
        joined = sum(cluster[i] == cluster[j] for i, j in pairs)
        print(f"similar {similar}: {joined} of {len(pairs)} pairs of {name}")
        if len(pairs) < 50 or joined < 0.99 * len(pairs):
            print("FAILED: recall")
            failed += 1
    if wrong:
        print(f"FAILED: {wrong} programs are in clusters to which no similar pair leads")
        failed += 1
sys.exit(failed > 0)
