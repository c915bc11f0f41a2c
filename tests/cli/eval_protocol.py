"""This compares cuset-eval with CUDABench's protocol. The verdicts are the same if a task and its
programs behave, and better if that evaluator is known to err. It also tests weak tasks, and
compares a report with counts made here."""

import fractions
import itertools
import json
import math
import os
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as tree

from _eval import (assert_that, candidate, comparer, generator, need_sandbox, nvcc, prelude, room, run, run_report,
                   runs_here, task, verdicts, write, write_candidates, write_tasks)

need_sandbox()
right = "load(); twice(); store();"
wrong = "load(); for (int i = 0; i < 16; ++i) y[i] = x[i]; store();"


def failures(tasks, candidates, *options):
    path = room / "v.jsonl"
    path.unlink(missing_ok=True)
    done = runs_here("--tasks", write_tasks(room / "t.jsonl", *tasks), "--verdicts", path, *options,
                     write_candidates(room / "c.jsonl", *candidates))
    kinds = {place: v["failure"] for place, v in verdicts(path).items()}
    unjudged = [kind == "evaluator" for kind in kinds.values()]
    assert_that("exit code", done.returncode == (1 if all(unjudged) else 3 if any(unjudged) else 0), done.stderr.decode())
    return kinds, done


def protocol(t, source):
    """CUDABench's protocol: compile, gen.py, run, compare.py; a pass if that prints no F."""
    return judged_there(t, source)[1]


def judged_there(t, source):
    """Correctness and functionality, as CUDABench has them."""
    folder = room / "protocol"
    subprocess.run(["rm", "-rf", folder], check=True)
    write(folder / "p.cu", source)
    for name in ("gen.py", "compare.py"):
        write(folder / name, t[name])
    if subprocess.run([nvcc, "-o", "p", "p.cu"], cwd=folder, capture_output=True).returncode:
        return False, False
    subprocess.run(["python3", "gen.py"], cwd=folder, check=True)
    if subprocess.run(["./p"], cwd=folder, capture_output=True).returncode:
        return False, False
    message = subprocess.run(["python3", "compare.py"], cwd=folder, capture_output=True, text=True)
    return True, message.returncode == 0 and "F" not in message.stdout


# Tasks and programs that behave: the same verdicts.
seed = int(os.environ.get("CUSET_SEED", random.SystemRandom().randrange(10**6)))
print("seed", seed)
draw = random.Random(seed)
bodies = [right, wrong, "load(); twice() store();", "load(); twice(); store(); return 3;"]
bodies += [f"load(); for (int i = 0; i < {draw.randint(10, 18)}; ++i) y[i] = 2 * x[i]; store();"
           for _ in range(3)]
found, _ = failures([task(1)], [candidate(1, i, b) for i, b in enumerate(bodies)])
for i, body in enumerate(bodies):
    source = prelude + "int main() {" + body + "}\n"
    assert_that("protocol", (found[1, i] is None) == protocol(task(1), source), body, found[1, i])

# Where CUDABench errs. A program that writes nothing passes there if compare.py is silent about it.
silent = {"compare.py": comparer.replace('print("F")\n    exit(0)', "exit(0)")}
short = "load(); twice(); store(7);"
found, _ = failures([task(1, **silent)],
                    [candidate(1, 0, "load();"), candidate(1, 1, short), candidate(1, 2, right)])
assert_that("silent", found == {(1, 0): "missing_output", (1, 1): "wrong_output", (1, 2): None}, found)
assert_that("silent there", protocol(task(1, **silent), prelude + "int main() { load(); }")
            and not protocol(task(1, **silent), prelude + "int main() {" + short + "}"))
# An F inside other words is a failure there.
wordy = {"compare.py": 'print("False positives: 0; Frobenius norm 0")\n' + comparer}
found, _ = failures([task(1, **wordy)], [candidate(1, 0, right), candidate(1, 1, wrong)])
assert_that("wordy", found == {(1, 0): None, (1, 1): "wrong_output"}, found)
assert_that("wordy there", not protocol(task(1, **wordy), prelude + "int main() {" + right + "}"))
# One F among the Ts of several outputs.
several = {"compare.py": comparer + 'print("F")\nprint("T")\n'}
found, _ = failures([task(1, **several)], [candidate(1, 0, right)])
assert_that("several", found == {(1, 0): "wrong_output"}, found)
# Exit code 0 is needed, whatever the program prints.
raising = {"compare.py": 'print("T")\nraise SystemExit(3)\n'}
found, _ = failures([task(1, **raising)], [candidate(1, 0, right)])
assert_that("raising", found == {(1, 0): "evaluator"}, found)
# An empty first sample does not affect the others. Their format, with numbers from 1.
line = {"id": 1, "code1": "", "response1": None, "code2": prelude + "int main() {" + right + "}",
        "response3": "```cpp\n" + prelude + "int main() {" + wrong + "}\n```"}
found, done = failures([task(1)], [line], "--json")
assert_that("results file", found == {(1, 0): "no_code", (1, 1): None, (1, 2): "wrong_output"}, found)
rates = {(r["passing"], r["estimator"], r["k"]): r["mean"] for r in json.loads(done.stdout)["rates"]}
assert_that("results file", rates["correct", "any_of_first", 1] == 0
            and rates["correct", "any_of_first", 3] == 1
            and abs(rates["correct", "unbiased", 1] - 1 / 3) < 1e-6, rates)

# --protocol cudabench: the same verdicts, also where the benchmark errs.
def in_fence(body, info="cpp"):
    return f"```{info}\n{prelude}int main() {{{body}}}\n```\n"


# The benchmark's own patterns for an answer's program, since February 2026 and before.
patterns = {"cudabench": r"```(?:\w+)?\s*([\s\S]*?)```", "cudabench-2025": r"```(?:cpp|c\+\+)?\s*([\s\S]*?)```"}


def taken_there(rule, answer):
    found = re.findall(patterns[rule], answer)
    return found[0].strip() if found else None


launches_nothing = "#include <cstdio>\nint main() {" + (
    'float v[16]; FILE* f = fopen("data/x.bin", "rb"); if (fread(v, 4, 16, f) != 16) return 1; '
    'for (float& e : v) e *= 2; f = fopen("data/y.bin", "wb"); fwrite(v, 4, 16, f); fclose(f); }')
answers = {
    "right": in_fence(right), "wrong": in_fence(wrong), "fails": in_fence(right + "return 3;"),
    "no output": in_fence("load();"), "short": in_fence("load(); twice(); store(7);"),
    "does not compile": in_fence("load("), "c++": in_fence(right, "c++"), "bare": in_fence(right, ""),
    "called cuda": in_fence(right, "cuda"), "no fence": prelude + "int main() {" + right + "}",
    "not closed": in_fence(right)[:-4], "empty": "``````", "none": "I cannot.",
    "the second is right": in_fence(wrong) + in_fence(right),
    "a command comes first": "```bash\nnvcc x.cu\n```\n" + in_fence(right),
    "launches nothing": "```cpp\n" + launches_nothing + "\n```",
    "another file": in_fence(right.replace("store", "other")).replace(
        "int main", "static void other() { store(); rename(\"data/y.bin\", \"data/z.bin\"); }\nint main"),
}
kinds = {"ordinary": task(1), "silent": task(1, **silent), "wordy": task(1, **wordy),
         "says nothing": task(1, **{"compare.py": "pass\n"}),
         "several": task(1, **{"compare.py": comparer + 'print("F")\nprint("T")\n'}),
         "reads another file": task(1, **{"compare.py": comparer.replace("data/y.bin", "data/z.bin")})}
tasks = [dict(t, id=i) for i, t in enumerate(kinds.values())]
given = [{"task": i, "sample": s, "response": a} for i in range(len(tasks))
         for s, a in enumerate(answers.values())]
write_tasks(room / "t.jsonl", *tasks)
write_candidates(room / "c.jsonl", *given)
for rule in patterns:
    sources = [taken_there(rule, a) for a in answers.values()]
    ours = room / f"{rule}.jsonl"
    done = runs_here(f"--protocol={rule}", "--json", "--tasks", room / "t.jsonl", "--verdicts", ours, room / "c.jsonl")
    assert_that(rule, done.returncode == 3, done.stderr.decode())  # compare.py fails twice
    there = {}
    for (i, s), v in verdicts(ours).items():
        there[i, s] = judged_there(tasks[i], sources[s]) if sources[s] else (False, False)
        assert_that(rule, (v["stage"] in ("ran", "correct"), v["stage"] == "correct") == there[i, s]
                    and v["protocol"] == {"cudabench": "cudabench-2026"}.get(rule, rule), [*kinds][i], [*answers][s], there[i, s], v)
    passed = {name: there[0, s][1] for s, name in enumerate(answers) if name in ("called cuda", "c++")}
    assert_that("the tags that count", passed == {"called cuda": rule == "cudabench", "c++": rule != "cudabench"}, rule, passed)
    counted = {(r["name"], r["k"]): r["passed"] for r in json.loads(done.stdout)["cudabench"]}
    for place, name in enumerate(("correctness", "functionality")):
        for k in (1, 3):
            passed = sum(any(there[i, s][place] for s in range(k)) for i in range(len(tasks)))
            assert_that("its names", counted[name, k] == passed, name, k, counted, passed)
done = run_report("--tasks", room / "t.jsonl", ours)
text = done.stdout.decode()
assert_that("its names in text", re.search(r"\nfunctionality +Pass@1 +3 of 6 +50.00 %\n", text)
            and re.search(r"\nran@3 +1\.0000 +1\.0000 +0\n", text)
            and re.search(r"\nPass@10 +0\.5000 +0\.8333 +2\n", text), text)  # two fall to compare.py
# Verdicts of two protocols are never taken for each other.
done = runs_here("--tasks", room / "t.jsonl", "--verdicts", ours, room / "c.jsonl")
assert_that("another protocol", done.returncode == 2
            and b"cudabench-2025.jsonl:1: this verdict was made with --protocol cudabench-2025" in done.stderr, done)
for words in (["--fence=last"], ["--timeout=61"], ["--compile-timeout=61"], ["--nvcc-flags=-O3"],
              ["--check", "--backend=host"], ["--check-tasks"], ["--arch=sm_90", "--backend=gpu"]):
    done = runs_here("--protocol=cudabench", "--tasks", room / "t.jsonl", *words)
    assert_that("fixed by the protocol", done.returncode == 2 and b"--protocol cudabench" in done.stderr
                and words[0].split("=")[0].encode() in done.stderr, words, done)

# If a task's own programs fail, the verdict says that the evaluator is at fault, and nobody else.
broken = [
    task(1, **{"gen.py": "import no_such_module\n"}),
    task(2, **{"gen.py": "open('data/y_ref.bin', 'w')\n"}),
    task(3, **{"gen.py": ""}),
    task(4, **{"compare.py": ""}),
    task(5, **{"compare.py": "import no_such_module\n"}),
    task(6, outputs=[]),
    task(7, **{"gen.py": "import os\nos.kill(os.getpid(), 9)\n"}),
    task(8, **{"gen.py": '"""\nimport not_there\n"""\ntry:\n    import nor_there\nexcept ImportError:\n    pass\n'
                         + generator}),
]
path = room / "broken.jsonl"
done = runs_here("--tasks", write_tasks(room / "t.jsonl", *broken), "--verdicts", path,
                 write_candidates(room / "c.jsonl", *(candidate(i, 0, right) for i in range(1, 9))))
words = ["no_such_module", "data/x.bin", "gen.py", "compare.py", "no_such_module", "outputs", "signal 9"]
for number, v in zip(range(1, 9), (verdicts(path)[i, 0] for i in range(1, 9))):
    if number == 8:
        assert_that("sound task", v["failure"] is None, v)
    else:
        assert_that(f"broken task {number}", v["failure"] == "evaluator"
                    and words[number - 1] in v["diagnostic"], v)
message = done.stderr.decode()
assert_that("exit code of a part", done.returncode == 3, done)
assert_that("missing modules, once", message.count("lacks modules") == 1 and "no_such_module (task 1 and 1 more)" in message
            and "not_there" not in message and "nor_there" not in message, message)
# No rate comes from nothing, and nothing is compiled for nothing.
for number, code, word in ((1, 4, "no_such_module"), (7, 1, "no program could be judged (1 of 1 candidates)")):
    empty = room / f"nothing-{number}.jsonl"
    done = runs_here("--tasks", write_tasks(room / "t.jsonl", broken[number - 1]), "--verdicts", empty,
                     write_candidates(room / "c.jsonl", candidate(number, 0, right)))
    assert_that(f"nothing judged, task {number}", done.returncode == code and done.stdout == b""
                and word in done.stderr.decode() and empty.exists() == (code == 1), done)
done = run_report("--tasks", room / "t.jsonl", room / "nothing-7.jsonl")
assert_that("nothing judged, reported", done.returncode == 1 and done.stdout == b"", done)

# A python that only starts another one, as pyenv's does, from a place outside the sandbox.
shim = write(room / "shims/python3", f'#!/bin/sh\nexec {os.path.realpath(sys.executable)} "$@"\n')
shim.chmod(0o755)
found, _ = failures([task(1)], [candidate(1, 0, right)], "--python", shim)
assert_that("a shim", found == {(1, 0): None}, found)

# Two outputs, and the report of check-tasks.
two = task(1, outputs=[{"name": "y"}, {"name": "z"}], **{
    "gen.py": generator + "open('data/z_ref.bin','wb').write(b'z' * 8)\n",
    "compare.py": comparer + "if open('data/z.bin','rb').read() != b'z' * 8: print('F')\n"
                             "else: print('T')\n"})
write_z = 'FILE* f = fopen("data/z.bin", "wb"); fwrite("zzzzzzzz", 1, 8, f); fclose(f);'
two["bench.cu"] = prelude + "int main() {" + right + write_z + "}"
lenient = 'import os\nprint("T" if os.path.getsize("data/y.bin") >= 0 else "F")\n'
halves = ('import struct\ny = open("data/y.bin", "rb").read()\nn = len(y)\n'
          'r = open("data/y_ref.bin", "rb").read()\nprint("T" if y == r[:n] and n else "F")\n')
weak = [
    two,
    task(2, **{"compare.py": lenient}),
    task(3, **{"compare.py": halves}),
    task(4, **{"gen.py": generator.replace("2 * v", "0 * v"),
               "bench.cu": prelude + "int main() { load(); store(); }"}),
    task(5, **{"bench.cu": prelude + "int main() {" + wrong + "}"}),
    task(6, **{"compare.py": 'print("F")\n'}),
    task(7, **{"gen.py": "raise ValueError('no luck')\n"}),
    task(8, **{"compare.py": ""}),
    task("nine", **{"bench.cu": "int main( {"}),
    task(10, **{"compare.py": comparer.replace("all(abs(a - b) < 1e-3", "not any(abs(a - b) >= 1e-3")}),
    task(11, **{"gen.py": generator.replace('struct.pack("16f", *[2 * v for v in x])', "b'\\xff' * 64"),
                "compare.py": "import os\nprint('T' if open('data/y.bin', 'rb').read() =="
                              " open('data/y_ref.bin', 'rb').read() else 'F')\n",
                "bench.cu": prelude + "int main() { load(); memset(y, 255, 64); store(); }"}),
]
tasks = write_tasks(room / "weak-tasks.jsonl", *weak)
done = runs_here("--tasks", tasks, "--check-tasks", "-o", room / "weak.jsonl")
assert_that("check", done.returncode == 0, done.stderr.decode())
message = {w["task"]: w["weak"] for w in map(json.loads, open(room / "weak.jsonl", encoding="utf-8"))}
expected = {
    1: [], 2: ["passes_empty_output", "passes_zero_output", "passes_nan_output",
               "passes_truncated_output"],
    3: ["passes_truncated_output"], 4: ["passes_zero_output"], 5: ["program_fails"],
    6: ["program_fails", "rejects_reference"], 7: ["generator_fails"], 8: ["no_comparer"],
    "nine": ["program_fails"], 10: ["passes_nan_output"], 11: []}
assert_that("check", message == expected, message)
done = runs_here("--tasks", tasks, "--check-tasks", "--compile-only")
message = {w["task"]: w["weak"] for w in map(json.loads, done.stdout.splitlines())}
assert_that("check without running", message == {**expected, 5: [], 6: ["rejects_reference"]}, message)
done = runs_here("--tasks", write_tasks(room / "t.jsonl", *weak[1:3]), "--check-tasks")
assert_that("all are weak", done.returncode == 1 and done.stdout.count(b'"weak":["') == 2
            and b"all of the 2 tasks are weak" in done.stderr, done)
lacking = task(12, **{"compare.py": "import no_such_module\n" + comparer})
done = runs_here("--tasks", write_tasks(room / "t.jsonl", two, lacking), "--check-tasks")
assert_that("a module is missing", done.returncode == 1 and done.stdout == b""
            and b"no_such_module (task 12); --python names another Python" in done.stderr, done)
done = runs_here("--tasks", tasks, "--leave-out", room / "weak.jsonl", "--json",
                 write_candidates(room / "c.jsonl", candidate(1, 0, right + write_z)))
report = json.loads(done.stdout)
assert_that("left out", (report["tasks"], report["left_out"], report["funnel"]["correct"]) == (2, 9, 1), report)
done = runs_here("--tasks", tasks, "--leave-out", room / "weak.jsonl", room / "c.jsonl")
assert_that("left out, told", b"left out    9 tasks" in done.stdout, done.stdout)

# More files than the orders that are tried, and a second output that is not compared.
crowd = generator + "".join(f"open('data/a{i}.bin', 'w').close()\n" for i in range(6))
unread = {**two, "id": 2, "compare.py": comparer}
message = runs_here("--tasks", write_tasks(room / "t.jsonl", task(1, **{"gen.py": crowd}), unread),
                 "--check-tasks")
message = {w["task"]: w["weak"] for w in map(json.loads, message.stdout.splitlines())}
assert_that("check of many files", message == {1: [], 2: ["passes_empty_output", "passes_zero_output",
                                                       "passes_nan_output", "passes_truncated_output"]},
            message)

# The report's numbers, for verdicts made here.
kinds = [None, "wrong_output", "syntax_error", "no_code", "run_timeout"]
stages = {None: "correct", "wrong_output": "ran", "syntax_error": "extracted", "no_code": "answered",
          "run_timeout": "compiled"}
order = ["answered", "extracted", "compiled", "ran", "correct"]
numbers = range(30)
many = [task(i, task_name=f"f{i % 6}") for i in numbers]
# The tasks' hashes, as the verdicts give them.
runs_here("--compile-only", "--tasks", write_tasks(room / "many.jsonl", *many), "--verdicts",
          room / "hashes.jsonl", write_candidates(room / "c.jsonl", *(candidate(i, 0, "No.") for i in numbers)))
hashes = {place[0]: v["task_hash"] for place, v in verdicts(room / "hashes.jsonl").items()}
made = []
for i, s in itertools.product(numbers, range(4)):
    if draw.random() < 0.1 and (i, s) != (0, 0):
        continue
    # Among the first samples, some are wrong outputs, which B turns right.
    kind = draw.choice(kinds) if (i, s) != (0, 0) else "wrong_output"
    made.append({"task": i, "sample": s, "family": f"f{i % 6}", "stage": stages[kind], "failure": kind,
                 "diagnostic": "" if kind is None else f"bad <{kind}> \"&\u00e9\" line",
                 "seconds": {"compile": 1.5, "run": 0.5, "compare": 0},
                 "tokens": draw.randint(1, 99), "key": "0" * 64, "task_hash": hashes[i],
                 "backend": "gpu", "toolchain": "t"})
tasks = write_tasks(room / "many.jsonl", *many)
write(room / "made.jsonl", "".join(json.dumps(v) + "\n" for v in made))
done = run_report("--tasks", tasks, "--json", "--junit", room / "junit.xml", room / "made.jsonl")
report = json.loads(done.stdout)
samples = {i: {v["sample"]: v for v in made if v["task"] == i} for i in numbers}
assert_that("missing", report["missing"] == 120 - len(made) and report["verdicts"] == len(made), report)
for s, name in enumerate(order):
    count = sum(order.index(v["stage"]) >= s for v in made)
    assert_that("funnel", report["funnel"][name] == count, name, count, report["funnel"])
for rate in report["rates"]:
    values = []
    for i in numbers:
        passed = [samples[i].get(s) is not None
                  and order.index(samples[i][s]["stage"]) >= order.index(rate["passing"])
                  for s in range(4)]
        c, k = sum(passed), rate["k"]
        values.append(fractions.Fraction(any(passed[:k])) if rate["estimator"] == "any_of_first"
                      else 1 - fractions.Fraction(math.comb(4 - c, k), math.comb(4, k)))
    mean = float(sum(values) / len(values))
    assert_that("rate", abs(rate["mean"] - mean) < 1e-5 and rate["low"] <= mean <= rate["high"], rate, mean)
assert_that("rates", len(report["rates"]) == 12, report["rates"])
assert_that("tokens", abs(report["mean_tokens"] - sum(v["tokens"] for v in made) / len(made)) < 1e-3)
cases = list(tree.parse(room / "junit.xml").iter("testcase"))
assert_that("junit", len(cases) == 120
            and sum(c.find("failure") is None for c in cases) == report["funnel"]["correct"])
assert_that("junit", any('bad <wrong_output> "&\u00e9" line' == f.get("message")
                         for c in cases for f in c.iter("failure")))

# B compared with A.
better = [dict(v, stage="correct", failure=None) if v["failure"] == "wrong_output" else v for v in made]
write(room / "better.jsonl", "".join(json.dumps(v) + "\n" for v in better if v["task"] != 3))
done = run_report("--compare", "--json", room / "made.jsonl", room / "better.jsonl")
paired = json.loads(done.stdout)
assert_that("compare", paired["tasks"] == 29 and paired["only_first"] == 1, paired)
for rate in paired["rates"]:
    first, second = rate["first"]["mean"], rate["second"]["mean"]
    apart = rate["second_minus_first"]
    assert_that("compare", abs(second - first - apart["mean"]) < 1e-5, rate)
    if rate["passing"] == "correct":
        assert_that("compare", apart["low"] >= 0 and apart["mean"] > 0, rate)
    else:
        limit = 1 - 0.025 ** (1 / paired["families"])  # no family differs
        assert_that("compare", apart["mean"] == 0 and -apart["low"] == apart["high"]
                    and abs(apart["high"] - limit) < 1e-5, rate)
done = run_report("--compare", "--json", "--tasks", tasks, room / "made.jsonl", room / "better.jsonl")
assert_that("compare all tasks", json.loads(done.stdout)["tasks"] == 30, done)
write(room / "leave", '{"task":5,"family":"f5","weak":["program_fails"],"detail":[""]}\n')
done = run_report("--compare", "--leave-out", room / "leave", room / "made.jsonl", room / "better.jsonl")
assert_that("compare, left out", b"left out    1 task," in done.stdout, done)
done = run_report("--compare", room / "made.jsonl", room / "made.jsonl")
assert_that("compare with itself", b" 0.0000  [-0.4593, 0.4593]" in done.stdout, done.stdout)
