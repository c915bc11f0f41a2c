"""cuset-eval is killed, and its programs end with it, at any moment: no program runs on without its
limits, and no part of a sandbox stays behind."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from _eval import (assert_that, candidate, command_and_environment, modes, need_sandbox, nvcc, room, task,
                   write_candidates, write_tasks)

need_sandbox()
seed = int(os.environ.get("CUSET_SEED", random.randrange(10**6)))
print(f"seed {seed}")
chance = random.Random(seed)
rounds = 100 if os.environ.get("CUSET_LONG") else 8
marker = f"cuset-killed-{os.getpid()}"
tasks = write_tasks(room / "tasks.jsonl", task(1))
body = (f'if (fork() == 0) {{ setsid(); execlp("sleep", "{marker}", "600", NULL); }}'
        f' execlp("sleep", "{marker}", "600", NULL);')
candidates = write_candidates(room / "c.jsonl", candidate(1, 0, body))
words = ["--nvcc", nvcc, "--launcher=env", "--tasks", tasks, candidates]
# The program is compiled before; without a launcher, gen.py is the program that runs.
slow = task(2, **{"gen.py": f"import os\nos.execlp('sleep', '{marker}', '600')\n"})
slow_words = ["--nvcc", nvcc, "--launcher=env", "--tasks", write_tasks(room / "slow.jsonl", slow),
              write_candidates(room / "c2.jsonl", candidate(2, 0, body))]


def left_over():
    found = []
    for process in pathlib.Path("/proc").iterdir():
        try:
            line = (process / "cmdline").read_bytes() if process.name.isdigit() else b""
        except OSError:
            continue
        if marker.encode() in line or (b"bwrap" in line and str(room).encode() in line):
            found.append((process.name, line[:60]))
    return found


def started(process):
    """The first moment at which a part of a sandbox, or the program, exists."""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and process.poll() is None and not left_over():
        pass
    return process.poll() is None


for as_user in modes():
    for name, what in (("gen.py", slow_words), ("program", words)):
        command, environment = command_and_environment(what, as_user)
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            for _ in range(rounds):
                process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL,
                                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
                ran = started(process)
                assert_that(f"{name} starts", ran)
                time.sleep(chance.choice((0, 0, 0.002, 0.01, 0.05)) * chance.random())
                process.send_signal(number)
                assert_that("ends by the signal", process.wait() == -number, process.returncode)
                # One look can miss a process: one that is replacing its program has no command line.
                deadline, unseen = time.monotonic() + 120, 0
                while unseen < 3 and time.monotonic() < deadline:
                    remaining = left_over()
                    unseen = 0 if remaining else unseen + 1
                    time.sleep(0.01)
                assert_that(f"{name}, {number.name}, user: {as_user}", not remaining, remaining)
                for pid, _ in remaining:
                    os.kill(int(pid), signal.SIGKILL)
