"""This tests --inputs, which runs gen.py with other seeds, and the bounds on a task's data."""

import json
import random

from _eval import (assert_that, candidate, generator, need_sandbox, prelude, room, runs_here, task, verdicts,
                   write_candidates, write_tasks)

need_sandbox()
seeded = generator.replace("x = [", "import random\nrandom.seed(1)\nx = [").replace("0.5 * i + 1", "random.random()")
right = "load(); twice(); store();"
# The answer for the inputs that seed 1 gives.
by_heart = "load(); float v[] = {%s}; for (int i = 0; i < 16; ++i) y[i] = v[i]; store();"
draw = random.Random(1)
by_heart %= ",".join(f"{2 * draw.random()!r}f" for _ in range(16))
tasks = write_tasks(room / "t.jsonl", task(1, **{"gen.py": seeded}),
                    task(2, **{"gen.py": seeded, "bench.cu": prelude + "int main() {" + by_heart + "}"}),
                    task(3))
answers = write_candidates(room / "c.jsonl", candidate(1, 0, right), candidate(1, 1, by_heart),
                           candidate(2, 0, right), candidate(3, 0, right))
done = runs_here("--tasks", tasks, "--verdicts", room / "one.jsonl", answers)
assert_that("one set", all(v["failure"] is None and v["inputs"] == 1 for v in verdicts(room / "one.jsonl").values()), done)
kept = room / "three.jsonl"
done = runs_here("--inputs=3", "--tasks", tasks, "--verdicts", kept, answers)
v = verdicts(kept)
assert_that("right for all", v[1, 0]["failure"] is None and v[3, 0]["failure"] is None and v[1, 0]["inputs"] == 3, v)
assert_that("by heart", v[1, 1]["failure"] == "wrong_output" and v[1, 1]["diagnostic"] == "inputs 2 of 3: compare.py: F", v[1, 1])
assert_that("bench.cu is told", v[2, 0]["failure"] == "evaluator"
            and v[2, 0]["diagnostic"] == "inputs 2 of 3: bench.cu itself fails: wrong_output: compare.py: F", v[2, 0])
assert_that("the task is named", b"not judged: task 2 (family2)" in done.stderr, done.stderr)
assert_that("the report has the number", b"\ninputs      3 sets of each task\n" in done.stdout, done.stdout)
done = runs_here("--inputs=3", "--tasks", tasks, "--verdicts", kept, answers)
assert_that("the same sets again", b"3 of 4 verdicts were already" in done.stderr, done.stderr)
done = runs_here("--inputs=3", "--seed=7", "--tasks", tasks, "--verdicts", kept, answers)
assert_that("other seeds are judged", b"verdicts were already" not in done.stderr, done.stderr)
done = runs_here("--tasks", tasks, "--verdicts", kept, answers)
assert_that("another number", done.returncode == 2
            and b"three.jsonl:1: this verdict was made with --protocol cuset --inputs 3, and this run has "
                b"--protocol cuset: --verdicts needs another file\n" in done.stderr, done.stderr)
done = runs_here("--inputs=2", "--tasks", tasks, "--check-tasks")
message = {w["task"]: w["weak"] for w in map(json.loads, done.stdout.splitlines())}
assert_that("checked", message == {1: [], 2: ["program_fails"], 3: ["inputs_do_not_vary"]}, done.stdout)
for words in (["--compile-only"], ["--protocol=cudabench"]):
    done = runs_here("--inputs=2", "--tasks", tasks, *words, room / "one.jsonl")
    assert_that("what does not go with it", done.returncode == 2 and b"--inputs" in done.stderr, done)

# Data larger than the memory that a program may take: nothing is made of it, and the task is named.
array = {"name": "x", "dtype": "float32", "shape": "(1024, 1024, 300)"}
slow = "import time\ntime.sleep(100)\n"
large = [task(1, task_name="Large", inputs=[array], **{"gen.py": slow}),
         task(2, inputs=[{**array, "shape": "(1024, 1024, 200)"}], **{"gen.py": generator}),
         task(3, inputs=[{"name": "x"}], **{"gen.py": generator + "open('data/x.bin', 'wb').truncate(1100 << 20)\n"})]
done = runs_here("--memory=1", "--tasks", write_tasks(room / "t.jsonl", *large), "--verdicts", room / "large.jsonl",
                 write_candidates(room / "c.jsonl", *(candidate(i, 0, right) for i in (1, 2, 3))))
v = {i: found["diagnostic"] for (i, _), found in verdicts(room / "large.jsonl").items()}
assert_that("declared", v[1] == "its inputs and outputs have 1.17 GiB, and a program may take 1 GiB (--memory)", v)
assert_that("within the memory", v[2] == "", v)
assert_that("made", v[3] == "gen.py made inputs of 1.07 GiB, and a program may take 1 GiB (--memory)", v)
assert_that("named", b"not judged: task 1 (Large)" in done.stderr and b"not judged: task 3 (family3)" in done.stderr, done.stderr)
