"""cuset-eval's progress on a terminal names the candidate that runs now, and for how long, while nothing is finished."""

import os
import pty
import re
import subprocess

from _eval import (assert_that, candidate, command_and_environment, need_sandbox, nvcc, room, task, write_candidates,
                   write_tasks)

need_sandbox()
tasks = write_tasks(room / "tasks.jsonl", task(7), task(8))
slow = write_candidates(room / "slow.jsonl", candidate(7, 3, "sleep(4); load(); twice(); store();"),
                        candidate(8, 0, "sleep(4); load(); store();"))
for threads, others in ((2, " and 1 more"), (1, "")):
    command, environment = command_and_environment(
        ["--nvcc", nvcc, "--launcher=env", f"-t{threads}", "--tasks", tasks, "-o", room / f"report{threads}", slow])
    ours, theirs = pty.openpty()
    tool = subprocess.Popen(command, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # the tool has ended
            break
        if not part:
            break
        shown += part
    assert_that("it judges", tool.wait() == 0, shown)
    text = shown.decode()
    assert_that("it names what runs", re.search(r"0 candidates, .*; now [78]/[03] for [1-9]\d* s" + others, text), text)
    # Of two that begin together, either may be the one that is named.
    shown_times = set(re.findall(r"; now ([78]/[03]) for (\d+) s", text))
    names = [name for name, _ in shown_times]
    assert_that("time passes", max(map(names.count, names)) > 1, text)
    assert_that("one at a time", threads == 2 or " more" not in text, text)
