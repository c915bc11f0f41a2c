"""The tests of cuset-eval share these: a compiler that needs no CUDA toolkit, a small task, and
runs of the tool."""

import json
import os
import pathlib
import subprocess

from _tool import assert_equal, assert_exit, assert_that, built, kill_at, room, skip, wait_for  # noqa: F401

tool = built("cuset-eval")


def write(path, text):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# Only host code: the stages after compiling treat a program the same with a GPU or without.
write(room / "toolkit/bin/nvcc", """#!/bin/sh
case $1 in --version) echo "Cuda compilation tools, release 0.1, V0.1.2"; exit ;; esac
output=$2 source=$3
shift 3
exec g++ -O1 -x c++ -o "$output" "$source" -pthread "$@"
""").chmod(0o755)
nvcc = room / "toolkit/bin/nvcc"

generator = """
import os, struct
os.makedirs("data", exist_ok=True)
x = [0.5 * i + 1 for i in range(16)]
open("data/x.bin", "wb").write(struct.pack("16f", *x))
open("data/y_ref.bin", "wb").write(struct.pack("16f", *[2 * v for v in x]))
"""
comparer = """
import os, struct
if not os.path.exists("data/y.bin"):
    print("F")
    exit(0)
y = struct.unpack("16f", open("data/y.bin", "rb").read())
r = struct.unpack("16f", open("data/y_ref.bin", "rb").read())
print("T" if all(abs(a - b) < 1e-3 for a, b in zip(y, r)) else "F")
"""
# The parts of a right program; the kernel launch is never reached.
prelude = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>
static int cudaLaunchKernel(const void*) { return 0; }
static float x[16], y[16];
static void load() {
    FILE* f = fopen("data/x.bin", "rb");
    if (!f || fread(x, 4, 16, f) != 16) exit(9);
    fclose(f);
    if (getppid() < 0) cudaLaunchKernel(0);
}
static void store(int count = 16) {
    FILE* f = fopen("data/y.bin", "wb");
    if (!f || fwrite(y, 4, count, f) != (size_t)count) exit(8);
    fclose(f);
}
static void twice() { for (int i = 0; i < 16; ++i) y[i] = 2 * x[i]; }
"""


def task(number, **fields):
    return {"id": number, "task_name": f"family{number}", "inputs": [{"name": "x"}],
            "outputs": [{"name": "y"}], "gen.py": generator, "compare.py": comparer,
            "bench.cu": prelude + "int main() { load(); twice(); store(); }", **fields}


def write_tasks(path, *tasks):
    return write(path, "".join(json.dumps(t) + "\n" for t in tasks))


def candidate(number, sample, body, **fields):
    """A candidate whose main() is `body`, or which is `body` itself if that has no brace."""
    response = body
    if "{" in body or ";" in body:
        response = "```cuda\n" + prelude + "int main() {" + body + "}\n```\n"
    return {"task": number, "sample": sample, "response": response, **fields}


def write_candidates(path, *candidates):
    return write(path, "".join(json.dumps(c) + "\n" for c in candidates))


def command_and_environment(words, as_user=False, **variables):
    """The setting of run(). `as_user`: if root runs the test, the tool runs as a plain user with
    its own folders; the sandbox is then a user namespace."""
    own = room / ("user" if as_user else ".")
    environment = dict(os.environ, XDG_CACHE_HOME=str(own / "cache"), TMPDIR=str(own / "scratch"))
    environment.update(variables)
    (own / "scratch").mkdir(exist_ok=True, parents=True)
    command = [tool, *map(str, words)]
    if as_user:
        room.chmod(0o755)
        for folder in (own, own / "scratch"):
            os.chown(folder, 65534, 65534)
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
    return command, environment


def run(*words, data=None, as_user=False, **variables):
    """Runs cuset-eval with its compilation cache in the test's own folder."""
    command, environment = command_and_environment(words, as_user, **variables)
    return subprocess.run(command, input=data, capture_output=True, env=environment, timeout=1800,
                          close_fds=False)


def run_report(*words):
    return subprocess.run([built("cuset-report"), *map(str, words)], capture_output=True, timeout=900)


def run_report(*words):
    return subprocess.run([built("cuset-report"), *map(str, words)], capture_output=True, timeout=900)


def modes():
    """Whether to run as a plain user. Root runs both ways, if a user can reach the tool."""
    if os.geteuid() != 0:
        return [False]
    room.chmod(0o755)
    reached = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                              tool, "--version"], capture_output=True).returncode == 0
    return [False, True] if reached else [False]


def runs_here(*words, **more):
    """Runs programs on this machine, with a GPU or without."""
    return run("--nvcc", nvcc, "--launcher=env", *words, **more)


def verdicts(path):
    return {(v["task"], v["sample"]): v for v in map(json.loads, open(path, encoding="utf-8"))}


def need_sandbox():
    if subprocess.run(["which", "g++"], capture_output=True).returncode:
        skip("g++ is not installed")
    tasks = write_tasks(room / "probe.jsonl", task(1))
    done = run("--nvcc", nvcc, "--compile-only", "--tasks", tasks, "/dev/null")
    if done.returncode == 4:
        skip(done.stderr.decode().strip())
