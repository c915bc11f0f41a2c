"""This tests how cuset-eval shows the messages of programs, tasks and verdict files: a report or a
message has no control character, XML can be parsed, JSON is valid, and ids are unchanged."""

import json
import unicodedata
import xml.etree.ElementTree as tree

from _eval import (assert_that, candidate, need_sandbox, room, run, run_report, runs_here, task, verdicts, write,
                   write_candidates, write_tasks)

need_sandbox()
nasty = "<\"&'>\ufffe\uffff\ufdd0\u009b2J\u202e\u2066\u061c\u2028\ufeff\u200b\x1b[31m\x07\x7f\r\n\t\U0001fffe"
shown = "<\"&'>\\ufffe\\uffff\\ufdd0\\x9b2J\\u202e\\u2066\\u061c\\u2028\\ufeff\\u200b\\x1b[31m\\x07\\x7f\\r\\n\\t\\U0001fffe"


def is_clean(data):
    """The lines in order, with visible characters only."""
    text = data.decode("utf-8")
    return all(c == "\n" or (unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
                             and ord(c) & 0xFFFE != 0xFFFE and not 0xFDD0 <= ord(c) <= 0xFDEF)
               for c in text)


def that_all_is_clean(name, done, junit):
    assert_that(name + ": report", is_clean(done.stdout), done.stdout)
    assert_that(name + ": stderr", is_clean(done.stderr), done.stderr)
    data = junit.read_bytes()
    assert_that(name + ": JUnit", is_clean(data), data)
    return tree.fromstring(data)


# Programs print it on stderr, gen.py in its last message, and the file of tasks names it.
says = nasty.encode().replace(b"\n", b"\r") + b" \xff\xed\xa0\x80\xc0\xaf "
escaped = "".join(f"\\{b:03o}" for b in says)
tasks = write_tasks(
    room / "tasks.jsonl", task("id" + nasty, task_name="family" + nasty),
    task(2, **{"gen.py": f"import sys\nsys.stderr.buffer.write({says!r})\nsys.exit(3)\n"}))
candidates = write_candidates(room / "candidates.jsonl", candidate(
    "id" + nasty, 0, f"fwrite(\"{escaped}\", 1, {len(says)}, stderr); return 3;"),
    candidate(2, 0, "load(); twice(); store();"))
done = runs_here("--tasks", tasks, "--verdicts", room / "v.jsonl", "--junit", room / "junit.xml", candidates)
assert_that("exit code", done.returncode == 3, done)
assert_that("a warning tells of gen.py", b"gen.py failed" in done.stderr, done.stderr)
parsed = that_all_is_clean("said by programs", done, room / "junit.xml")
assert_that("JUnit's id", ("task id" + shown + " sample 0") in [c.get("name") for c in parsed.iter("testcase")],
            [c.get("name") for c in parsed.iter("testcase")])
assert_that("JUnit's family", ("family" + shown) in [s.get("name") for s in parsed.iter("testsuite")])
found = verdicts(room / "v.jsonl")
assert_that("ids stay exact in records", ("id" + nasty, 0) in found, list(found))
assert_that("the diagnostic is kept visible", all(is_clean(v["diagnostic"].encode()) for v in found.values())
            and "\\xff\\xed\\xa0\\x80\\xc0\\xaf" in found["id" + nasty, 0]["diagnostic"], found)
done = runs_here("--tasks", tasks, "--json", candidates)
assert_that("a report of JSON", "failures" in json.loads(done.stdout), done)
done = runs_here("--tasks", tasks, "--check-tasks")
assert_that("findings are JSON", len([json.loads(line) for line in done.stdout.splitlines()]) == 2, done)
assert_that("findings: stderr", is_clean(done.stderr), done.stderr)
done = runs_here("--tasks", tasks, write_candidates(room / "none.jsonl", candidate("no" + nasty, 0, "x")))
assert_that("an error's text", done.returncode == 1 and is_clean(done.stderr) and shown.encode() in done.stderr, done)

# Another writer made this file of verdicts.
forged = [dict(v, diagnostic=nasty + "x" * 2000 + "the end", toolchain="t" + nasty, family="family" + nasty)
          for v in sorted(found.values(), key=lambda v: v["failure"] == "evaluator")]
forged[0].update(stage="extracted", failure="unsupported")
forged.append(dict(forged[0], sample=1, stage="ran", failure="wrong_output"))
write(room / "forged.jsonl", "".join(json.dumps(v) + "\n" for v in forged))
done = run_report("--tasks", tasks, "--junit", room / "junit.xml", room / "forged.jsonl")
assert_that("forged: exit code", done.returncode == 3, done)
parsed = that_all_is_clean("forged", done, room / "junit.xml")
assert_that("forged: whole lines", done.stdout.count(b"the end\n") == 3, done.stdout)
assert_that("forged: toolchain", ("t" + shown) in [p.get("value") for p in parsed.iter("property")])
done = run_report("--compare", room / "forged.jsonl", room / "forged.jsonl")
assert_that("compared", done.returncode == 0 and is_clean(done.stdout), done)
assert_that("compared as JSON", json.loads(run_report("--compare", "--json", room / "forged.jsonl", room / "forged.jsonl")
                                           .stdout)["toolchain"] == "t" + nasty)
other = write(room / "other.jsonl", "".join(json.dumps(v) + "\n" for v in forged[:1])
              + json.dumps(dict(forged[1], toolchain="u" + nasty)) + "\n")
done = run_report("--tasks", tasks, other)
assert_that("two settings", done.returncode == 1 and is_clean(done.stderr), done)

# A file's claims are checked, and errors reported with their place.
for name, change, words in (
        ("a huge sample", {"sample": 10**12}, "0 to 9999"),
        ("a sample that wraps", {"sample": 2**64 - 1}, "0 to 9999"),
        ("a pass beside a failure", {"stage": "correct"}, "beside failure"),
        ("a run without a failure", {"stage": "ran", "failure": None}, "without a failure"),
        ("a pass of compiling alone", {"stage": "correct", "failure": None, "backend": "compile-only"},
         "compile-only has stage correct"),
        ("time below 0", {"seconds": {"compile": -1, "run": 0, "compare": 0}}, "\"compile\""),
        ("a short key", {"key": "0" * 16}, "earlier version"),
        ("another backend", {"backend": "tpu\x1b"}, "tpu\\x1b")):
    file = write(room / "claims.jsonl", json.dumps(found[2, 0]) + "\n" + json.dumps({**found[2, 0], **change}) + "\n")
    for start, operands in ((run_report, ["--tasks", tasks, file]), (run_report, ["--compare", file, file]),
                            (runs_here, ["--tasks", tasks, "--verdicts", file, candidates])):
        done = start("-q", *operands)
        message = done.stderr.decode()
        assert_that(name, done.returncode == 1 and "claims.jsonl:2: " in message and words in message
                    and message.count("\n") == 1 and not done.stdout, done)
