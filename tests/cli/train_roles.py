"""What --sensitive and --comments make of each token. The masks, the windows and the weights that cuset-train shows
are compared with those that this script computes, character by character, from the roles of cuset-tag and from the
token ends and confidences of cuset-score."""

import itertools
import json
import math
import os
import pathlib
import random
import subprocess

import _tiny_model as tiny
from _tool import assert_exit, assert_that, built, environment, room
from _train import adapter, run

roles = ["index", "bound", "memory", "sync", "launch", "transfer", "arithmetic", "host", "comment"]
sensitive_roles = roles[:5]
size, tau = 24, 0.0038

# Tokens of several bytes, some of which reach over the end of a run or of a comment.
pairs = ["//", "Ġ/", ";Ċ", "ĠĠ", "ĊĠ", "id", "in", "re", "]Ġ", "/*", "*/", "x["]
tiny.vocabulary.extend(pairs)
words = tiny.tokenizer()
words["model"]["merges"] = [f"{a[0]} {a[1]}" for a in pairs]
model = tiny.write(room / "model", words=words)

source = pathlib.Path(os.environ["CUSET_SOURCE"])
examples = [json.loads(line) for line in open(source / "examples" / "pairs.jsonl", encoding="utf-8")]
seed = int.from_bytes(os.urandom(4), "little")
print("seed", seed)
random.seed(seed)
chosen = random.sample(examples, 3)
for i, record in enumerate(chosen):  # a part of each, which begins and ends anywhere
    text = record["response"]
    start = random.randrange(max(1, len(text) - 900))
    chosen[i] = {"id": f"part-{i}", "prompt": "x", "response": text[start:start + 900]}
code = """// Größe: scales x
__global__ void f(float* x, int n) {  // a comment in the kernel
  int i = blockIdx.x * blockDim.x + threadIdx.x; /* another */
  if (i < n) x[i] *= 2.f;
}
/* f<<<1, 2>>>(x, n) is no launch */
void g(float* x, int n) { f<<<(n + 31) / 32, 32>>>(x, n); }
"""
chosen.append({"id": "own", "prompt": "scale", "response": code})
chosen.append({"id": "comments alone", "prompt": "talk", "response": "// nothing\n/* else */"})


def piped(tool, records, *options):
    done = subprocess.run([built(tool), "--plain", "-q", *options], capture_output=True, env=environment(), check=True,
                          input="".join(json.dumps(r) + "\n" for r in records).encode())
    return [json.loads(line) for line in done.stdout.splitlines()]


scored = piped("cuset-score", piped("cuset-tag", chosen, "--roles", "--lang=cuda"), "--model", model,
               "--template=chatml", "--device=cpu", "-t1")


def role_of(record, begin, end):
    """Of the first byte that is no white space."""
    text = record["response"].encode()
    solid = [i for i in range(begin, end) if text[i] > 32]
    return next((r for r, b, e in record["tag"]["roles"] if solid and b <= solid[0] < e), None)


def wanted(record, named, drops):
    """CUDA mask, what windows count, coefficients and weight."""
    ends, confidence = record["score"]["end"], record["score"]["confidence"]
    begins = [0, *ends[:-1]]
    found = [role_of(record, b, e) for b, e in zip(begins, ends, strict=True)]
    if named is None:
        cuda = [any(b < s["end"] and e > s["begin"] for s in record["tag"]["spans"]) and b < e
                for b, e in zip(begins, ends, strict=True)]
    else:
        cuda = [r in named for r in found]
    kept = [not drops or r != "comment" for r in found]
    cuda = [c and k for c, k in zip(cuda, kept, strict=True)]
    c = [p for p, k in zip(confidence, kept, strict=True) if k]
    means = [sum(c)] if len(c) < size else []
    for t in range(1, len(c) + 1) if len(c) >= size else ():
        first, last = max(1, t - size // 2), min(len(c), t + math.ceil(size / 2) - 1)
        means.append(sum(c[first - 1:last]) / (last - first + 1))
    if len(c) < size:
        means = [sum(c) / len(c)]
    weight = 1 - min(means)
    k = [weight * ((p > tau) + m) for p, m in zip(confidence, cuda, strict=True)]
    return cuda, kept, k, weight


def shown(record, *options):
    done = subprocess.run(
        [built("cuset-train"), "--model", model, "--template=chatml", "--device=cpu", "-t1", "-q", "--dry-run",
         "--max-steps=1", f"--size={size}", f"--tau={tau}", *options], capture_output=True, env=environment(),
        input=json.dumps(record).encode(), check=False)
    if done.returncode != 0:
        assert_that(f"{record['id']} {options}", False, done.stderr)
        return None
    lines = done.stdout.decode().splitlines()
    drops = "--comments=drop" in options
    rows = [line.split(maxsplit=6 if drops else 5) for line in lines if line.lstrip()[:1].isdigit()]
    weight = next(float(line.split()[-1]) for line in lines if line.startswith("kept "))
    return [r[3] == "+" for r in rows], [not drops or r[4] == "+" for r in rows], \
        [float(r[5 if drops else 4]) for r in rows], weight


settings = [(None, False), (None, True), (sensitive_roles, False), (sensitive_roles, True), (["memory"], True),
            (["comment", "host"], False)]
differ = set()
for record, (named, drops) in itertools.product(scored, settings):
    options = [] if named is None else ["--sensitive=roles"] if named is sensitive_roles else \
        [f"--sensitive=roles={','.join(named)}"]
    options += ["--comments=drop"] if drops else []
    name, got = f"{record['id']} {options}", shown(record, *options)
    if got is None:
        continue
    cuda, kept, k, weight = wanted(record, named, drops)
    assert_that(f"{name}: the CUDA mask", got[0] == cuda, [i for i, x in enumerate(cuda) if x != got[0][i]])
    assert_that(f"{name}: windows", got[1] == kept)
    assert_that(f"{name}: the weight", abs(got[3] - weight) < 1e-4, got[3], weight)
    close = [abs(p - tau) < 1e-6 for p in record["score"]["confidence"]]
    wrong = [(i, a, b) for i, (a, b) in enumerate(zip(got[2], k, strict=True))
             if not close[i] and abs(a - b) > 2e-3 * max(abs(b), 1e-3)]
    assert_that(f"{name}: coefficients", not wrong, wrong[:4])
    differ.add((tuple(got[0]), tuple(got[1])))
assert_that("the settings differ", len(differ) >= len(settings) + 8, len(differ))
assert_that("comments change a weight", any(abs(wanted(r, None, True)[3] - wanted(r, None, False)[3]) > 2e-4 for r in scored))

# The options are settings of a run: run.json has them, and a run goes on with the same alone.
data = room / "tagged.jsonl"
data.write_text("".join(json.dumps(r) + "\n" for r in scored))
steps = ["--max-steps=4", "--save-every=2", "--lr=0.05", "--warmup=0", f"--tau={tau}", data]
mine = ["--sensitive=roles=sync,index", "--comments=drop"]
assert_exit("a run", run(model, room / "roles", *mine, *steps), 0, "sensitive roles=index,sync", "comments drop")
kept = json.loads((room / "roles/run.json").read_text())["settings"]
assert_that("run.json", (kept["sensitive"], kept["comments"]) == ("roles=index,sync", "drop"), kept)
assert_exit("the default", run(model, room / "spans", *steps), 0)
kept = json.loads((room / "spans/run.json").read_text())["settings"]
assert_that("spans are not told", "sensitive" not in kept and "comments" not in kept, kept)
assert_exit("spans", run(model, room / "named", "--sensitive=spans", "--comments=keep", *steps), 0)
assert_that("spans are the default", adapter(room / "named") == adapter(room / "spans"))
assert_that("roles train otherwise", adapter(room / "roles") != adapter(room / "spans"))
assert_exit("resumed with others", run(model, room / "other", "-q", f"--resume-from={room}/roles/checkpoint-2", *steps), 2,
            "sensitive", "comments")
assert_exit("resumed", run(model, room / "same", *mine, f"--resume-from={room}/roles/checkpoint-2", *steps), 0)
assert_that("the same bytes", adapter(room / "same") == adapter(room / "roles"))

# What is refused, in one line.
plain = room / "plain.jsonl"
plain.write_text("".join(json.dumps(r) + "\n" for r in piped("cuset-tag", chosen)))
for options in (["--sensitive=roles"], ["--comments=drop"]):
    assert_exit(f"no roles {options}", run(model, room / "no", *options, plain), 1,
                'plain.jsonl:1: "tag.roles" is missing (tag the records with cuset-tag --roles)')
strange = room / "strange.jsonl"
strange.write_text(json.dumps(scored[0] | {"tag": {"spans": [], "roles": [["spin", 0, 3]]}}) + "\n")
assert_exit("a strange role", run(model, room / "no", "--sensitive=roles", strange), 1, "no role is called spin")
strange.write_text(json.dumps(scored[0] | {"tag": {"spans": [], "roles": [["sync", 0, 30000]]}}) + "\n")
assert_exit("a role past the end", run(model, room / "no", "--comments=drop", strange), 1, "reach past the response")
for options, words in (
        (["--sensitive=kernels"], ["'kernels' is neither spans, roles nor roles=NAME,..."]),
        (["--sensitive=roles="], ["no role is called ''"]),
        (["--sensitive=roles=index,spin"], ["no role is called 'spin'", "comment"]),
        (["--sensitive=roles=index,index"], ["the role index stands twice"]),
        (["--sensitive=roles=comment", "--comments=drop"], ["exclude each other"]),
        (["--sensitive=roles", "--no-cuda-mask"], ["no effect with --no-cuda-mask"]),
        (["--sensitive=roles", "--objective=sft"], ["--sensitive has no effect with --objective sft"]),
        (["--comments=drop", "--objective=dft"], ["--comments has no effect with --objective dft"]),
        (["--comments=drop", "--no-cuda-mask", "--no-reweight"], ["--comments has no effect"])):
    assert_exit(f"refused {options}", run(model, room / "no", *options, data), 2, *words)
