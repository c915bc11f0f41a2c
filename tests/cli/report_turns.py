"""cuset-report --turns on random verdicts, against a count by brute force: pass@k is a mean over all draws of k samples,
and each chain is followed by itself. CUSET_SEED chooses other verdicts."""

import itertools
import json
import os
import random
from fractions import Fraction

from _tool import assert_equal, assert_exit, assert_that, built, case, json_lines, room, run_tool

tool = built("cuset-report")
seed = int(os.environ.get("CUSET_SEED", random.SystemRandom().randrange(1 << 32)))
print("seed", seed)
draw = random.Random(seed)


def verdict(task, sample, failure=None, tokens=None, **more):
    stage = {None: "correct", "syntax_error": "extracted", "unsupported": "extracted", "evaluator": "compiled"}.get(
        failure, "ran")
    return {"task": task, "sample": sample, "family": f"f{task // 2}", "stage": stage, "failure": failure, "diagnostic": "",
            "seconds": {"compile": 0, "run": 0, "compare": 0}, "tokens": tokens, "key": "0" * 64, "task_hash": "1" * 64,
            "backend": "host", "toolchain": "g++", "protocol": "cuset", "inputs": 1} | more


def files(turns, name):
    paths = [room / f"{name}{t}.jsonl" for t in range(1, len(turns) + 1)]
    for path, records in zip(paths, turns):
        path.write_bytes(json_lines(draw.sample(records, len(records))))
    return paths


def random_turns(tasks, samples, turns, with_tokens=True, loses=0.1):
    """Each turn answers the failures of the one before, except for a few that it loses."""
    chances = [draw.choice((0.05, 0.3, 0.7)) for _ in range(tasks)]
    open_chains = list(itertools.product(range(tasks), range(samples)))
    made = []
    for t in range(turns):
        if not open_chains:  # A file without verdicts is refused.
            break
        made.append([])
        for task, sample in open_chains:
            failure = None if draw.random() < chances[task] else draw.choice(
                ("wrong_output", "wrong_output", "syntax_error", "unsupported", "evaluator"))
            made[-1].append(verdict(task, sample, failure, draw.randrange(1, 900 >> t) if with_tokens else None))
        open_chains = [(v["task"], v["sample"]) for v in made[-1]
                       if v["failure"] not in (None, "unsupported", "evaluator") and draw.random() >= loses]
    return made if len(made) > 1 else random_turns(tasks, samples, turns, with_tokens, loses)


def at_k(passed, k):
    """pass@k for a whole k: the share of all draws of k samples in which one passes."""
    draws = list(itertools.combinations(passed, k))
    return Fraction(sum(any(d) for d in draws), len(draws))


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def expected(turns, tasks, samples):
    first = {(v["task"], v["sample"]): v for v in turns[0]}
    rows = []
    for t in range(1, len(turns) + 1):
        chains = {place: [v for turn in turns[:t] for v in turn if (v["task"], v["sample"]) == place] for place in first}
        ended = [c[-1] for c in chains.values() if len(c) == t - 1]
        row = {"answers": len(turns[t - 1]), "passed": sum(v["failure"] is None for v in turns[t - 1]),
               "unsupported": sum(v["failure"] == "unsupported" for v in turns[t - 1]),
               "not_judged": sum(v["failure"] == "evaluator" for v in turns[t - 1]),
               "missing": sum(v["failure"] not in (None, "unsupported", "evaluator") for v in ended)}
        serial, parallel, at_tokens, spent, ks, capped = [], [], [], [], [], 0
        for task in range(tasks):
            own = [chains[task, s] for s in range(samples)]
            passed_first = [c[0]["failure"] is None for c in own]
            serial.append(Fraction(sum(any(v["failure"] is None for v in c) for c in own), samples))
            if t <= samples:
                parallel.append(at_k(passed_first, t))
            if own[0][0]["tokens"] is None:
                continue
            spent.append(mean(Fraction(sum(v["tokens"] for v in c)) for c in own))
            k = spent[-1] / mean(Fraction(c[0]["tokens"]) for c in own)
            capped += k > samples
            k = min(k, Fraction(samples))
            ks.append(k)
            low = int(k)
            high = min(low + 1, samples)
            at_tokens.append((1 - (k - low)) * at_k(passed_first, low) + (k - low) * at_k(passed_first, high))
        row |= {"solved": sum(s > 0 for s in serial), "serial": mean(serial), "capped": capped}
        row |= {"parallel": mean(parallel), "apart": mean(serial) - mean(parallel)} if parallel else {"parallel": None}
        row |= {"tokens": mean(spent), "k": mean(ks), "at_tokens": mean(at_tokens),
                "apart_at_tokens": mean(serial) - mean(at_tokens)} if spent else {"tokens": None}
        rows.append(row)
    return rows


def close(name, found, wanted):
    assert_that(name, abs(found - float(wanted)) <= 1e-5 * max(1, abs(float(wanted))), found, float(wanted))


def holds(name, rate):
    assert_that(name + ": interval", rate["low"] <= rate["mean"] + 1e-6 and rate["mean"] <= rate["high"] + 1e-6, rate)


def compare(turns, tasks, samples, name):
    case(f"{name} of seed {seed}")
    paths = files(turns, name)
    done = run_tool(tool, "--turns", "--json", *paths)
    broken = any(v["failure"] == "evaluator" for turn in turns for v in turn)
    assert_that("exit code", (done.returncode, b"could not be judged" in done.stderr) == (3 if broken else 0, broken), done)
    report = json.loads(done.stdout)
    assert_equal("sizes", [report[key] for key in ("tasks", "families", "samples", "missing")],
                 [tasks, (tasks + 1) // 2, samples, 0])
    for t, (found, wanted) in enumerate(zip(report["turns"], expected(turns, tasks, samples), strict=True), 1):
        for key in ("answers", "passed", "unsupported", "not_judged", "missing", "solved"):
            assert_equal(f"turn {t}: {key}", found[key], wanted[key])
        close(f"turn {t}: serial", found["serial"]["mean"], wanted["serial"])
        equal, tokens = found["equal_samples"], found["equal_tokens"]
        assert_equal(f"turn {t}: dashes", (equal is None, tokens is None),
                     (wanted["parallel"] is None, wanted["tokens"] is None))
        if equal:
            close(f"turn {t}: parallel", equal["parallel"]["mean"], wanted["parallel"])
            close(f"turn {t}: difference", equal["serial_minus_parallel"]["mean"], wanted["apart"])
            holds(f"turn {t}: equal samples", equal["serial_minus_parallel"])
        if tokens:
            assert_equal(f"turn {t}: capped", tokens["capped"], wanted["capped"])
            close(f"turn {t}: tokens", tokens["tokens"], wanted["tokens"])
            close(f"turn {t}: k", tokens["k"], wanted["k"])
            close(f"turn {t}: parallel at tokens", tokens["parallel"]["mean"], wanted["at_tokens"])
            close(f"turn {t}: difference at tokens", tokens["serial_minus_parallel"]["mean"], wanted["apart_at_tokens"])
            holds(f"turn {t}: equal tokens", tokens["serial_minus_parallel"])
    return paths, run_tool(tool, "--turns", *paths).stdout.decode()


for trial in range(12):
    sizes = draw.randrange(3, 9), draw.randrange(2, 7)
    compare(random_turns(*sizes, draw.randrange(2, 5)), *sizes, f"random-{trial}-")
compare(random_turns(5, 3, 3, with_tokens=False), 5, 3, "no-tokens-")
_, text = compare(random_turns(20, 2, 3, loses=0), 20, 2, "more-turns-than-samples-")
assert_that("a dash and a note", "\n   3 " in text and "dashes      pass@turn" in text, text)

case("a report for people")
one = [verdict(t, s, None if (t, s) == (0, 0) else "wrong_output", 100) for t in range(4) for s in range(2)]
two = [verdict(t, s, None if s else "wrong_output", 500) for t in range(4) for s in range(2) if (t, s) != (0, 0)]
(v1, v2), text = compare([one, two[:-1]], 4, 2, "people-")
for words in ("4 tasks of 2 families, 2 samples each, 2 turns\n", "missing     turn 2: 1 failure of the turn before",
              "capped      turn 2: the tokens of 4 tasks", "\n   1        8        1        1   0.1250",
              "\n   2        6        3        3   0.5000"):
    assert_that(repr(words), words in text, text)

# Where later turns generate nothing, k is 1, and the difference is that of two files: of turn 1, and of what each chain
# has come to. --compare has the same interval, over families.
case(f"the interval of --compare, seed {seed}")
turns = random_turns(16, 3, 3)
for v in itertools.chain(*turns[1:]):
    v["tokens"] = 0
last = {(v["task"], v["sample"]): v for turn in turns for v in turn}
(first, *later), (chains,) = files(turns, "free-"), files([list(last.values())], "chains-")
found = json.loads(run_tool(tool, "--turns", "--json", first, *later).stdout)["turns"][-1]["equal_tokens"]
compared = json.loads(run_tool(tool, "--compare", "--json", first, chains).stdout)["rates"]
(wanted,) = (r["second_minus_first"] for r in compared if (r["passing"], r["estimator"], r["k"]) == ("correct", "unbiased", 1))
assert_equal("k", found["k"], 1)
assert_equal("interval", found["serial_minus_parallel"], wanted)

case("refused")
other = room / "other.jsonl"
for name, records, code, words in (
        ("an unknown sample", [*two, verdict(1, 5, "wrong_output")], 2, "sample 5 of task \"1\" has no verdict in"),
        ("an unknown task", [verdict(9, 0, "wrong_output")], 2, "sample 0 of task \"9\" has no verdict in"),
        ("one that passed", [verdict(0, 0, "wrong_output")], 2, "sample 0 of task \"0\" has passed already in"),
        ("another setting", [verdict(1, 0, toolchain="g++ 13")], 1, "the turns differ in backend, toolchain"),
        ("another task", [verdict(1, 0, task_hash="2" * 64)], 2, "another version of the task")):
    other.write_bytes(json_lines(records))
    assert_exit(name, run_tool(tool, "--turns", v1, other), code, words, "other.jsonl")
other.write_bytes(b"")
assert_exit("a first turn without verdicts", run_tool(tool, "--turns", other, v1), 1, "there are no verdicts", "other.jsonl")
# A loop goes on when all have passed.
done = run_tool(tool, "--turns", v1, other)
assert_that("a later turn without verdicts", done.returncode == 0 and b"\n   2        0        0" in done.stdout, done)
assert_exit("one file", run_tool(tool, "--turns", v1), 2, "--turns needs two or more files")
assert_exit("one file twice", run_tool(tool, "--turns", v1, v2, v2), 2, "is named for two turns")
assert_exit("two modes", run_tool(tool, "--turns", "--compare", v1, v2), 2, "are modes: choose one")
assert_exit("junit", run_tool(tool, "--turns", "--junit", room / "j", v1, v2), 2, "--junit does not go with --turns")
