"""This runs cuset-eval on wrong command lines, files and machines, and tests interrupted, shared
and sharded evaluations. Each gives one line on stderr and the documented exit code, and loses
nothing."""

import json
import os
import pathlib
import shutil
import subprocess

from _eval import (assert_exit, assert_that, candidate, kill_at, need_sandbox, nvcc, room, run, run_report, runs_here,
                   task, tool, verdicts, wait_for, write, write_candidates, write_tasks)

need_sandbox()
right = "load(); twice(); store();"
tasks = write_tasks(room / "tasks.jsonl", task(1), task(2), task("three"))
one = write_candidates(room / "one.jsonl", candidate(1, 0, right))


def bad(name, code, words, *options, start=runs_here, **more):
    done = start("-q", *options, **more)
    assert_exit(name, done, code, *words)
    assert_that(f"{name}: nothing is written", not done.stdout, done.stdout)


# The command line.
bad("no tasks", 2, ["--tasks"], one)
bad("two modes", 2, ["--table", "--compare"], "--table", "--compare", one, start=run_report)
bad("one file", 2, ["two files"], "--compare", one, start=run_report)
bad("check of candidates", 2, ["--check-tasks"], "--tasks", tasks, "--check-tasks", one)
bad("timeout", 2, ["--timeout"], "--tasks", tasks, "--timeout=0", one)
bad("timeout", 2, ["--timeout"], "--tasks", tasks, "--timeout=nan", one)
bad("samples", 2, ["--samples"], "--tasks", tasks, "-n-1", one)
bad("backend", 2, ["tpu"], "--tasks", tasks, "--backend=tpu", one)
bad("one file twice", 2, ["-o", "--verdicts"], "--tasks", tasks, "-o", room / "x", "--verdicts",
    room / "x", one)
bad("input as verdicts", 2, ["one.jsonl", "--verdicts"], "--tasks", tasks, "--verdicts", one, one)
bad("no home", 2, ["XDG_CACHE_HOME"], "--tasks", tasks, one, XDG_CACHE_HOME="", HOME="")

for option in ("-o", "--junit", "--rejects", "--verdicts"):
    for name in (tasks, one):
        before = name.read_bytes()
        words = ["--on-error=skip"] if option == "--rejects" else []
        bad("an input is written", 2, [option, "same file"], "--tasks", tasks, *words, option, name, one)
        assert_that("an input is written", name.read_bytes() == before)

# Missing files.
bad("no task file", 1, ["nowhere"], "--tasks", room / "nowhere", one)
bad("no candidates", 1, ["nowhere"], "--tasks", tasks, room / "nowhere")
bad("no nvcc", 4, ["no-nvcc", "CUDA toolkit"], "--tasks", tasks, "--nvcc=no-nvcc", one)
bad("no python", 4, ["no-python"], "--tasks", tasks, "--python=no-python", one)
write(room / "broken-python", "#!/bin/sh\nexit 3\n").chmod(0o755)
bad("broken python", 4, ["broken-python"], "--tasks", tasks, "--python", room / "broken-python", one)
write(room / "silent/bin/nvcc", "#!/bin/sh\nexit 0\n").chmod(0o755)
bad("silent nvcc", 4, ["version"], "--tasks", tasks, "--nvcc", room / "silent/bin/nvcc", one)
# This one runs here, but not with only the system's folders.
write(room / "torn/bin/nvcc", f"#!{room}/shell\n" + (room / "toolkit/bin/nvcc").read_text()
      ).chmod(0o755)
shutil.copy("/bin/sh", room / "shell")
bad("nvcc outside", 4, ["sandbox"], "--tasks", tasks, "--nvcc", room / "torn/bin/nvcc", one)
(room / "bin").mkdir()
for name in ("env", "sh", "python3"):
    (room / "bin" / name).symlink_to(shutil.which(name))
bad("no bubblewrap", 4, ["bubblewrap"], "--tasks", tasks, one, PATH=str(room / "bin"))
if shutil.which("nvidia-smi") is None:
    bad("no GPU", 4, ["GPU", "--compile-only"], "--backend=gpu", "--nvcc", nvcc, "--tasks", tasks, one,
        start=run)

bad("wrong flags", 4, ["simplest program", "no-such-flag"], "--tasks", tasks,
    "--nvcc-flags=--no-such-flag", one)

# Tasks and candidates.
for text, words in ((b"{\n", ":1:"), (b'{"id":1}\n{"id":"1"}\n', ":2:"), (b"", "no task"),
                    (b'{"id":1,"outputs":[{"name":"../y"}]}\n', "file name")):
    bad("bad tasks", 1, [words], "--tasks", write(room / "bad-tasks.jsonl", text), one)
for name, text, words in (
        ("no JSON", "{", [":2:"]), ("no candidate", "{}", [":2:"]), ("an array", "[1]", [":2:"]),
        ("unknown task", json.dumps(candidate(9, 0, right)), [":2:", '"9"']),
        ("again", json.dumps(candidate(1, 0, right)), [":2:", "sample 0"]),
        ("again, as text", json.dumps(candidate("1", 0, right)), [":2:", "sample 0"]),
        ("no sample", '{"task":1,"response":"x"}', [":2:", "sample"]),
        ("sample of -1", '{"task":1,"sample":-1,"response":"x"}', [":2:", "sample"]),
        ("huge sample", '{"task":1,"sample":1000000000000,"response":"x"}', [":2:", "sample"]),
        ("no response", '{"task":1,"sample":1}', [":2:", "response"]),
        ("code is a number", '{"id":1,"code1":3}', [":2:", "code1"]),
        ("no code", '{"id":1}', [":2:", "code1"])):
    stream = write(room / "bad.jsonl", one.read_text() + text + "\n" +
                   json.dumps(candidate(2, 0, right)) + "\n")
    bad(name, 1, words, "--tasks", tasks, "--verdicts", room / "bad-v.jsonl", stream)
    assert_that(name, set(verdicts(room / "bad-v.jsonl")) == {(1, 0)}, "what came before is not kept")
    (room / "bad-v.jsonl").unlink()
    done = runs_here("--tasks", tasks, "--on-error=skip", "--rejects", room / "rejects", "--json",
                     stream)
    assert_that(name, done.returncode == 3 and (room / "rejects").read_text() == text + "\n"
                and json.loads(done.stdout)["funnel"]["correct"] == 2, done)
    assert_that(name, "1 of 3 records rejected" in done.stderr.decode(), done.stderr)
done = runs_here("--tasks", tasks, "--json", data=b"")
assert_that("no candidate at all", done.returncode == 1 and done.stdout == b""
            and b"no candidates to report" in done.stderr, done)
done = runs_here("--tasks", tasks, "--json", "--shard=0/2", data=b"")
assert_that("no candidate in a part", done.returncode == 0 and b"no candidates in this shard" in done.stderr, done)
done = runs_here("--tasks", tasks, "-n2", "--json", one)
report = json.loads(done.stdout)
assert_that("missing samples", (report["missing"], report["rates"][0]["mean"]) == (5, 0.333333), report)
mine = write(room.parent / "cuset-eval-of-somebody/kept", "x")
done = subprocess.run(f"zstd -q < {one} | {tool} --nvcc {nvcc} --launcher=env --tasks {tasks}",
                      shell=True, capture_output=True,
                      env=dict(os.environ, TMPDIR=str(room.parent), XDG_CACHE_HOME=str(room / "cache")))
assert_that("a folder of another name's", mine.exists())
shutil.rmtree(mine.parent)
assert_that("from a pipe, compressed", b"correct               1" in done.stdout, done)

done = runs_here("--tasks", tasks, "--json", write(room / "odd.jsonl", (
    '{"task":1,"sample":0,"response":"no","task":2,"response":%s}\n' % json.dumps(
        candidate(1, 0, right)["response"]) + json.dumps(candidate(1, 0, right)).replace(
            "```cuda", "\\ud800 \\ud83d\\ude00\\n```cuda") + "\n")))
assert_that("duplicate keys and half characters", json.loads(done.stdout)["funnel"]["correct"] == 2, done)

# Verdict files.
kept = room / "kept.jsonl"
bad("not verdicts", 1, [":1:"], "--tasks", tasks, one, start=run_report)
bad("no verdicts", 1, ["no verdicts"], "--tasks", tasks, "/dev/null", start=run_report)
bad("verdicts of others", 1, [":1:"], "--tasks", tasks, "--verdicts",
    shutil.copy(one, room / "copy.jsonl"), one)
bad("a folder", 1, ["room"], "--tasks", tasks, "--verdicts", (room / "room"), one) \
    if (room / "room").mkdir() else None
subprocess.run(["zstd", "-q", one, "-o", room / "v.zst"], check=True)
bad("compressed verdicts", 2, ["compressed"], "--tasks", tasks, "--verdicts", room / "v.zst", one)
runs_here("--tasks", tasks, "--verdicts", kept, one)
whole = kept.read_bytes()
for cut in (1, 10, len(whole) - 1):
    kept.write_bytes(whole + whole[:cut])
    done = runs_here("--tasks", tasks, "--verdicts", kept, "--json", one)
    assert_that("a line cut off", done.returncode == 0 and kept.read_bytes() == whole
                and b"cut off" in done.stderr, done.stderr, kept.read_bytes())
other = json.loads(whole) | {"toolchain": "nvcc 9", "sample": 1}
twice = write(room / "twice.jsonl", whole)
bad("two models", 2, ["twice.jsonl:1:", "--table"], "--tasks", tasks, kept, twice, start=run_report)
mixed = write(room / "mixed.jsonl", whole + (json.dumps(other) + "\n").encode())
bad("mixed verdicts", 1, ["several settings", "nvcc 9"], "--tasks", tasks, mixed, start=run_report)
alone = write(room / "alone.jsonl", json.dumps(other) + "\n")
bad("other toolchains", 2, ["toolchain"], "--compare", kept, alone, start=run_report)
strange = write(room / "strange.jsonl", json.dumps(json.loads(whole) | {"task": 77}) + "\n")
bad("verdict of no task", 2, ["77"], "--tasks", tasks, strange, start=run_report)

# The settings that a verdict depends on. A new verdict takes the old one's place.
def judged(*options):
    before = kept.read_bytes()
    done = runs_here("--tasks", tasks, "--verdicts", kept, *options, one)
    assert_that("changed", done.returncode == 0, done.stderr.decode())
    assert_that("one verdict a candidate", kept.read_bytes().count(b"\n") == 1, kept.read_bytes())
    again = b"were already in" not in done.stderr
    assert_that("a new verdict", (kept.read_bytes() != before) == again, before, kept.read_bytes())
    return again


assert_that("nothing has changed", judged() == 0)
assert_that("another limit", judged("--timeout=33") == 1 and judged("--timeout=33") == 0)
assert_that("other flags", judged("--nvcc-flags=-g -O2") == 1)
assert_that("another fence", judged("--fence=last") == 1)
tasks_before = tasks.read_bytes()
write_tasks(tasks, task(1, **{"compare.py": 'print("T")\n'}), task(2), task("three"))
assert_that("another task", judged() == 1)
bad("verdicts of another task", 2, ["another version"], "--tasks", write(room / "before.jsonl", tasks_before), kept,
    start=run_report)
tasks.write_bytes(tasks_before)
assert_that("the task again", judged() == 1)
write_tasks(tasks, task(1), task(2), task("three"), task(4))
assert_that("one more task", judged() == 0)
done = run_report("--tasks", tasks, "--json", kept)
assert_that("one more task", done.returncode == 0 and json.loads(done.stdout)["tasks"] == 4, done)
tasks.write_bytes(tasks_before)
slow = write(room / "slow/bin/nvcc", (room / "toolkit/bin/nvcc").read_text().replace(
    "shift 3\n", "shift 3\ngrep -q twice $source && sleep 2\n"))
slow.chmod(0o755)
late = room / "late.jsonl"
for limit, kind in ((1, "compile_timeout"), (1, "compile_timeout"), (120, None), (1, None)):
    runs_here("--tasks", tasks, "--verdicts", late, "--nvcc", slow, f"--compile-timeout={limit}", one,
              XDG_CACHE_HOME=str(room / "slow-cache"))
    assert_that("nvcc's time", verdicts(late)[1, 0]["failure"] == kind and late.read_bytes().count(b"\n") == 1,
                limit, late.read_text())
killed = write(room / "killed/bin/nvcc", (room / "toolkit/bin/nvcc").read_text().replace(
    "shift 3\n", "shift 3\ngrep -q twice $source && test ! -e /tmp/memory &&"
                  " { echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1; }\n"))
killed.chmod(0o755)
done = runs_here("--tasks", tasks, "--nvcc", killed, "--json", one, XDG_CACHE_HOME=str(room / "oom"))
assert_that("out of memory", json.loads(done.stdout)["failures"].get("compile_limit", {}).get("count") == 1, done)
done = runs_here("--tasks", tasks, "--json", one, XDG_CACHE_HOME=str(room / "oom"))
assert_that("out of memory is not kept", json.loads(done.stdout)["funnel"]["correct"] == 1, done)
queue = write(room / "queue", '#!/bin/sh\nsleep 9\nexec "$@"\n')
queue.chmod(0o755)
done = run("--nvcc", nvcc, "--launcher", queue, "--timeout=8", "--json", "--tasks", tasks, one)
assert_that("time in a queue", json.loads(done.stdout)["funnel"]["correct"] == 1, done)

# Shards: the verdicts of all parts together are those of the whole.
all_tasks = write_tasks(room / "all.jsonl", *(task(i) for i in range(8)))
many = write_candidates(room / "many.jsonl", *(candidate(i, s, right if (i + s) % 3 else "load();")
                                               for i in range(8) for s in range(2)))
whole_report = runs_here("--tasks", all_tasks, "--json", many)
counts = []
for i in range(3):
    done = runs_here("--tasks", all_tasks, "--shard", f"{i}/3", "--verdicts", room / f"part{i}.jsonl",
                     "--json", many)
    counts.append(json.loads(done.stdout)["tasks"])
    assert_that("shard", json.loads(done.stdout)["missing"] == 0, done.stdout)
joined = run_report("--tasks", all_tasks, "--json", *(room / f"part{i}.jsonl" for i in range(3)))


done = run_report("--tasks", all_tasks, "--json", "--shard=0/3", *(room / f"part{i}.jsonl" for i in range(3)))
assert_that("a shard's report", json.loads(done.stdout)["tasks"] == counts[0], done)


def untimed(text):
    return {k: v for k, v in json.loads(text).items() if "seconds" not in k}


assert_that("shards", sum(counts) == 8 and untimed(joined.stdout) == untimed(whole_report.stdout),
            counts, joined.stdout, whole_report.stdout)

# Killed at some moment and continued: the same report, and no verdict twice; then two at once.
kept = room / "killed.jsonl"
for lines in (1, 5, 9):
    process = subprocess.Popen(
        [tool, "--nvcc", nvcc, "--launcher=env", "--tasks", all_tasks, "--verdicts", kept, many],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=dict(os.environ, XDG_CACHE_HOME=str(room / "cold"), TMPDIR=str(room / "scratch")))
    kill_at(lines, kept, process)
done = runs_here("--tasks", all_tasks, "--verdicts", kept, "--json", many,
                 XDG_CACHE_HOME=str(room / "cold"))
assert_that("killed", untimed(done.stdout) == untimed(whole_report.stdout), done)
assert_that("killed", kept.read_bytes().count(b"\n") == 16, kept.read_bytes().count(b"\n"))
assert_that("killed", not list((room / "scratch").iterdir()), list((room / "scratch").iterdir()))
waiting = subprocess.Popen([tool, "--nvcc", nvcc, "--compile-only", "--tasks", all_tasks,
                            "--verdicts", kept], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, env=dict(os.environ, TMPDIR=str(room / "scratch")))
waiting.stderr.readline()
wait_for("the lock on the verdicts", lambda: f":{kept.stat().st_ino} " in pathlib.Path("/proc/locks").read_text())
bad("two of one file", 2, ["another run"], "--tasks", all_tasks, "--verdicts", kept, many)
waiting.stdin.close()
waiting.wait()
both = [subprocess.Popen([tool, "--nvcc", nvcc, "--launcher=env", "--json", "--tasks", all_tasks, many],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         env=dict(os.environ, XDG_CACHE_HOME=str(room / "shared"),
                                  TMPDIR=str(room / "scratch"))) for _ in range(2)]
for process in both:
    assert_that("a shared cache", untimed(process.communicate()[0]) == untimed(whole_report.stdout))

# A cache on a full disk is reported, and the verdicts before it are kept.
small = room / "small"
small.mkdir()
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24k", "tmpfs", small],
                  capture_output=True).returncode == 0:
    bad("full cache", 1, ["No space left"], "--tasks", all_tasks, many, XDG_CACHE_HOME=str(small))
    subprocess.run(["umount", small], check=True)
else:
    print("not shown here: a full disk (no right to mount)")
