#!/usr/bin/env python3
"""cuset-curate: candidates and verdicts become pairs, duplicates and copies of a benchmark go, and every record
that goes has one reason. The expected values are worked out here, not by the tool."""

import functools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

import _host_runtime
import _tasks
import _tiny_model
from _tool import assert_exit, assert_that, built, environment, json_lines, room, run_tool

curate = built("cuset-curate")
seed = random.randrange(10**6)
print("seed", seed)
rng = random.Random(seed)


run = functools.partial(run_tool, curate, "--plain")


def records(text):
    return [json.loads(l) for l in text.splitlines()]


def curated(*words, data=b""):
    """What is kept and what is not, both as records."""
    done = run("-q", "--rejects", room / "rejects", *words, data=data)
    assert_exit(" ".join(map(str, words)), done, 0)
    return records(done.stdout), records((room / "rejects").read_bytes())


def reasons(rejects):
    return {r["id"]: r["curate"]["reason"] for r in rejects}


def write(name, rows):
    (room / name).write_bytes(json_lines(rows))
    return room / name


def program(n, body="x[i] += 1;", name="k"):
    return (f"__global__ void {name}(float* x, int n) {{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            f"  if (i < n) {{ {body} }}\n}}\nint main() {{ {name}<<<{n}, 256>>>(nullptr, 0); return 0; }}\n")


# ---- pairs: duplicates, their representatives, and that nothing else changes ----
def pair(id, code, **more):
    return {"id": id, "prompt": f"Write {id}.", "response": f"```cuda\n{code}```", "big": 2**62 + 1, **more}


first, second = program(1), program(2, "x[i] = sqrtf(x[i]) * blockDim.y - 3 * x[i];", "other")
given = [pair("a", first), pair("b", "// by somebody\n" + first.replace("\n", "\n\n")), pair("c", second),
         pair("d", first.replace("k(", "kernel(").replace("k<", "kernel<"))]
kept, rejects = curated("--duplicates", "exact", data=given)
assert_that("exact duplicates", [r["id"] for r in kept] == ["a", "c", "d"] and reasons(rejects) == {"b": "exact_duplicate"},
            kept, rejects)
assert_that("what it is a duplicate of", rejects[0]["curate"]["of"] == "a" and kept[0]["curate"]["duplicates"] == 1)
assert_that("other fields stay", all({k: v for k, v in r.items() if k != "curate"} in given for r in kept + rejects))
raw = run("-q", "--duplicates", "none", data=b'{"n": 1.50, "prompt":"p","response" : "int a;"}\n').stdout
assert_that("bytes stay", raw.startswith(b'{"n": 1.50, "prompt":"p","response" : "int a;","curate":{"kept":true'), raw)
kept, rejects = curated("--duplicates", "exact", "--ignore", "comments,space,names", data=given)
assert_that("names ignored", reasons(rejects) == {"b": "exact_duplicate", "d": "exact_duplicate"}, rejects)
kept, rejects = curated("--ignore", "none", "--duplicates", "exact", data=given)
assert_that("nothing ignored", len(kept) == 4, rejects)
near = [pair("a", first + "void f() { int a = 0, b = 1, c = 2; use(a, b, c); }\n" * 6), pair("c", second)]
near.append(pair("e", near[0]["response"][8:-3] + "int one_more;\n"))
kept, rejects = curated(data=near)
assert_that("near duplicates", reasons(rejects) == {"e": "near_duplicate"}, rejects)
index = rejects[0]["curate"]["similar"]
assert_that("its Jaccard index", 0.8 <= index < 1, index)
kept, rejects = curated("--similar", str(index + 1e-4), data=near)
assert_that("above its index", len(kept) == 3, rejects)
kept, rejects = curated("--similar", str(index - 1e-4), data=near)
assert_that("below its index", len(kept) == 2, rejects)
kept, rejects = curated("--pick", "shortest", data=[near[2], near[0]])
assert_that("the shorter one stands for both", [r["id"] for r in kept] == ["a"] and rejects[0]["curate"]["of"] == "a")
kept, rejects = curated("--similar", "1", data=near)
assert_that("not the same", len(kept) == 3, rejects)

# Written again, a curate field is replaced.
once, _ = curated(data=given)
again, _ = curated(data=once)
assert_that("curated twice", len(again) == len(once) and all(list(r).count("curate") == 1 for r in again))

# ---- random pairs against a plain reckoning: components of exact Jaccard indices ----
words = [f"v{i}" for i in range(40)]


def random_code():
    return " ".join(rng.choice(words) + rng.choice("+-*;=") for _ in range(rng.randrange(20, 60)))


def shingles(code):
    tokens = re.findall(r"\w+|\S", code)
    return {tuple(tokens[i:i + 5]) for i in range(max(1, len(tokens) - 4))}


codes = []
for _ in range(60):
    code = random_code()
    for _ in range(rng.randrange(1, 4)):
        codes.append(code)
        pieces = code.split(" ")
        pieces[rng.randrange(len(pieces))] = rng.choice(words) + ";"
        code = " ".join(pieces)
rng.shuffle(codes)
pairs = [{"id": f"r{i}", "prompt": "p", "response": c} for i, c in enumerate(codes)]
sets = [shingles(c) for c in codes]
root = list(range(len(codes)))
for i in range(len(codes)):
    for j in range(i):
        if len(sets[i] & sets[j]) >= 0.8 * len(sets[i] | sets[j]) and root[i] != root[j]:
            old, new = max(root[i], root[j]), min(root[i], root[j])
            root = [new if r == old else r for r in root]
kept, rejects = curated(data=pairs)
assert_that("the first of each component is kept", [r["id"] for r in kept] == [f"r{i}" for i in sorted(set(root))])
assert_that("every record is told of", len(kept) + len(rejects) == len(pairs))
outputs = {run("-q", "-t", t, data=pairs).stdout for t in (1, 2, 5)}
assert_that("the same bytes at any number of threads", len(outputs) == 1)
for r in pairs:
    r["task"] = rng.randrange(20)
whole, whole_rejects = curated("--pick", "shortest", "--most", "2", data=pairs)
parts, part_rejects = [], []
for i in range(3):
    kept, rejects = curated("--pick", "shortest", "--most", "2", "--shard", f"{i}/3", data=pairs)
    parts += kept
    part_rejects += rejects
by_id = lambda rows: sorted(map(json.dumps, rows))
assert_that("shards are the whole", by_id(parts) == by_id(whole) and by_id(part_rejects) == by_id(whole_rejects))

# ---- against a benchmark ----
task = dict(_tasks.scaling(3), **{"id": 31, "bench.cu": program(7, "x[i] = x[i] * 2 + n - sqrtf(x[i]);", "scale_it"),
            "level1_prompt": "Multiply each of the four thousand values in the given array by the number three in place."})
bench = write("bench.jsonl", [task])
copy = re.sub(r"\bx\b", "values", task["bench.cu"]).replace("scale_it", "f").replace("int i ", "int at ").replace(
    "(i <", "(at <").replace("[i]", "[at]").replace("values[", "/* mine */ values[")
asks = [pair("words", second), pair("copy", copy), pair("clean", second + "int a;"), pair("run", "int b;\n" + task["bench.cu"])]
asks[0]["prompt"] = "Please: multiply each of the four thousand values in the given array by the number five."
kept, rejects = curated("--against", bench, "--duplicates", "none", data=asks)
assert_that("only the clean one is kept", [r["id"] for r in kept] == ["clean"], kept, rejects)
reported = {r["id"]: r["curate"] for r in rejects}
assert_that("how they share", {k: v["by"] for k, v in reported.items()} ==
            {"words": "words", "copy": "similar code", "run": "tokens"}, reported)
assert_that("which task", all(t["task"] == "31" and t["file"] == str(bench) for t in reported.values()))
assert_that("the shared text", reported["words"]["shared"] == "multiply each of the four thousand values in the given array by the")
kept, _ = curated("--against", bench, "--ngram", "16", "--duplicates", "none", data=asks[:1])
assert_that("shorter runs may be shared", len(kept) == 1)

# Other code than the program counts too: further blocks, drafts in the reasoning, what the prompt or an earlier turn shows.
block = f"```cuda\n{copy}```"
shown = [dict(pair("second block", second), response=f"```cuda\n{second}```\nOr so:\n{block}"),
         dict(pair("draft", second), response=f"<think>Perhaps\n{block}\n</think>\n```cuda\n{second}```"),
         dict(pair("in the prompt", second), prompt=f"Make this faster:\n{block}\n"),
         {"id": "earlier turn", "messages": [{"role": "user", "content": "Go."}, {"role": "assistant", "content": block},
                                             {"role": "user", "content": "On."}, {"role": "assistant", "content": second}]}]
kept, rejects = curated("--against", bench, "--duplicates", "none", data=shown)
assert_that("all code of a pair is compared", {r["id"]: r["curate"]["by"] for r in rejects} ==
            {r["id"]: "similar code" for r in shown}, kept, rejects)
fenced = write("fenced.jsonl", [{"id": 5, "response": f"This is how:\n```cuda\n{task['bench.cu']}```\nIt multiplies all values at once. " * 3}])
_, rejects = curated("--against", fenced, "--duplicates", "none", data=asks)
assert_that("a benchmark's answer with text around its code", set(reasons(rejects)) == {"copy", "run"}, rejects)
(room / "none.jsonl").write_bytes(b"\n")
assert_exit("a benchmark of nothing", run("-q", "--against", room / "none.jsonl", data=asks), 1, "without a task")

# ---- checks of a record by itself ----
token = "ghp_" + "a" * 36
singles = [
    ("short", "int a;", "too_short"), ("long", "int a;" * 200, "too_long"),
    ("hip", '#include <hip/hip_runtime.h>\n' + first, "language"), ("none", "int main() { return 0; }" + " " * 30, "no_kernel"),
    ("talk", first + "// " + "talk " * 100 + "\n", "comments"),
    ("gpl", "// SPDX-License-Identifier: GPL-3.0-only\n" + first, "license"),
    ("mit", "// SPDX-License-Identifier: MIT\n" + first, None), ("key", first + f'auto k = "{token}";\n', "secret"),
    ("home", first + 'auto p = "/home/ann/x.bin";\n', "own_path"), ("good", first, None)]
kept, rejects = curated(
    "--shortest", 40, "--longest", 900, "--lang", "cuda", "--kernels", 1, "--comments-most", 0.5, "--license",
    "allow=MIT,none", "--no-secrets", "--no-paths", "--duplicates", "none",
    data=[{"id": i, "prompt": "p", "response": c} for i, c, _ in singles])
assert_that("checks", reasons(rejects) == {i: why for i, _, why in singles if why}, reasons(rejects))
_, rejects = curated("--no-secrets", "--no-paths", data=[
    {"id": i, "messages": [{"role": "user", "content": "Go."}, {"role": "assistant", "content": text}, {"role": "user", "content": "On."},
                           {"role": "assistant", "content": first}]} for i, text in (("s", token), ("p", "/mnt/data/x.bin"))])
assert_that("earlier turns too", reasons(rejects) == {"s": "secret", "p": "own_path"}, rejects)
kept, _ = curated("--license", "allow=mit,apache-2.0", "--duplicates", "none", data=[
    {"id": i, "prompt": "p", "response": f"// SPDX-License-Identifier: {i}\nint a;"}
    for i in ("MIT", "Apache-2.0 OR GPL-2.0-only", "MIT AND GPL-2.0-only", "(MIT)", "Mit", "MIT-0")])
assert_that("names of licences have no case", [r["id"] for r in kept] == ["MIT", "Apache-2.0 OR GPL-2.0-only", "Mit"], kept)
odd = [{"id": str(i), "task": 1, "sample": s, "prompt": "p", "response": f"int a{i};"} for i, s in enumerate((-1, 1e300, "x", [1], 5))]
kept, rejects = curated("--pick", "first", data=odd)
assert_that("a sample that is none", [r["id"] for r in kept] == ["0"] and len(rejects) == 4, kept)
assert_that("the key is not told", token not in json.dumps([r["curate"] for r in rejects]))
kept, rejects = curated("--code", data=[{"id": 1, "prompt": "p", "response": "I cannot."}])
assert_that("no code", [r["curate"]["reason"] for r in rejects] == ["no_code"])

# ---- bad lines, cut streams ----
bad = b'{"id":"x","prompt":"p","response":"int a;"}\n{"id":"y"\n\xff\n{"id":"z","prompt":"p"}\n{"response":"r"}\n'
done = run("-q", data=bad)
assert_exit("a bad line", done, 1, "standard input:2: ")
assert_that("nothing was written", done.stdout == b"", done.stdout)
done = run("-q", "--on-error=skip", "--rejects", room / "rejects", data=bad)
assert_that("bad lines are told and counted", done.returncode == 3 and b"4 of 5 records rejected" in done.stderr, done.stderr)
rejects = records((room / "rejects").read_bytes())
assert_that("bad lines are kept", [r["line"] for r in rejects] ==
            ['{"id":"y"', "\ufffd", '{"id":"z","prompt":"p"}', '{"response":"r"}'], rejects)
assert_that("why", all(r["curate"]["reason"] == "bad_record" for r in rejects) and
            rejects[2]["curate"]["message"].startswith('standard input:4: "response" is missing'), rejects)
packed = subprocess.run(["zstd", "-qc"], input=json_lines(given), capture_output=True).stdout
assert_exit("a cut stream", run("-q", data=packed[:-9]), 1)
assert_exit("--on-error=skip alone", run("--on-error=skip", data=b""), 2, "--rejects")
out = room / "kept.jsonl"
out.write_text("as it was")
assert_exit("a bad line with -o", run("-q", "-o", out, data=bad), 1)
assert_that("the file stays", out.read_text() == "as it was")
assert_exit("its own input", run("-q", "-o", bench, bench), 2, "the same file")
ask = room / "own.ask"
ask.write_text("--- user\n{prompt}\n")
assert_exit("its own ask", run("-q", "-o", ask, "--tasks", bench, "--ask", ask, data=b""), 2, "the same file")
missing = run("-q", data=given, TMPDIR=room / "missing")
assert_exit("no folder for temporary files", missing, 1, "missing")
assert_exit("its own benchmark", run("-q", "-o", bench, "--against", bench, data=b""), 2, "the same file")
assert_exit("a report over the input", run("-q", "--report", bench, bench), 2, "the same file")

# ---- report and dry run ----
done = run("--dry-run", "--report", room / "table", "--duplicates", "exact", data=given)
assert_that("a dry run writes no pairs", done.returncode == 0 and done.stdout == b"", done)
assert_exit("a dry run with -o", run("-q", "--dry-run", "-o", out, data=given), 0)
assert_that("the file stays in a dry run", out.read_text() == "as it was")
rows = [l.split() for l in (room / "table").read_text().splitlines()]
assert_that("the table", rows[1:] == [["read", "0", "4"], ["exact_duplicate", "1", "3"], ["kept", "0", "3"]], rows)
done = run(data=given)
assert_that("the table on stderr", b"cuset-curate: kept " in done.stderr, done.stderr)

# ---- likeliest, reasoning ----
scored = [{"id": i, "task": 1, "prompt": "p", "response": f"int {i};", "score": {"end": [4], "confidence": [c]}}
          for i, c in (("a", 0.3), ("b", 0.9), ("c", 0.5))]
kept, _ = curated("--pick", "likeliest", data=scored)
assert_that("the likeliest", [r["id"] for r in kept] == ["b"])
done = run("--pick", "likeliest", data=given)
assert_exit("without a score", done, 1, "score")
_tiny_model.write(room / "model")
# Each byte is a token of the tiny model.
thoughts = [{"id": i, "task": t, "prompt": "p", "response": f"<think>{'a' * n}</think>int {i};", "speedup": s}
            for i, t, n, s in (("a", 1, 30, 1), ("b", 1, 10, 9), ("c", 1, 20, 2), ("d", 2, 50, 1))]
kept, rejects = curated("--tokenizer", room / "model", "--thought-most", 40, "--difficulty", data=thoughts)
assert_that("long thoughts", reasons(rejects) == {"d": "long_thought"}, rejects)
assert_that("difficulty", [r["curate"]["difficulty"] for r in kept] == [20, 20, 20] and
            [r["curate"]["thought"] for r in kept] == [30, 10, 20], kept)
kept, _ = curated("--tokenizer", room / "model", "--preset", "concur", data=thoughts)
assert_that("the shortest reasoning", [r["id"] for r in kept] == ["b", "d"], kept)
thoughts[1]["speedup"], thoughts[0]["speedup"] = 1, 5
kept, _ = curated("--tokenizer", room / "model", "--preset", "concur", "--speed-up", 4, data=thoughts)
assert_that("and the large speed-up", [(r["id"], r["curate"]["why"][-9:]) for r in kept] ==
            [("a", "fast of 3"), ("b", "cise of 3"), ("d", "cise of 1")], kept)
for speed, words, wanted in ((5, [], ["b", "d"]), (5.01, [], ["a", "b", "d"]), (5.01, ["--speed-up", 6], ["b", "d"]), (9, ["--speed-up", 0], ["b", "d"])):
    thoughts[0]["speedup"] = speed
    kept, _ = curated("--tokenizer", room / "model", "--preset", "concur", *words, data=thoughts)
    assert_that(f"a speed-up of {speed} with {words}", [r["id"] for r in kept] == wanted, kept)
thoughts[0]["speedup"] = 1
cut = [dict(thoughts[0], id="none", response="int e;"), dict(thoughts[0], id="cut", response="<think>" + "a" * 45)]
_, rejects = curated("--tokenizer", room / "model", "--preset", "concur", data=thoughts + cut)
assert_that("no reasoning is not the shortest", reasons(rejects) == {"a": "not_picked", "c": "not_picked", "none": "no_thought",
                                                                     "cut": "not_picked"}, rejects)
_, rejects = curated("--tokenizer", room / "model", "--thought-most", 40, data=cut)
assert_that("reasoning that is cut off is long", reasons(rejects) == {"cut": "long_thought"}, rejects)

# ---- candidates and verdicts ----
tasks = [_tasks.scaling(i) for i in range(3)]
task_file = write("tasks.jsonl", tasks)
answers = [("0", 0, program(10)), ("0", 1, program(20, "x[i] *= 2; x[i] += 5; f(x);")), ("0", 2, program(30, "x[n - 1] = 0;")),
           ("1", 0, second), ("1", 1, "no code"), ("2", 0, first), ("9", 0, first)]
candidates = [{"task": int(t), "sample": s, "model": "m", "response": f"```cpp\n{c}```", "tokens": 2**53 + 1}
              for t, s, c in answers]
candidate_file = write("candidates.jsonl", candidates + candidates[:1])
hashes = {}


def verdict(task, sample, stage, failure, seconds=0.5, **more):
    return {"task": int(task), "sample": sample, "family": f"Scale_{task}", "stage": stage, "failure": failure,
            "diagnostic": "", "seconds": {"compile": 1, "run": seconds, "compare": 0}, "tokens": None, "key": "0" * 64,
            "task_hash": hashes.get(task, "1" * 64), "backend": "host", "toolchain": "g++ 12", "protocol": "cuset",
            "inputs": 1, **more}


rows = [verdict("0", 0, "correct", None, 0.9), verdict("0", 1, "correct", None, 0.1), verdict("0", 2, "correct", None, 0.5),
        verdict("1", 0, "ran", "wrong_output"), verdict("1", 1, "answered", "no_code")]
# The judge's own hash of a task, from a verdict on no program.
evaluate = built("cuset-eval")
_host_runtime.seed(room / "cache")
for t in "012":
    judged = room / f"judged{t}"
    done = subprocess.run([evaluate, "-q", "--compile-only", "--backend", "host", "--tasks", task_file, "--verdicts", judged],
                          input=json_lines([{"task": int(t), "sample": 0, "response": "No."}]), capture_output=True,
                          env=environment(XDG_CACHE_HOME=room / "cache"))
    if not judged.exists() or not judged.read_bytes():
        print("no judge here, so no verdicts:", done.stderr.decode())
        sys.exit()
    hashes[t] = records(judged.read_bytes())[0]["task_hash"]
rows = [dict(r, task_hash=hashes[str(r["task"])]) for r in rows]
join = ["--tasks", task_file, "--verdicts", write("verdicts.jsonl", rows)]
kept, rejects = curated(*join, candidate_file)
assert_that("who is right", [r["id"] for r in kept] == ["0/0", "0/1", "0/2"], kept)
assert_that("why not", [(r["id"], r["curate"]["reason"]) for r in rejects] ==
            [("1/0", "failed"), ("1/1", "failed"), ("2/0", "no_verdict"), ("9/0", "no_task"), ("0/0", "repeated")], rejects)
assert_that("stage and failure", rejects[0]["curate"]["stage"] == "ran" and rejects[0]["curate"]["failure"] == "wrong_output")
shown = subprocess.run([curate, "--plain", "-q", *map(str, join), "--ask", "plain"], input=json_lines(candidates[:1]),
                       capture_output=True, env=environment())
assert_that("asked plainly", records(shown.stdout)[0]["prompt"] == tasks[0]["level1_prompt"], shown)
assert_that("a pair", kept[0]["response"] == candidates[0]["response"] and kept[0]["tokens"] == 2**53 + 1 and
            kept[0]["task"] == 0 and kept[0]["family"] == "Scale_0" and "Multiply each of 64 values by 0." in kept[0]["prompt"] and
            "Ω1" in kept[0]["prompt"], kept[0])
for rule, wanted in (("shortest", "0/0"), ("fastest", "0/1"), ("first", "0/0")):
    picked, _ = curated(*join, "--pick", rule, candidate_file)
    assert_that(f"the {rule}", [r["id"] for r in picked] == [wanted], picked)
picked, _ = curated(*join, "--pick", "fastest", "--most", 2, candidate_file)
assert_that("two of each task", [r["id"] for r in picked] == ["0/1", "0/2"], picked)
# ConCuR: the shortest reasoning, if its program is the fastest too. Wrong answers count for the difficulty.
for lengths, wanted in (((10, 20, 30), []), ((20, 10, 30), ["0/1"]), ((20, 20, 30), ["0/1"]), ((20, 20, 10), [])):
    thinking = [dict(c, response=f"<think>{'a' * n}</think>{c['response']}")
                for c, n in zip(candidates, (*lengths, 400, 100, 1, 1))]
    picked, left = curated(*join, "--tokenizer", room / "model", "--preset", "concur", "--difficulty", data=thinking)
    assert_that(f"concise and fast: {lengths}", [r["id"] for r in picked] == wanted, picked, left)
    reported = {r["id"]: (r["curate"]["reason"], r["curate"].get("of")) for r in left if r["id"][:2] == "0/"}
    assert_that("why the others go", reported == {f"0/{i}": ("not_picked", wanted[0] if wanted else None) for i in range(3)
                                              if f"0/{i}" not in wanted}, reported)
    hard = {r["id"]: r["curate"].get("difficulty") for r in picked + left}
    assert_that("difficulty of right and wrong answers", abs(hard["0/2"] - sum(lengths) / 3) < 1e-3 and hard["1/0"] == hard["1/1"] == 250, hard)
picked, _ = curated(*join, "--stage", "ran", candidate_file)
assert_that("what ran", [r["id"] for r in picked] == ["0/0", "0/1", "0/2", "1/0"], picked)
assert_exit("verdicts of no --check", run("-q", *join, "--stage", "checked", candidate_file), 2, "--check")
compiled_rows = [dict(r, stage="compiled", failure="crash") if r["sample"] == 2 else r for r in rows]
picked, rejects = curated("--tasks", task_file, "--verdicts", write("compiled.jsonl", compiled_rows), "--stage", "compiled",
                          candidate_file)
assert_that("what compiled", [r["id"] for r in picked] == ["0/0", "0/1", "0/2", "1/0"] and reasons(rejects)["1/1"] == "failed", picked)
for stage in ("ran", "correct"):
    picked, rejects = curated("--tasks", task_file, "--verdicts", room / "compiled.jsonl", "--stage", stage, candidate_file)
    assert_that(f"a crash is below {stage}", reasons(rejects)["0/2"] == "failed", picked)
unrun = write("unrun.jsonl", [dict(r, backend="compile-only", stage="compiled", failure=None) for r in rows])
picked, _ = curated("--tasks", task_file, "--verdicts", unrun, "--stage", "compiled", candidate_file)
assert_that("verdicts of --compile-only", len(picked) == 5, picked)
assert_exit("they tell no more", run("-q", "--tasks", task_file, "--verdicts", unrun, candidate_file), 2, "--stage compiled alone")
# The verdicts of --check: a program with a finding is not kept.
found = {"stage": "ran", "failure": "race"}
checked = write("checked.jsonl", [dict(r, toolchain="g++ 12, checked, -O2") | (found if r["sample"] == 1 else {}) for r in rows])
picked, rejects = curated("--tasks", task_file, "--verdicts", checked, "--stage", "checked", candidate_file)
assert_that("what passes --check", [r["id"] for r in picked] == ["0/0", "0/2"] and reasons(rejects)["0/1"] == "failed", picked, rejects)
stale = [dict(r, task_hash="2" * 64) if r["task"] == 0 else r for r in rows]
_, rejects = curated("--tasks", task_file, "--verdicts", write("stale.jsonl", stale), candidate_file)
assert_that("the task has changed", sum(r["curate"]["reason"] == "other_task" for r in rejects) == 3, rejects)
unjudged = [dict(r, stage="compiled", failure="unsupported") if r["task"] == 0 else r for r in rows]
_, rejects = curated("--tasks", task_file, "--verdicts", write("unjudged.jsonl", unjudged), candidate_file)
assert_that("nobody can tell", sum(r["curate"]["reason"] == "not_judged" for r in rejects) == 3, rejects)
(room / "cut.jsonl").write_bytes((room / "verdicts.jsonl").read_bytes()[:-40])
assert_exit("cut verdicts", run("-q", "--tasks", task_file, "--verdicts", room / "cut.jsonl", candidate_file), 1, "cut.jsonl:5: ")
assert_exit("two files of one verdict", run("-q", *join, *join[2:], candidate_file), 2, "no parts of one sharded run")
parts = ["--tasks", task_file, "--verdicts", write("v1.jsonl", rows[:2]), "--verdicts", write("v2.jsonl", rows[2:])]
assert_that("verdicts in parts", curated(*parts, candidate_file)[0] == kept)
results = [{"id": 0, "code1": program(10), "response1": "text", "code2": "", "response2": "```cpp\n" + program(20, "f();") + "```"}]
kept, _ = curated(*join, data=results)
assert_that("CUDABench's results", [(r["id"], r["response"].startswith("```cpp\n__global__")) for r in kept] ==
            [("0/0", True), ("0/1", True)], kept)

# ---- odd records: nothing to read, one id for all, verdicts without candidates ----
kept, rejects = curated(data=[{"id": i, "prompt": "p", "response": text} for i, text in enumerate(("", "", " ", "I cannot.", "I  cannot."))])
assert_that("nothing to read", [r["id"] for r in kept] == [0, 2, 3] and reasons(rejects) == {1: "exact_duplicate", 4: "exact_duplicate"}, kept, rejects)
kept, rejects = curated("--code", data=[{"id": i, "prompt": "p", "response": text} for i, text in enumerate(("", " ", "I cannot."))])
assert_that("no program", set(reasons(rejects).values()) == {"no_code"} and len(rejects) == 3, rejects)
kept, rejects = curated(data=[{"id": "same", "prompt": "p", "response": f"int a{i % 3};"} for i in range(9)])
assert_that("one id for all", len(kept) == 3 and len(rejects) == 6, kept)
absent = [verdict("0", 7, "correct", None), verdict("2", 3, "correct", None), verdict("77", 0, "correct", None)]
kept, rejects = curated("--tasks", task_file, "--verdicts", write("more.jsonl", rows + [dict(r, task_hash=hashes.get(str(r["task"]), "1" * 64))
                                                                                     for r in absent]), candidate_file)
assert_that("verdicts without candidates", [r["id"] for r in kept] == ["0/0", "0/1", "0/2"] and len(kept) + len(rejects) == 8, kept)
same = json_lines([pair("i", first)]) * 20_000
done = run("-q", data=same)
assert_that("many of one", done.returncode == 0 and records(done.stdout)[0]["curate"]["duplicates"] == 19_999, done.stderr)
large = " ".join(f"a{rng.randrange(10**6)} = b{i};" for i in range(60_000))
for words in ([], ["--against", bench, "--no-secrets", "--no-paths", "--license", "allow=none", "--comments-most", 1]):
    kept, rejects = curated(*words, data=[{"id": i, "prompt": "p", "response": large + end} for i, end in (("a", ""), ("b", "int z;"))])
    assert_that(f"a megabyte {words}", reasons(rejects) == {"b": "near_duplicate"}, rejects)

# ---- programs that do not compile, and shards that compile only what is theirs ----
broken = [dict(pair("a", "__global__ void f() { oh }\n"), task=1), dict(pair("b", first + "int a_longer_program_than_the_other;\n"), task=1),
          pair("part", "__global__ void part(float* x) { helper(x); }\n".replace("helper(x)", "x[0] = 1"))]
words = ["--compile", "--backend", "host", "--pick", "shortest"]
cache = {"XDG_CACHE_HOME": room / "cache"}
done = run("-q", *words, "--rejects", room / "rejects", data=broken, **cache)
assert_that("what compiles", done.returncode == 0 and [r["id"] for r in records(done.stdout)] == ["b", "part"], done)
assert_that("what does not", reasons(records((room / "rejects").read_bytes())) == {"a": "not_compiled"})
# "a" and "b" hash to different shards, but are one task.
shards = [records(run("-q", *words, "--shard", f"{i}/2", data=broken, **cache).stdout) for i in (0, 1)]
assert_that("shards that compile", by_id(shards[0] + shards[1]) == by_id(records(done.stdout)), shards)

# The same with nvcc: one program compiles with a flag alone.
nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
if pathlib.Path(nvcc).exists():
    needy = [dict(r) for r in broken]
    needy[1]["response"] = needy[1]["response"].replace("int a_longer", "#ifndef HELPED\noh\n#endif\nint a_longer")
    cuda = dict(cache, PATH=f"{pathlib.Path(nvcc).parent}:{os.environ['PATH']}")
    for words, wanted in (([], ["part"]), (["--nvcc-flags=-DHELPED"], ["b", "part"])):
        done = run("-q", "--compile", "--backend", "gpu", "--arch", "sm_90", *words, "--pick", "shortest", "--rejects", room / "rejects",
                   data=needy, **cuda)
        assert_that(f"what nvcc compiles {words}", done.returncode == 0 and [r["id"] for r in records(done.stdout)] == wanted, done)
        assert_that("what nvcc does not", reasons(records((room / "rejects").read_bytes()))["a"] == "not_compiled")
else:
    print("not shown here: nvcc, which is not installed")

for words, fault in ((["--verdicts", "x"], "--tasks"), (["--stage", "ran"], "--verdicts"), (["--ask", "plain"], "--tasks"),
                     (["--similar", "0"], "--similar"), (["--ignore", "names"], "--ignore"), (["--thought-most", "3"], "--tokenizer"),
                     (["--preset", "concur"], "--tokenizer"), (["--license", "MIT"], "allow="), (["--arch", "sm_90"], "--compile"),
                     (["--ngram", "9"], "--against"), (["--speed-up", "2"], "--preset"), (["--pick", "fastest"], "--verdicts"),
                     (["--compile-timeout", "3"], "--compile"),
                     ([*join, "--pick", "fastest", "--stage", "compiled"], "--stage compiled")):
    assert_exit(" ".join(map(str, words)), run(*words), 2, fault)
