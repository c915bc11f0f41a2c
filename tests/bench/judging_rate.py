"""This measures what a change costs judging: two builds of cuset-eval judge the same candidates in
turn, and it prints the candidates a minute. Right programs of examples/tasks, each a text of its
own, are compiled, run and compared on the host backend without nvcc; the host runtime is compiled
before.

usage: judging_rate.py [--rounds N] [--samples N] BEFORE AFTER   (two cuset-eval)
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("--rounds", type=int, default=5)
arguments.add_argument("--samples", type=int, default=4)
arguments.add_argument("before")
arguments.add_argument("after")
options = arguments.parse_args()
source = pathlib.Path(__file__).resolve().parent.parent.parent
tasks = [json.loads(line) for line in open(source / "examples/tasks.jsonl", encoding="utf-8")]
tools = {"before": options.before, "after": options.after}


def judged(tool, room, name, number):
    candidates = room / f"{name}-{number}.jsonl"
    with open(candidates, "w", encoding="utf-8") as out:
        for task in tasks:
            for sample in range(options.samples):
                code = task["bench.cu"] + f"\n// {number} {sample}\n"
                out.write(json.dumps({"task": task["id"], "sample": sample,
                                      "response": f"```cuda\n{code}\n```"}) + "\n")
    environment = dict(os.environ, XDG_CACHE_HOME=str(room / f"cache-{name}"), TMPDIR=str(room))
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run([tool, "-q", "--tasks", source / "examples/tasks.jsonl", "--json",
                           "--backend=host", "--nvcc=none", candidates],
                          capture_output=True, env=environment, check=True)
    wall = time.monotonic() - start
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(done.stdout)
    assert report["funnel"]["correct"] == report["verdicts"], report
    return report["verdicts"], wall, now.ru_utime + now.ru_stime - spent.ru_utime - spent.ru_stime


with tempfile.TemporaryDirectory() as name:
    room = pathlib.Path(name)
    walls, times = {n: [] for n in tools}, {n: [] for n in tools}
    for number in range(options.rounds + 1):
        for which, tool in tools.items() if number % 2 else reversed(tools.items()):
            count, wall, spent = judged(tool, room, which, number)
            if number > 0:  # the first compiles the runtime
                walls[which].append(wall)
                times[which].append(spent)
    for which in tools:
        print(f"{which:7} {60 * count / min(walls[which]):6.1f} candidates a minute in the best round,"
              f" {60 * count / statistics.median(walls[which]):6.1f} in the median; processor"
              f" {min(times[which]) / count:.3f} s each, median {statistics.median(times[which]) / count:.3f}")
    print(f"after / before: {min(walls['before']) / min(walls['after']):.3f} best wall time,"
          f" {statistics.median(walls['before']) / statistics.median(walls['after']):.3f} median,"
          f" {min(times['before']) / min(times['after']):.3f} best processor time")
