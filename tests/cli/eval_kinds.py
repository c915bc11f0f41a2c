"""Programs misbehave under cuset-eval: one provokes each kind of failure, and the candidates beside
it are not harmed."""

import json
import os
import pathlib
import socket
import threading

from _eval import (assert_equal, assert_exit, assert_that, candidate, need_sandbox, room, runs_here, task, verdicts, write,
                   write_candidates, write_tasks)

need_sandbox()

# A server and a file that programs must not reach.
reached = []
server = socket.create_server(("127.0.0.1", 0))
port = server.getsockname()[1]


def accept():
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        reached.append(port)
        connection.close()


threading.Thread(target=accept, daemon=True).start()
outside = room / "outside"
outside.mkdir()
outside.chmod(0o777)
write(room / "home/.secret", "secret")

right = "load(); twice(); store();"
half = "for (int i = 0; i < 16; ++i) y[i] = x[i];"
cases = [
    # (what it does, the program, kind of failure, part of the diagnostic)
    ("right", right, None, ""),
    ("no code", "I am sorry, but I cannot help with that.", "no_code",
     "neither a fenced block nor C++: I am sorry, but"),
    ("empty", "", "no_code", "the answer is empty"),
    ("syntax error", "load(); twice() store();", "syntax_error", "error"),
    ("cut short", "load(); twi", "syntax_error", "note: a limit of tokens ended the answer"),
    ("unknown name", "load(); thrice(); store();", "syntax_error", "thrice"),
    ("undefined function", "extern void nowhere(); nowhere();", "link_error", "nowhere"),
    ("crash", "load(); volatile int* p = 0; *p = 1;", "crash", "signal 11"),
    ("abort", "fprintf(stderr, \"giving up\\n\"); abort();", "crash", "giving up"),
    ("hang", "for (;;) sleep(1);", "run_timeout", "8 s"),
    ("busy hang", "volatile long n = 0; for (;;) ++n;", "run_timeout", "8 s"),
    ("fork bomb", "for (;;) fork();", "run_limit", "processes"),
    ("memory bomb",
     "for (;;) { char* p = (char*)malloc(64 << 20); if (!p) continue; memset(p, 1, 64 << 20); }",
     "run_limit", "memory"),
    ("much output", "static char b[1 << 20]; memset(b, 'x', sizeof b);"
     "for (int i = 0; i < 10240; ++i) if (write(1, b, sizeof b) < 0) return 1;", "run_limit", "printed"),
    ("large file", "FILE* f = fopen(\"big\", \"wb\"); return ftruncate(fileno(f), 10LL << 30);",
     "run_limit", "wrote"),
    ("exit code", "load(); twice(); store(); puts(\"bad luck\"); return 3;", "wrong_exit",
     "exit code 3: bad luck"),
    ("illegal address", "puts(\"x\"); fputs(\"CUDA error: an illegal memory access was encountered\\n\","
     " stderr); return 1;", "illegal_address", "illegal memory access"),
    ("illegal address, told in passing", "puts(\"an illegal memory access was encountered\");"
     "load(); store();", "wrong_output", "compare.py: F"),
    ("illegal address, told by one that passes", "puts(\"an illegal memory access was encountered\");" + right, None, ""),
    ("launch error", "puts(\"invalid configuration argument\"); return 1;", "launch_error",
     "invalid configuration"),
    ("no device, told in passing", "puts(\"no CUDA-capable device is detected\"); load(); store();", "wrong_output", ""),
    ("no output", "load(); twice();", "missing_output", "data/y.bin"),
    ("output elsewhere", "load(); twice(); FILE* f = fopen(\"y.bin\", \"wb\"); fwrite(y, 4, 16, f); fclose(f);",
     "missing_output", "data/y.bin"),
    ("wrong output", "load(); " + half + " store();", "wrong_output", "compare.py: F"),
    ("zero output", "load(); store();", "wrong_output", ""),
    ("empty output", "load(); twice(); store(0);", "wrong_output", "compare.py"),
    ("truncated output", "load(); twice(); store(15);", "wrong_output", "compare.py"),
    ("verdict on stdout", "load(); " + half + " store(); puts(\"T\\nPASS\\n{\\\"failure\\\":null}\");",
     "wrong_output", ""),
    ("output is a link", "symlink(\"/etc/passwd\", \"data/y.bin\");", "missing_output", ""),
    ("output is a folder", "system(\"mkdir data/y.bin\");", "missing_output", ""),
    ("output is a pipe", "system(\"mkfifo data/y.bin\");", "missing_output", ""),
    ("folder is a link", "system(\"mv data old; ln -s /tmp data; touch /tmp/y.bin\"); return 0;",
     "missing_output", ""),
    ("reads the reference", "int found = system(\"find / -name usr -prune -o -name proc -prune -o -name '*_ref.bin' -print 2>/dev/null | grep -q .\");"
     "load(); if (found == 0) { twice(); store(); } else return 7;", "wrong_exit", "exit code 7"),
    ("reads a home", f"return system(\"cat {room}/home/.secret /root/.* /home/*/.* 2>/dev/null"
     " | grep -q .\") == 0 ? 0 : 6;", "wrong_exit", "exit code 6"),
    ("writes outside", f"return system(\"touch {outside}/was-here || touch /usr/was-here || touch /was-here\")"
     " == 0 ? 0 : 5;", "wrong_exit", "exit code 5"),
    ("network", f"return system(\"bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null\") == 0 ? 0 : 4;",
     "wrong_exit", "exit code 4"),
    ("spoils its inputs", "load(); system(\"rm -f data/x.bin; : > data/x.bin; mv data/x.bin z; chmod 777 data/x.bin\");"
     "memset(x, 0, 4); load(); twice(); store();", None, ""),
    ("deep folders", "for (int i = 0; i < 5000; ++i) { mkdir(\"d\", 0755); if (chdir(\"d\")) break; }"
     " sleep(60);", "run_limit", "wrote"),
    ("memory of no process", "return shmget(IPC_PRIVATE, 1 << 20, 0600) < 0 ? 3 : 0;", "wrong_exit", ""),
    ("another's descriptors", "for (int f = 3; f < 1000; ++f) if (fcntl(f, F_GETFD) >= 0)"
     " { char b[4] = \"bad\"; if (write(f, b, 3) == 3 || openat(f, \"etc\", O_RDONLY) >= 0) return 0; }"
     " return 3;", "wrong_exit", "exit code 3"),
    ("launch in a macro that nobody uses", "\n#define GO k<<<1, 1>>>()\n" + right, "no_launch", ""),
    ("a library's name", "float npp = 1, cub = npp; " + right + " if (cub < npp) return 1;", "no_launch", ""),
    ("launch in a comment", "/* k<<<1, 1>>>(); cub::sum(); */ // cublasSgemm()\n" + right, "no_launch", ""),
    ("zombies and orphans", "load(); twice(); store();"
     "for (int i = 0; i < 20; ++i) if (fork() == 0) return 0;"
     "if (fork() == 0) { setsid(); if (fork() == 0) execlp(\"sleep\", \"cuset-orphan\", \"100\", NULL); return 0; }",
     None, ""),
    ("not UTF-8", "fputs(\"\\xff\\xfe \\033[2J bad\\n\", stderr); return 2;", "wrong_exit", "bad"),
    ("also right", right, None, ""),
]


def without_launch(c):
    for text in ("static int cudaLaunchKernel(const void*) { return 0; }",
                 "if (getppid() < 0) cudaLaunchKernel(0);"):
        c["response"] = c["response"].replace(text, "")
    return c


cases.append(("no launch", right, "no_launch", "no kernel"))
plain = []
for i, (name, body, kind, words) in enumerate(cases):
    c = candidate(1, i, body, **({"finish": "length"} if name == "cut short" else {}))
    plain.append(without_launch(c) if kind == "no_launch" else c)
    cases[i] = (name, body, "no_kernel_launch" if kind == "no_launch" else kind, words)
no_launch = plain[-1]
tasks = write_tasks(room / "tasks.jsonl", task(1))
hanging = [c for c, (name, *_) in zip(plain, cases) if "hang" in name]
ending = [c for c in plain if c not in hanging]

# Programs cannot use the descriptors that this process has open.
open_file, open_folder = os.open(room / "log", os.O_RDWR | os.O_CREAT), os.open("/", os.O_RDONLY)
for descriptor in (open_file, open_folder):
    os.set_inheritable(descriptor, True)


def judge():
    """What hangs has a limit that is soon over; a busy machine may take long for the others. Returns the reports."""
    report = b""
    for name, limit, chosen in (("hanging", 8, hanging), ("ending", 300, ending)):
        done = runs_here("--tasks", tasks, "--verdicts", room / f"{name}-v.jsonl", f"--timeout={limit}", "--memory=1", "-t2",
                         "--concurrent-runs=2", write_candidates(room / f"{name}.jsonl", *chosen))
        assert_exit(name, done, 0)
        report += done.stdout
    return report


report = judge()
found = verdicts(room / "hanging-v.jsonl") | verdicts(room / "ending-v.jsonl")
for i, (name, _, kind, words) in enumerate(cases):
    v = found.get((1, i))
    assert_that(name, v is not None and v["failure"] == kind and words in v["diagnostic"], v)
    if v and kind in ("missing_output", "wrong_output", "no_kernel_launch"):
        assert_that(name, v["stage"] == "ran", v)
    if v and kind is None:
        assert_that(name, v["stage"] == "correct", v)
    if v:
        assert_that(name, (v.get("finish") == "length") == (name == "cut short"), v)
assert_that("the report counts what was cut off", b"cut off     1 answer at the limit of tokens" in report, report)
assert_that("nothing was written to an open file", os.fstat(open_file).st_size == 0)
assert_that("nobody came in", not reached)
assert_that("nothing was written outside", not list(outside.iterdir()))
assert_that("no orphan", not any(b"cuset-orphan" in pathlib.Path(p, "cmdline").read_bytes()
                                 for p in pathlib.Path("/proc").iterdir()
                                 if p.name.isdigit() and (p / "cmdline").exists()))
assert_that("scratch is empty", not list((room / "scratch").iterdir()), list((room / "scratch").iterdir()))
for kind in {c[2] for c in cases if c[2]}:
    assert_that("report", kind.encode() in report, kind, report)

# Again: nothing is compiled or run.
before = (room / "ending-v.jsonl").read_bytes() + (room / "hanging-v.jsonl").read_bytes()
again = judge()
assert_equal("again", (room / "ending-v.jsonl").read_bytes() + (room / "hanging-v.jsonl").read_bytes(), before)
assert_equal("the same report", *([line for line in text.splitlines() if b"time" not in line] for text in (again, report)))

# ext4 takes seconds to make 10,000 files if as many were removed just before.
many = write_candidates(room / "many.jsonl", candidate(
    1, 0, "for (int i = 0;; ++i) { char n[20]; sprintf(n, \"f%d\", i); fclose(fopen(n, \"w\")); }"))
done = runs_here("--tasks", tasks, "--verdicts", room / "many-v.jsonl", "--timeout=300", many)
v = verdicts(room / "many-v.jsonl").get((1, 0))
assert_that("many files", v and v["failure"] == "run_limit" and "files" in v["diagnostic"], v,
            done.stderr.decode())
assert_that("scratch is empty", not list((room / "scratch").iterdir()), list((room / "scratch").iterdir()))

# Kinds of failure that need no sandbox are the same without one.
few = write_candidates(room / "few.jsonl", *(plain[i] for i, c in enumerate(cases) if c[0] in
                                             ("right", "crash", "hang", "wrong output", "no output")))
done = runs_here("--tasks", tasks, "--verdicts", room / "unsafe.jsonl", "--timeout=8",
                 "--unsafe-no-sandbox", few)
assert_that("unsafe", done.returncode == 0, done.stderr.decode())
for place, v in verdicts(room / "unsafe.jsonl").items():
    assert_that("unsafe", v["failure"] == found[place]["failure"], v, found[place])

# CUDABench counts programs that launch nothing.
only = write_candidates(room / "only.jsonl", {**no_launch, "sample": 0})
done = runs_here("--tasks", tasks, "--accept-no-launch", "--json", only)
assert_that("accepted", json.loads(done.stdout)["funnel"]["correct"] == 1, done.stdout)

server.close()
