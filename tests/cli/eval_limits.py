"""This tests the limits on what strangers' programs and files may use of the evaluating machine:
compilers' output, the cache, long lines, large answers, and the time and memory of gen.py and
compare.py."""

import fcntl
import json
import os
import pathlib
import resource
import shutil
import subprocess

from _eval import (assert_that, built, candidate, generator, need_sandbox, nvcc, room, run, runs_here, task, tool,
                   verdicts, write, write_candidates, write_tasks)
from _host_runtime import seed

need_sandbox()
right = "load(); twice(); store();"
tasks = write_tasks(room / "tasks.jsonl", task(1), task(2))

# The real compilers: their output is bounded, and their messages are the same in each run.
kernel = "__global__ void k() {}\nint main() { k<<<1, 1>>>(); return p[5]; }\n"


def array(mebibytes):
    return f"static char a[{mebibytes} << 20] = {{1}};\nchar* volatile p = a;\n"


programs = [
    ("600 MiB", array(600) + kernel, "compile_limit", "wrote a file of more than 512 MiB"),
    ("a large program", array(260) + kernel, "compile_limit", " bytes, more than 256 MiB"),
    ("one within the limit", array(100) + kernel, None, ""),
    ("a quoted line", array(1) + kernel.replace("return", 'p = "out of memory: File size limit exceeded" + 1.5;\n return'),
     "syntax_error", "error: "),
]
answers = write_candidates(room / "answers.jsonl", *(
    {"id": 1, "code1": text} if i == 0 else {"id": 1, f"code{i + 1}": text}
    for i, (_, text, _, _) in enumerate(programs)))
compilers = {"g++": ["--backend=host", "--nvcc=none"]}
if shutil.which("nvcc") or pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
    compilers["nvcc"] = ["--backend=gpu"]
else:
    print("not shown here: nvcc, which is not installed")
for name, options in compilers.items():
    reported = []
    for attempt in range(2):
        cache = room / f"cache-{name}-{attempt}"
        seed(cache)
        kept = room / f"v-{name}-{attempt}.jsonl"
        done = run("--compile-only", *options, "--tasks", tasks, "--verdicts", kept, "-t2", answers,
                   XDG_CACHE_HOME=str(cache))
        assert_that(name, done.returncode == 0, done.stderr.decode())
        found = verdicts(kept)
        for i, (case, _, kind, words) in enumerate(programs):
            v = found.get((1, i), {"failure": "none", "diagnostic": ""})
            assert_that(f"{name}: {case}", v["failure"] == kind and words in v["diagnostic"], v)
            if kind == "compile_limit":
                assert_that(f"{name}: {case}", v["diagnostic"].startswith(name), v)
        reported.append({place: v["diagnostic"] for place, v in found.items()})
        sizes = [p.stat().st_size for p in cache.glob("cuset/compile/*/*/program")]
        assert_that(f"{name}: no large program is kept", sizes and max(sizes) < 256 << 20, sizes)
        shutil.rmtree(cache)
    assert_that(f"{name} says the same again", reported[0] == reported[1] and "/tmp/" not in str(reported[0]), reported)

# The assembler's messages. The host backend refuses by name what only g++ lets through to it.
assembled = write_candidates(
    room / "assembled.jsonl", candidate(1, 0, 'asm("foo %eax");'),
    {"task": 1, "sample": 1, "response": 'void f() asm("same");\nvoid g() asm("same");\n'
     "void f() {}\nvoid g() {}\nint main() {}\n"})
for name, start in (("g++", lambda *words, **more: run("--nvcc", nvcc, *words, **more)),
                    ("nvcc", run))[:1 + ("nvcc" in compilers)]:
    reported = []
    for attempt in range(2):
        kept = room / f"as-{name}-{attempt}.jsonl"
        start("--compile-only", "--backend=gpu", "--tasks", tasks, "--verdicts", kept, assembled,
              XDG_CACHE_HOME=str(room / f"as-{name}-{attempt}"))
        reported.append({place: (v["failure"], v["diagnostic"]) for place, v in verdicts(kept).items()})
    first, second = reported[0].get((1, 0)), reported[0].get((1, 1))
    assert_that(f"{name}'s assembler", first and first[0] == "syntax_error"
                and first[1].endswith("Error: no such instruction: `foo %eax'"), reported)
    assert_that(f"{name}'s assembler, in a file of its own", second and second[0] == "syntax_error"
                and second[1].startswith("program.s:") and second[1].endswith("symbol `same' is already defined"), reported)
    assert_that(f"{name}'s assembler says the same again", reported[0] == reported[1], reported)

# The cache: an old and large entry is removed, unless an evaluation uses it.
one = write_candidates(room / "one.jsonl", candidate(1, 0, right))


def entry(name, used):
    """An entry whose program has 1.2 GiB."""
    place = room / "bounded/cuset/compile/00" / name
    write(place / "key", name)
    program = write(place / "program", "x")
    with open(program, "r+b") as file:
        os.posix_fallocate(file.fileno(), 0, 1200 << 20)
    os.utime(place / "key", (used, used))
    return place


def evaluated(*options):
    done = runs_here("--tasks", tasks, "--json", *options, one, XDG_CACHE_HOME=str(room / "bounded"))
    assert_that("an evaluation with a bounded cache", done.returncode == 0
                and json.loads(done.stdout)["funnel"]["correct"] == 1, done)


try:
    old = entry("old", 10**9)
    evaluated("--cache-size=0")
    assert_that("no bound", old.exists())
    evaluated()
    assert_that("within the bound", old.exists())
    with open(old / "key", "rb") as key:
        fcntl.flock(key, fcntl.LOCK_SH)
        evaluated("--cache-size=1")
        assert_that("in use", old.exists())
    recent = entry("recent", 2 * 10**9)
    evaluated()
    assert_that("the oldest of two", recent.exists() and not old.exists())
    evaluated("--cache-size=1")
    assert_that("more than the bound", not recent.exists())
    assert_that("what was just made stays", len(list((room / "bounded").glob("cuset/compile/*/*/program"))) > 0)
except OSError as error:
    print("not shown here: a large cache:", error)
left = room / "bounded/cuset/compile/00/.work-left"
write(left / "program", "half")
os.utime(left, (10**9, 10**9))
evaluated()
assert_that("the work of the dead", not left.exists())
shutil.rmtree(room / "bounded")

# A line of 1 GiB in some KiB of zstd is reported with its place, before it fills the memory.
subprocess.run(f"""cd {room}
head -c 1G /dev/zero | tr '\\0' x | zstd -q -o line.zst
(cat one.jsonl; printf '{{"task":1,"sample":1,"response":"') | zstd -q | cat - line.zst >bomb.zst
echo '"}}' | zstd -q >>bomb.zst""", shell=True, check=True)


def of_little_memory(name, *words, start=(tool, "--nvcc", nvcc, "--launcher=env")):
    """Runs within 3 GiB of addresses; the tool once used 4 GiB of memory here."""
    done = subprocess.run(
        [*start, "-q", *map(str, words)], capture_output=True, timeout=1800,
        env=dict(os.environ, XDG_CACHE_HOME=str(room / "cache"), TMPDIR=str(room / "scratch")),
        preexec_fn=None if os.environ.get("CUSET_SANITIZERS")
        else lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)))
    message = done.stderr.decode()
    assert_that(name, done.returncode == 1 and "the line is longer than 128 MiB" in message and message.count("\n") == 1,
                done.returncode, message)
    return message


message = of_little_memory("a long line of candidates", "--tasks", tasks, "--verdicts", room / "before.jsonl",
                        room / "bomb.zst")
assert_that("its place", "bomb.zst:2: " in message, message)
assert_that("what came before it", set(verdicts(room / "before.jsonl")) == {(1, 0)})
of_little_memory("a long line is no bad record", "--tasks", tasks, "--on-error=skip", "--rejects",
                 room / "rejects", room / "bomb.zst")
of_little_memory("a long line of tasks", "--tasks", room / "line.zst", one)
of_little_memory("a long line of verdicts", "--tasks", tasks, room / "line.zst", start=[built("cuset-report")])
of_little_memory("a long line of findings", "--tasks", tasks, "--leave-out", room / "line.zst",
                 room / "before.jsonl", start=[built("cuset-report")])
with open(room / "sparse.jsonl", "wb") as file:
    file.truncate(1 << 30)
    file.seek(0, 2)
    file.write(b"\n")
of_little_memory("a long line of a log", "--tasks", tasks, "--verdicts", room / "sparse.jsonl", one)

# Answers and tasks' programs.
big = write_candidates(room / "big.jsonl", candidate(1, 0, right),
                       {"task": 1, "sample": 1, "response": "x" * ((16 << 20) + 1)},
                       {"id": 2, "code1": "x" * (16 << 20), "response1": "x" * (16 << 20)})
done = runs_here("--tasks", tasks, "--compile-only", big)
assert_that("a large answer", done.returncode == 1 and b'big.jsonl:2: "response" is larger than 16 MiB' in done.stderr, done.stderr)
done = runs_here("--tasks", tasks, "--compile-only", "--json", "--on-error=skip", "--rejects", room / "rejects", big)
assert_that("a large answer set aside", done.returncode == 3 and json.loads(done.stdout)["verdicts"] == 2, done)
large = write_tasks(room / "large.jsonl", task(1, **{"gen.py": "#" * ((16 << 20) + 1)}))
done = runs_here("--tasks", large, one)
assert_that("a large task", done.returncode == 1 and b'large.jsonl:1: "gen.py" is larger than 16 MiB' in done.stderr, done.stderr)

# gen.py and compare.py.
greedy = "import mmap\nx = bytearray(b'x') * (1500 << 20)\n"
slow = write_tasks(room / "slow.jsonl", task(1, **{"gen.py": generator + "import time\ntime.sleep(3)\n"}),
                   task(2, **{"gen.py": generator + greedy}))
both = write_candidates(room / "both.jsonl", candidate(1, 0, right), candidate(2, 0, right))
# One run for each limit: a busy machine needs seconds to fill a GiB.
slow_one = write_candidates(room / "slow-one.jsonl", candidate(1, 0, right))
greedy_one = write_candidates(room / "greedy-one.jsonl", candidate(2, 0, right))
runs_here("--tasks", slow, "--verdicts", room / "slow-v.jsonl", "--task-timeout=1.5", slow_one)
runs_here("--tasks", slow, "--verdicts", room / "slow-v.jsonl", "--task-memory=1", greedy_one)
found = verdicts(room / "slow-v.jsonl")
assert_that("gen.py's time", found[1, 0]["failure"] == "evaluator" and "1.5 s" in found[1, 0]["diagnostic"], found)
assert_that("gen.py's memory", found[2, 0]["failure"] == "evaluator" and "1 GiB" in found[2, 0]["diagnostic"], found)
# Judged again, since the failure was the task's; never again once it is settled.
judged = []
for _ in range(2):
    runs_here("--tasks", slow, "--verdicts", room / "slow-v.jsonl", both)
    judged.append((room / "slow-v.jsonl").read_bytes())
found = verdicts(room / "slow-v.jsonl")
assert_that("with the time that it takes", [v["failure"] for v in found.values()] == [None, None], found)
assert_that("settled", judged[0] == judged[1] and judged[0].count(b"\n") == 2, judged)
for value in ("0", "-1", "nan"):
    done = runs_here("--tasks", tasks, f"--task-timeout={value}", one)
    assert_that("a wrong time", done.returncode == 2 and b"--task-timeout" in done.stderr, done)
