"""cuset-curate --preferences: each kept answer against the failed ones to its task that are nearest to it. Which
these are is worked out here, by difflib's tokens and a table, not by the tool."""

import json
import os
import random
import re
import subprocess
import sys

import _host_runtime
import _tasks
from _tool import assert_equal, assert_exit, assert_that, built, case, environment, json_lines, room, run_tool

curate, evaluate = built("cuset-curate"), built("cuset-eval")
seed = int(os.environ.get("CUSET_SEED", random.randrange(10**6)))
print("seed", seed)
rng = random.Random(seed)


def write(name, rows):
    (room / name).write_bytes(json_lines(rows))
    return room / name


tasks = [_tasks.scaling(i) for i in range(3)]
task_file = write("tasks.jsonl", tasks)
_host_runtime.seed(room / "cache")
hashes = {}
for t in range(3):
    done = subprocess.run([evaluate, "-q", "--compile-only", "--backend", "host", "--tasks", task_file, "--verdicts",
                           room / f"judged{t}"], input=json_lines([{"task": t, "sample": 0, "response": "No."}]),
                          capture_output=True, env=environment(XDG_CACHE_HOME=room / "cache"), check=False)
    if not (room / f"judged{t}").exists() or not (room / f"judged{t}").read_bytes():
        print("no judge here, so no verdicts:", done.stderr.decode())
        sys.exit()
    hashes[t] = json.loads((room / f"judged{t}").read_text().splitlines()[0])["task_hash"]


def verdict(task, sample, stage, failure):
    return {"task": task, "sample": sample, "family": f"Scale_{task}", "stage": stage, "failure": failure,
            "diagnostic": "", "seconds": {"compile": 1, "run": 1, "compare": 0}, "tokens": None, "key": "0" * 64,
            "task_hash": hashes[task], "backend": "host", "toolchain": "g++ 12", "protocol": "cuset", "inputs": 1}


def program(*statements):
    return "__global__ void k(float* x) { " + " ".join(statements) + " }"


def tokens(code):
    return re.findall(r"\w+|[^\w\s]", code)


def distance(a, b):
    a, b = tokens(a), tokens(b)
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            before, row[j] = row[j], before if left == right else 1 + min(row[j], row[j - 1])
    return row[-1]


statements = [f"x[{i}] = x[{i + 1}] * {j};" for i in range(4) for j in range(2)]
answers, rows = {}, []
for t in (0, 1):
    for s in range(9):
        answers[t, s] = program(*rng.sample(statements, rng.randrange(1, 8)))
        right = rng.random() < 0.5 if s > 1 else s == 0
        rows.append(verdict(t, s, "correct", None) if right else verdict(t, s, "ran", "wrong_output"))
answers[2, 0] = program("x[0] = 1;")
rows.append(verdict(2, 0, "correct", None))
candidates = [{"task": t, "sample": s, "model": "m", "response": f"```cuda\n{code}\n```"} for (t, s), code in answers.items()]
is_right = {(r["task"], r["sample"]): r["failure"] is None for r in rows}
verdicts = write("verdicts.jsonl", rows)
join = ["--tasks", task_file, "--verdicts", verdicts, "--duplicates", "none"]


def preferences(*words, data, code=0):
    done = run_tool(curate, "--plain", "-q", "--rejects", room / "rejects", *words, data=json_lines(data))
    assert_exit("preferences", done, code)
    return [json.loads(line) for line in done.stdout.splitlines()], [
        json.loads(line) for line in (room / "rejects").read_bytes().splitlines()]


case("the nearest failed answers, the first among equals")
for count in (1, 3, 50):
    found, rejects = preferences(*join, "--preferences", count, data=candidates)
    wanted = []
    for (t, s), right in is_right.items():
        failed = [o for o in answers if o[0] == t and not is_right[o]] if right else []
        near = sorted(failed, key=lambda o: distance(answers[t, s], answers[o]))[:count]
        wanted += [(f"{t}/{s}-{o[1]}", f"{t}/{o[1]}", distance(answers[t, s], answers[o])) for o in near]
    assert_equal(f"{count} rivals", [(r["id"], r["curate"]["rejected"], r["curate"]["distance"]) for r in found], wanted)
    for r in found:
        t, s = r["task"], r["sample"]
        assert_that("texts", r["chosen"] == f"```cuda\n{answers[t, s]}\n```" and "response" not in r and r["model"] == "m" and
                    r["rejected"] == f"```cuda\n{answers[t, int(r['id'].split('-')[1])]}\n```" and
                    f"values by {t}." in r["prompt"] and "system" in r, r["id"])
    assert_that("who has no rival", [r["id"] for r in rejects if r["curate"]["reason"] == "no_rival"] == ["2/0"], rejects)

case("what is no rival: without a program, cut off, too long")
kinds = {1: "Nothing.", 2: program("x[0] = 1;", "x[1] = 2;"), 3: program("x[0] = 1; " + "x[1] = 2; " * 90), 4: program("x[7] = 9;")}
data = [{"task": 0, "sample": 0, "response": "```cuda\n" + program("x[0] = 1;") + "\n```"}]
for s, code in kinds.items():
    data.append({"task": 0, "sample": s, "response": code if s == 1 else f"```cuda\n{code}\n```"} | ({"finish": "length"} if s == 2 else {}))
judged = write("kinds.jsonl", [verdict(0, 0, "correct", None)] + [verdict(0, s, "ran", "wrong_output") for s in kinds])
found, _ = preferences("--tasks", task_file, "--verdicts", judged, "--preferences", 9, "--longest", 500, data=data)
assert_equal("rivals", [r["curate"]["rejected"] for r in found], ["0/4"])

case("a task that is asked in several turns")
ask = room / "turns.ask"
ask.write_text("--- system\nBe brief.\n--- user\nHello.\n--- assistant\nYes?\n--- user\n{task_name}\n")
done = run_tool(curate, "--plain", "-q", "--tasks", task_file, "--verdicts", judged, "--preferences", 1, "--ask", ask, data=json_lines(data))
assert_exit("several turns", done, 0)
r = json.loads(done.stdout)
assert_equal("roles", [turn["role"] for turn in r["prompt"]], ["system", "user", "assistant", "user"])
assert_equal("answers", (r["chosen"], r["rejected"]), tuple([{"role": "assistant", "content": data[s]["response"]}] for s in (0, 4)))
assert_that("no other form", not {"messages", "response", "system"} & set(r), list(r))

case("answers of two turns were asked other questions")
data = [{"task": 0, "sample": s, "turn": 2, "response": f"```cuda\n{program(f'x[{s}] = 1;')}\n```", "messages": [
    {"role": "user", "content": "Scale."}, {"role": "assistant", "content": f"Try {s // 2}."}, {"role": "user", "content": "Wrong."}]}
        for s in range(4)]
judged = write("second.jsonl", [verdict(0, s, "ran" if s % 2 else "correct", "wrong_output" if s % 2 else None) for s in range(4)])
found, _ = preferences("--tasks", task_file, "--verdicts", judged, "--preferences", 3, data=data)
assert_equal("rivals of the same conversation", [(r["curate"]["rejected"], r["prompt"][1]["content"]) for r in found],
             [("0/1/2", "Try 0."), ("0/3/2", "Try 1.")])

case("bad input")
assert_exit("no verdicts", run_tool(curate, "--tasks", task_file, "--preferences", 1), 2, "--preferences needs --tasks and --verdicts")
