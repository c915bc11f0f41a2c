"""This tests cuset-eval --show, which shows one candidate with its verdict and all that the compiler said,
and what a verdict keeps of that."""

import json

from _eval import (assert_that, candidate, need_sandbox, nvcc, room, run, run_report, runs_here, task, verdicts,
                   write, write_candidates, write_tasks)

need_sandbox()
tasks = write_tasks(room / "tasks.jsonl", task(1), task("a/b"))
right = "load(); twice(); store();"
two_errors = "load(); thrice(); fourfold(); store();"
long = "".join(f"unknown_{i}();\n" for i in range(400))
prose = "I \x1b[31mcannot."
candidates = write_candidates(
    room / "candidates.jsonl", candidate(1, 0, two_errors), candidate(1, 1, right), candidate("a/b", 0, prose),
    candidate("a/b", 1, long), candidate(1, 2, "```python\nprint(1)\n```\n```sh\nls\n```\n"))


def shown(name, *words):
    return runs_here("--tasks", tasks, "--show", name, *words, candidates)


def parts(done):
    """The text before the first title, and each part by its title."""
    text = done.stdout.decode()
    head, *rest = text.split("\n== ")
    return head, dict(part.split(" ==\n", 1) for part in rest)


log = room / "verdicts.jsonl"
done = runs_here("--tasks", tasks, "--verdicts", log, candidates)
assert_that("judged", done.returncode == 0, done)
found = verdicts(log)
message = found[1, 0]["compiler"]
assert_that("all of it is kept", "thrice" in message and "fourfold" in message and message.endswith("\n"), message)
assert_that("the first error is the diagnostic", "thrice" in found[1, 0]["diagnostic"]
            and "fourfold" not in found[1, 0]["diagnostic"], found[1, 0])
assert_that("only of what failed", "compiler" not in found[1, 1] and "compiler" not in found["a/b", 0], found)
bounded = found["a/b", 1]["compiler"]
assert_that("it is bounded", 7000 < len(bounded.encode()) <= 8192 and bounded.endswith("[cut]\n"), bounded[-80:])
assert_that("fences without C++", found[1, 2]["diagnostic"] == "2 fenced blocks, none with C++ or CUDA: python, sh",
            found[1, 2])
# Reasoning is no answer, and no part of what is told of one.
block = candidate(1, 0, right)["response"]
thoughts = {f"<think>\n{block}": "its reasoning does not end: <think> without </think>",
            f"<think>\n{block}</think> ": "nothing behind its reasoning",
            f"<think>\n{block}</think>I cannot.": "neither a fenced block nor C++: I cannot.",
            f"<think>\n{block}</think>```sh\nls\n```": "1 fenced block, none with C++ or CUDA: sh", f"<think>a</think>{block}": None}
runs_here("--tasks", tasks, "--verdicts", room / "told.jsonl", write_candidates(
    room / "thoughts.jsonl", *(candidate(1, i, "", response=text) for i, text in enumerate(thoughts))))
told = verdicts(room / "told.jsonl")
assert_that("thoughts", [(told[1, i]["failure"], told[1, i]["diagnostic"] or None) for i in range(len(thoughts))] ==
            [(why and "no_code", why) for why in thoughts.values()], told)
again = runs_here("--tasks", tasks, "--verdicts", log, candidates)
assert_that("read again as it was", verdicts(log) == found and b"5 of 5 verdicts were already" in again.stderr, again)
assert_that("nothing is replaced", b"will be replaced" not in again.stderr, again)
# The file of another model: said before its verdicts are replaced.
others = write(room / "others.jsonl", log.read_text())
done = runs_here("--tasks", tasks, "--verdicts", others,
                 write_candidates(room / "changed.jsonl", candidate(1, 0, right), candidate(1, 2, right)))
assert_that("verdicts on other answers", done.stderr.count(
    b"others.jsonl has verdicts on the same samples with other answers, tasks or settings: they will be replaced\n") == 1,
            done)
assert_that("only those", verdicts(others)[1, 1] == found[1, 1] and verdicts(others)[1, 0]["failure"] is None, done)

for words in ((), ("--verdicts", log)):
    done = shown("1/0", *words)
    head, part = parts(done)
    assert_that("exit code", done.returncode == 0, done)
    assert_that("the verdict", head.startswith("task 1 (family1), sample 0: syntax_error, after extracted\n")
                and found[1, 0]["diagnostic"] in head, head)
    assert_that("parts", list(part) == ["compiler", "program.cu", "answer"], list(part))
    assert_that("what the compiler said", part["compiler"] == message, part["compiler"])
    response = candidate(1, 0, two_errors)["response"]
    assert_that("the answer", part["answer"] == response, part["answer"])
    assert_that("the program", "```cuda\n" + part["program.cu"] + "```\n" == response, part["program.cu"])
head, part = parts(shown("1/1"))
assert_that("one that passes", head.startswith("task 1 (family1), sample 1: correct\n") and "compiler" not in part, head)
# cuset-report shows the same of what --verdicts has, and judges nothing.
for name in ("1/0", "1/1", "a/b/1"):
    done = run_report("--tasks", tasks, "--show", name, "--verdicts", log, candidates)
    assert_that(f"cuset-report --show {name}",
                done.returncode == 0 and done.stdout == shown(name, "--verdicts", log).stdout, done)
seventh = write_candidates(room / "seven.jsonl", candidate(1, 7, right))
for words, code, says in (((), 2, "--show needs --verdicts"), (("--verdicts", others), 1, "has no verdict on 1/7")):
    done = run_report("--tasks", tasks, "--show", "1/7", *words, seventh)
    assert_that(f"cuset-report --show {words}", done.returncode == code and says in done.stderr.decode() and not done.stdout,
                done)
# What --verdicts has is shown, and nothing is judged.
changed = json.loads(log.read_text().splitlines()[0])
other = dict(found[1, 1], failure="crash", stage="ran", diagnostic="from the file")
head, part = parts(shown("1/1", "--verdicts", write(room / "other.jsonl", json.dumps(other) + "\n")))
assert_that("the file's verdict", "sample 1: crash, after ran\nfrom the file\n" in head, head)
# The last slash divides, and text of others is made visible.
head, part = parts(shown("a/b/0"))
assert_that("no code", head.startswith("task a/b (familya/b), sample 0: no_code, after answered\n"
                                       "neither a fenced block nor C++: I \\x1b[31mcannot.\n"), head)
assert_that("its answer", part == {"answer": "I \\x1b[31mcannot.\n"}, part)
done = run("--nvcc", nvcc, "--launcher=env", "--protocol", "cudabench", "--tasks", tasks, "--show", "a/b/0",
           write_candidates(room / "open.jsonl", {"task": "a/b", "sample": 0, "response": "```cpp\nint main() {}"}))
assert_that("an open fence by CUDABench's rule", b"its first ``` is not closed, or has nothing in it\n" in done.stdout, done)

for name, words, code, says in (
        ("1", (), 2, "'1' is not TASK/SAMPLE"), ("/0", (), 2, "TASK/SAMPLE"), ("1/x", (), 2, "TASK/SAMPLE"),
        ("1/0", ("--json",), 2, "--json"), ("1/0", ("--check-tasks",), 2, "choose one"),
        ("7/0", (), 1, 'there is no task "7"'), ("1/9", (), 1, 'no sample 9 of task "1"'),
        ("1/0", ("--verdicts", room / "nowhere"), 1, "nowhere")):
    done = shown(name, *words)
    assert_that(f"--show {name} {words}", done.returncode == code and says in done.stderr.decode().splitlines()[-1]
                and not done.stdout, done)
