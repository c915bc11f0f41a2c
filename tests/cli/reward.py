"""This tests cuset-reward: rewards and advantages against the same computed here, over random verdicts, and bad input."""

import json
import os
import random
import statistics
import subprocess

from _tool import assert_equal, assert_that, built, case, room

tool = built("cuset-reward")
seed = int(os.environ.get("CUSET_SEED", random.randrange(10**6)))
print("seed", seed)
chance = random.Random(seed)
HASH = "0" * 64
STAGES = {"correct": None, "ran": "wrong_output", "compiled": "crash", "extracted": "syntax_error"}


def verdict(task, sample, stage, failure=None, toolchain="g++ 12.2.0", **more):
    return {"task": task, "sample": sample, "family": "f", "stage": stage, "failure": failure or STAGES[stage],
            "diagnostic": "", "seconds": {"compile": 1, "run": 1, "compare": 0}, "tokens": 50 + sample, "key": HASH,
            "task_hash": HASH, "backend": "host", "toolchain": toolchain, "protocol": "cuset", "inputs": 1} | more


def write(name, records):
    (room / name).write_text("".join(json.dumps(r) + "\n" for r in records))
    return room / name


def run(*words, data=""):
    return subprocess.run([tool, *map(str, words)], input=data, capture_output=True, text=True, check=False)


def rewarded(*words, data=""):
    done = run("--plain", "-q", *words, data=data)
    assert_equal("exit code", (done.returncode, done.stderr), (0, ""))
    return [json.loads(line) for line in done.stdout.splitlines()]


case("rewards and advantages over random verdicts of two turns")
turns = []
for turn in (1, 2):
    turns.append({(f"t{t}", s): chance.choice([*STAGES, "unsupported"])
                  for t in range(20) for s in range(chance.randrange(2, 9)) if turn == 1 or chance.random() < 0.5})
files = [write(f"v{i}.jsonl", [verdict(t, s, "compiled", "unsupported") if how == "unsupported" else verdict(t, s, how)
                              for (t, s), how in turn.items()]) for i, turn in enumerate(turns)]
candidates = [{"task": t, "sample": s, "response": "ü" * s, "turn": turn} for turn, known in enumerate(turns, 1)
              for t, s in known]
chance.shuffle(candidates)
given = write("candidates.jsonl", candidates)


def reward_of(stage, sample):
    return 0.25 * (stage in ("compiled", "ran", "correct")) + (stage == "correct") - 0.001 * (50 + sample)


def expected(gamma, leave_one_out, divides):
    returns, rewards = {}, {}
    for (t, s), how in turns[0].items():
        later = turns[1].get((t, s), "none")
        first = reward_of(how, s)
        if how != "unsupported":
            returns[t, s, 1] = first + gamma * (reward_of(later, s) if later not in ("none", "unsupported") else 0)
            rewards[t, s, 1] = first
    for (t, s), how in turns[1].items():
        if how != "unsupported":
            returns[t, s, 2] = rewards[t, s, 2] = reward_of(how, s)
    advantages = {}
    for key, value in returns.items():
        group = [v for k, v in returns.items() if k[0] == key[0]]
        others = [v for k, v in returns.items() if k[0] == key[0] and k != key]
        if not others:
            continue
        base = statistics.mean(others if leave_one_out else group)
        advantages[key] = (value - base) / (statistics.stdev(group) + 1e-4 if divides else 1)
    return rewards, advantages


formula = "0.25*compiled + correct - 0.001*tokens"
for words, settings in ((["--discount", "0.4"], (0.4, False, True)), (["--scale", "none"], (0, False, False)),
                        (["--advantage", "leave-one-out", "--scale", "none", "--discount", "1"], (1, True, False))):
    rejects = room / "rejects"
    done = run("--plain", "-q", "--verdicts", files[0], "--verdicts", files[1], "--reward", formula, "--on-error=skip",
               "--rejects", rejects, *words, given)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    rewards, advantages = expected(*settings)
    assert_equal(f"{words}: order", [(r["task"], r["sample"], r["turn"]) for r in found],
                 [k for c in candidates if (k := (c["task"], c["sample"], c["turn"])) in advantages])
    for r in found:
        key = r["task"], r["sample"], r["turn"]
        # Nine digits are written.
        assert_that(f"{words}: {key}", abs(r["reward"] - rewards[key]) < 1e-8 and
                    abs(r["advantage"] - advantages[key]) < 1e-8 * max(1, abs(advantages[key])), (r, advantages[key]))

case("other bytes stay, and what is there already is replaced")
known = write("k.jsonl", [verdict(1, 0, "correct"), verdict(1, 1, "extracted")])
line = '{"task" : 1, "advantage":[3], "sample":0,"response":"\\u00e9", "reward": "x", "z":1e0 }\n'
done = run("--plain", "--scale", "none", "--verdicts", known, data=line)
assert_equal("bytes", done.stdout,
             '{"task" : 1, "advantage":0.5, "sample":0,"response":"\\u00e9", "reward": 1, "z":1e0 }\n')
assert_equal("a reward alone", run("--plain", "--advantage", "none", "--verdicts", known,
                                   data='{"task":1,"sample":1,"response":""}\n').stdout,
             '{"task":1,"sample":1,"response":"","reward":0}\n')

case("what is left out is counted")
more = write("more.jsonl", [verdict(1, 0, "correct"), verdict(1, 1, "correct"), verdict(2, 0, "correct"),
                            verdict(2, 1, "ran"), verdict(2, 2, "compiled", "unsupported")])
data = "".join(f'{{"task":{t},"sample":{s},"response":""}}\n' for t, s in ((1, 0), (1, 1), (2, 0), (2, 1), (2, 2)))
done = run("--plain", "--drop-equal", "--verdicts", more, data=data)
assert_equal("lines", done.stdout.count("\n"), 2)
assert_that("notes", "1 left out: unsupported" in done.stderr and "2 left out: all answers" in done.stderr, done.stderr)

case("checked")
checked = write("checked.jsonl", [verdict(1, 0, "correct", toolchain="g++ 12.2.0, checked, sm_90"),
                                  verdict(1, 1, "ran", "race", toolchain="g++ 12.2.0, checked, sm_90")])
both = write("both.jsonl", [verdict(1, 0, "correct"), verdict(1, 1, "correct")])
data = '{"task":1,"sample":0,"response":""}\n{"task":1,"sample":1,"response":""}\n'
for words in (["--verdicts", both, "--checked", checked], ["--verdicts", checked]):
    assert_equal(words[-1], [r["reward"] for r in rewarded("--reward", "checked", "--advantage", "none", *words, data=data)],
                 [1, 0])

case("bad input")
for words, data, code, message in (
        ([], "", 2, "--verdicts is missing"),
        (["--verdicts", known, "--reward", "speedup"], "", 2, 'there is no "speedup"'),
        (["--verdicts", known, "--reward", "checked"], "", 2, "made without --check"),
        (["--verdicts", known, "--discount", "2"], "", 2, "--discount is a number from 0 to 1"),
        (["--verdicts", known, "--checked", checked, "--checked", checked], "", 2, "once for each turn"),
        (["--verdicts", known, "--checked", known], "", 1, "without --check"),
        (["--verdicts", known, "--advantage", "none", "--drop-equal"], "", 2, "need advantages"),
        (["--verdicts", known, "--verdicts", checked], "", 1, "other settings"),
        (["--verdicts", room / "none.jsonl"], "", 1, "none.jsonl"),
        (["--verdicts", known], '{"task":7,"sample":0,"response":""}\n', 1, ':1: task "7", sample 0 has no verdict'),
        (["--verdicts", known], '{"task":1,"sample":0,"response":"","turn":0}\n', 1, '"turn" is no number from 1 on'),
        (["--verdicts", known], '{"task":1,"sample":0,"response":"","turn":2}\n', 1, "sample 0, turn 2 has no verdict"),
        (["--verdicts", known], '{"id":1,"code1":"x","code2":"y"}\n', 1, "several answers"),
        (["--verdicts", known], '{"task":1}\n', 1, '"sample"'),
        (["--verdicts", write("one.jsonl", [verdict(1, 0, "ran")])], '{"task":1,"sample":0,"response":""}\n', 1,
         "is the only answer to its task"),
        (["--verdicts", write("no_tokens.jsonl", [verdict(1, 0, "ran", tokens=None)]), "--reward", "tokens"], "", 1,
         'task "1", sample 0: its verdict has no number of tokens')):
    done = run("--plain", *words, data=data)
    assert_that(message, done.returncode == code and message in done.stderr and done.stderr.count("\n") == 1,
                f"{done.returncode} {done.stderr}")
