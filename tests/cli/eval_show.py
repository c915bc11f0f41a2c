"""This tests cuset-eval --show, which shows one candidate with its verdict and all that the compiler said,
and what a verdict keeps of that."""

import json

from _eval import (candidate, finish, need_sandbox, nvcc, room, run, runs_here, task, that, verdicts, write,
                   write_candidates, write_tasks)

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
that("judged", done.returncode == 0, done)
found = verdicts(log)
said = found[1, 0]["compiler"]
that("all of it is kept", "thrice" in said and "fourfold" in said and said.endswith("\n"), said)
that("the first error is the diagnostic", "thrice" in found[1, 0]["diagnostic"]
     and "fourfold" not in found[1, 0]["diagnostic"], found[1, 0])
that("only of what failed", "compiler" not in found[1, 1] and "compiler" not in found["a/b", 0], found)
bounded = found["a/b", 1]["compiler"]
that("it is bounded", 7000 < len(bounded.encode()) <= 8192 and bounded.endswith("[more was said]\n"), bounded[-80:])
that("fences without C++", found[1, 2]["diagnostic"] == "2 fenced blocks, none with C++ or CUDA: python, sh",
     found[1, 2])
again = runs_here("--tasks", tasks, "--verdicts", log, candidates)
that("read again as it was", verdicts(log) == found and b"5 of 5 verdicts were already" in again.stderr, again)
that("nothing is replaced", b"will be replaced" not in again.stderr, again)
# The file of another model: said before its verdicts are replaced.
others = write(room / "others.jsonl", log.read_text())
done = runs_here("--tasks", tasks, "--verdicts", others,
                 write_candidates(room / "changed.jsonl", candidate(1, 0, right), candidate(1, 2, right)))
that("verdicts on other answers", done.stderr.count(
    b"others.jsonl has verdicts on the same samples with other answers, tasks or settings: they will be replaced\n") == 1,
     done)
that("only those", verdicts(others)[1, 1] == found[1, 1] and verdicts(others)[1, 0]["failure"] is None, done)

for words in ((), ("--verdicts", log)):
    done = shown("1/0", *words)
    head, part = parts(done)
    that("exit code", done.returncode == 0, done)
    that("the verdict", head.startswith("task 1 (family1), sample 0: syntax_error, after extracted\n")
         and found[1, 0]["diagnostic"] in head, head)
    that("parts", list(part) == ["compiler", "program.cu", "answer"], list(part))
    that("what the compiler said", part["compiler"] == said, part["compiler"])
    response = candidate(1, 0, two_errors)["response"]
    that("the answer", part["answer"] == response, part["answer"])
    that("the program", "```cuda\n" + part["program.cu"] + "```\n" == response, part["program.cu"])
head, part = parts(shown("1/1"))
that("one that passes", head.startswith("task 1 (family1), sample 1: correct\n") and "compiler" not in part, head)
# What --verdicts has is shown, and nothing is judged.
changed = json.loads(log.read_text().splitlines()[0])
other = dict(found[1, 1], failure="crash", stage="ran", diagnostic="from the file")
head, part = parts(shown("1/1", "--verdicts", write(room / "other.jsonl", json.dumps(other) + "\n")))
that("the file's verdict", "sample 1: crash, after ran\nfrom the file\n" in head, head)
# The last slash divides, and text of others is made visible.
head, part = parts(shown("a/b/0"))
that("no code", head.startswith("task a/b (familya/b), sample 0: no_code, after answered\n"
                                "neither a fenced block nor C++: I \\x1b[31mcannot.\n"), head)
that("its answer", part == {"answer": "I \\x1b[31mcannot.\n"}, part)
done = run("--nvcc", nvcc, "--launcher=env", "--protocol", "cudabench", "--tasks", tasks, "--show", "a/b/0",
           write_candidates(room / "open.jsonl", {"task": "a/b", "sample": 0, "response": "```cpp\nint main() {}"}))
that("an open fence by CUDABench's rule", b"its first ``` is not closed, or has nothing in it\n" in done.stdout, done)

for name, words, code, says in (
        ("1", (), 2, "'1' is not TASK/SAMPLE"), ("/0", (), 2, "TASK/SAMPLE"), ("1/x", (), 2, "TASK/SAMPLE"),
        ("1/0", ("--json",), 2, "--json"), ("1/0", ("--report",), 2, "choose one"),
        ("7/0", (), 1, 'there is no task "7"'), ("1/9", (), 1, 'no sample 9 of task "1"'),
        ("1/0", ("--verdicts", room / "nowhere"), 1, "nowhere")):
    done = shown(name, *words)
    that(f"--show {name} {words}", done.returncode == code and says in done.stderr.decode().splitlines()[-1]
         and not done.stdout, done)
finish()
