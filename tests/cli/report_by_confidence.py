"""cuset-report --by-confidence on random candidates and verdicts, against a plain computation of the windows, of the
areas pair by pair and of their errors; ties, answers that are not counted, and what is refused."""

import functools
import hashlib
import json
import math
import os
import random
import re

from _tool import assert_exit, assert_that, built, room, run_tool

tool = built("cuset-report")
seed = int.from_bytes(os.urandom(4), "little")
print("seed", seed)
random.seed(seed)
size = 20


run = functools.partial(run_tool, tool)


def write(name, records):
    path = room / name
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


def candidate(task, sample, confidence):
    text = "x" * len(confidence)
    return {"task": task, "sample": sample, "response": text, "tokens": len(confidence), "score": {
        "model": "m", "end": [*range(1, len(text) + 1)], "id": [1] * len(text), "confidence": confidence}}


def verdict(c, family, kind):
    reached, why = {"pass": ("correct", None), "fail": ("ran", "wrong_output"), "syntax": ("extracted", "syntax_error"),
                    "unsupported": ("extracted", "unsupported"), "evaluator": ("compiled", "evaluator")}[kind]
    return {"task": c["task"], "sample": c["sample"], "family": family, "stage": reached, "failure": why,
            "diagnostic": "cudaFoo" if why == "unsupported" else "", "seconds": {"compile": 0, "run": 0, "compare": 0},
            "tokens": c["tokens"], "key": hashlib.sha256(f"{c['task']}/{c['sample']}".encode()).hexdigest(),
            "task_hash": hashlib.sha256(str(c["task"]).encode()).hexdigest(), "backend": "host", "toolchain": "g++"}


def drawn(tasks, families, samples, kinds=("pass", "fail", "syntax", "unsupported", "evaluator")):
    """Confidences on a grid, so that measures tie; answers that pass are somewhat surer."""
    made = []
    for task in range(tasks):
        hard = random.random()
        for sample in range(samples):
            kind = random.choices(kinds, [3 * hard, 2, 1, 0.4, 0.2][:len(kinds)])[0]
            lift = 0.3 if kind == "pass" else 0
            count = random.choice([1, 5, 19, 20, 21, 60])
            grid = random.choice([4, 100])
            c = [min(1, round(grid * (lift + 0.7 * random.random())) / grid) or 1e-5 for _ in range(count)]
            made.append((candidate(task, sample, c), f"family {task % families}", kind))
    return made


def hardest(c):
    """cuset-window's: full windows alone, or the whole answer."""
    if len(c) < size:
        return sum(c) / len(c)
    return min(sum(c[i:i + size]) / size for i in range(len(c) - size + 1))


def plain_area(rows, of_one_task):
    """Area and error, pair by pair. rows: (task, family, measure, passed)"""
    good, bad = [r for r in rows if r[3]], [r for r in rows if not r[3]]
    def wins(x, y):
        return (x[2] > y[2]) + 0.5 * (x[2] == y[2])
    pairs = [(x, y) for x in good for y in bad if not of_one_task or x[0] == y[0]]
    if not pairs:
        return None, None
    area = sum(wins(x, y) for x, y in pairs) / len(pairs)
    pull = {}
    if of_one_task:
        for x, y in pairs:
            pull[x[1]] = pull.get(x[1], 0) + (wins(x, y) - area) / len(pairs)
    else:
        for x in good:
            v = sum(wins(x, y) for y in bad) / len(bad)
            pull[x[1]] = pull.get(x[1], 0) + (v - area) / len(good)
        for y in bad:
            v = sum(wins(x, y) for x in good) / len(good)
            pull[y[1]] = pull.get(y[1], 0) + (v - area) / len(bad)
    squares = sum(d * d for d in pull.values())
    if len(pull) < 2 or squares < 1e-20:
        return area, None
    return area, math.sqrt(len(pull) / (len(pull) - 1) * squares)


def near(a, b):
    return (a is None) == (b is None) and (a is None or abs(a - b) <= 2e-6)


for i, shape in enumerate([(30, 30, 4), (12, 5, 6), (40, 8, 3), (3, 3, 2), (1, 1, 9), (8, 8, 1)]):
    made = drawn(*shape)
    if not any(kind in ("pass", "fail", "syntax") for _, _, kind in made):
        continue
    candidates = write(f"c{i}.jsonl", [c for c, _, _ in made])
    kept = [(c, f, k) for c, f, k in made if random.random() < 0.9] or made
    shuffled = random.sample(kept, len(kept))
    verdicts = write(f"v{i}.jsonl", [verdict(*m) for m in shuffled])
    counted = [(c, f, k == "pass") for c, f, k in kept if k not in ("unsupported", "evaluator")]
    done = run("--by-confidence", "--json", f"--size={size}", "--verdicts", verdicts, candidates)
    if not counted:
        assert_exit(f"{shape}: none", done, 1, "no candidates with a verdict")
        continue
    assert_exit(f"{shape}", done, 0)
    if done.returncode != 0:
        continue
    got = json.loads(done.stdout)
    wanted = {"answers": len(counted), "passed": sum(p for _, _, p in counted),
              "tasks": len({c["task"] for c, _, _ in counted}), "families": len({f for _, f, _ in counted}),
              "unsupported": sum(k == "unsupported" for _, _, k in kept),
              "not_judged": sum(k == "evaluator" for _, _, k in kept), "no_verdict": len(made) - len(kept)}
    assert_that(f"{shape}: counts", {k: got[k] for k in wanted} == wanted, got, wanted)
    for m, measure in enumerate([hardest, lambda c: sum(c) / len(c), lambda c: -len(c)]):
        rows = [(c["task"], f, round(measure(c["score"]["confidence"]), 12), p) for c, f, p in counted]
        for name, of_one_task in (("all", False), ("of_one_task", True)):
            found, (area, error) = got["measures"][m][name], plain_area(rows, of_one_task)
            assert_that(f"{shape}: {m} {name}", near(found["auc"], area) and near(found["error"], error), found, area, error)
            if error:
                assert_that(f"{shape}: {m} {name} interval", 0 <= found["low"] < area < found["high"] <= 1, found)
    ordered = sorted((hardest(c["score"]["confidence"]), p) for c, _, p in counted)
    cuts = [len(ordered) * q // 4 for q in range(5)]
    parts = [ordered[a:b] for a, b in zip(cuts, cuts[1:]) if a < b]
    assert_that(f"{shape}: quarters", [q["answers"] for q in got["quarters"]] == [len(p) for p in parts]
                and all(abs(q["low"] - p[0][0]) < 1e-5 and abs(q["high"] - p[-1][0]) < 1e-5
                        for q, p in zip(got["quarters"], parts)), got["quarters"])

# The text says the same, and a share has its counts.
text = run("--by-confidence", f"--size={size}", "--verdicts", room / "v0.jsonl", room / "c0.jsonl").stdout.decode()
got = json.loads(run("--by-confidence", "--json", f"--size={size}", "--verdicts", room / "v0.jsonl",
                     room / "c0.jsonl").stdout)
area = got["measures"][0]["all"]
shown = re.search(r"^hardest window +([\d.]+)(?:  \[([\d.]+), ([\d.]+)\])? ", text, re.M)
# The JSON has six digits, so that its number may round to the neighbour of the text's. An area of 1 has no interval.
assert_that("text", shown and all(x is area[k] is None or abs(float(x) - area[k]) < 5.2e-5
                                  for x, k in zip(shown.groups(), ("auc", "low", "high"))), text, area)
assert_that("its counts", f"{got['answers']} answers to {got['tasks']} tasks of {got['families']} families, {got['passed']} of "
            "them passed" in text
            and all((f"{name:11} {got[key]}, not counted" in text) == (got[key] > 0) for name, key in (
                ("unsupported", "unsupported"), ("not judged", "not_judged"), ("no verdict", "no_verdict"))), text)

# A perfect measure, and nothing to foretell.
two = [(candidate(t, s, [0.9 if s else 0.2] * 30), f"f{t}", "pass" if s else "fail") for t in range(4) for s in (0, 1)]
c, v = write("two.jsonl", [m[0] for m in two]), write("two.v.jsonl", [verdict(*m) for m in two])
done = run("--by-confidence", "--json", "--verdicts", v, c)
best = json.loads(done.stdout)["measures"][0]
assert_that("perfect", best["all"] == best["of_one_task"] == {"auc": 1, "low": None, "high": None, "error": None}, best)
assert_that("perfect, as text", b"hardest window     1.0000" in run("--by-confidence", "--verdicts", v, c).stdout)
v = write("none.v.jsonl", [verdict(*m[:2], "fail") for m in two])
done = run("--by-confidence", "--json", "--verdicts", v, c)
assert_exit("none passed", done, 0, "no answer passed: there is nothing to predict")
assert_that("none passed", json.loads(done.stdout)["measures"][0]["all"]["auc"] is None, done.stdout)

# Shards are parts.
v = room / "v0.jsonl"
parts = [json.loads(run("--by-confidence", "--json", "--shard", f"{i}/2", "--verdicts", v, room / "c0.jsonl").stdout)
         for i in range(2)]
assert_that("shards", sum(p["answers"] for p in parts) == got["answers"] and all(p["answers"] for p in parts), parts)

# What is refused, by name.
bare = [{k: x for k, x in m[0].items() if k != "score"} if m[0]["task"] == 2 and m[0]["sample"] == 1 else m[0]
        for m in two]
assert_exit("no score", run("--by-confidence", "--verdicts", room / "two.v.jsonl", write("bare.jsonl", bare)), 1,
            'bare.jsonl:6: task "2", sample 1: "score" is missing', "cuset-sample --confidence")
done = run("--by-confidence", "--json", "--verdicts", room / "two.v.jsonl", "--on-error=skip", "--rejects",
           room / "rejected", room / "bare.jsonl")
assert_that("no score, set aside", done.returncode == 3 and json.loads(done.stdout)["answers"] == 7
            and (room / "rejected").read_text().count("\n") == 1, done)
assert_exit("twice", run("--by-confidence", "--verdicts", room / "two.v.jsonl", c, c), 1, 'task "0", sample 0 stands twice')
longer = [m[0] | {"tokens": 31} for m in two]
assert_exit("another answer", run("--by-confidence", "--verdicts", room / "two.v.jsonl", write("longer.jsonl", longer)), 1,
            'the verdict on task "0", sample 0 is on another answer, of 30 tokens')
assert_exit("other candidates", run("--by-confidence", "--verdicts", room / "two.v.jsonl", write("other.jsonl", [
    candidate(99, 0, [0.5])])), 1, "there are no candidates with a verdict in")
results = write("results.jsonl", [{"id": 1, "code1": "x", "response1": "y", "code2": "x"}])
assert_exit("CUDABench's results", run("--by-confidence", "--verdicts", room / "two.v.jsonl", results), 1, "has no scores")
assert_exit("no verdicts", run("--by-confidence", c), 2, "--by-confidence needs --verdicts FILE")
for options in (["--tasks", c], ["--junit", room / "j"], ["--samples=3"]):
    assert_exit(f"{options}", run("--by-confidence", "--verdicts", v, *options, c), 2, "does not go with --by-confidence")
assert_exit("two modes", run("--by-confidence", "--compare", "--verdicts", v, c), 2, "are modes: choose one")
assert_exit("--size alone", run("--size=9", "--tasks", c, c), 2, "--size needs --by-confidence")
assert_exit("over its input", run("--by-confidence", "--verdicts", v, "-o", c, c), 2, "same file")
