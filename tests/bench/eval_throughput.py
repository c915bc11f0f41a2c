"""This compares cuset-eval with nvcc alone. xargs and cuset-eval compile CUDABench's own programs
in turn; then cuset-eval takes them from its cache, and reports on 1,500 verdicts.

usage: eval_throughput.py [--programs N] [--repeat N]
CUSET_BIN names the tools' folder, CUSET_SOURCE the source tree.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("--programs", type=int, default=16)
arguments.add_argument("--repeat", type=int, default=2)
options = arguments.parse_args()
tool = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-eval"
shared = pathlib.Path(os.environ["CUSET_SOURCE"]).parent / "shared/data/cudabench/cudabench-100.jsonl"
tasks = [json.loads(line) for line in open(shared, encoding="utf-8")]
chosen = tasks[::max(1, len(tasks) // options.programs)][:options.programs]
cores = len(os.sched_getaffinity(0))


def timed(command, **more):
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, check=True, **more)
    return time.monotonic() - start, done.stdout


with tempfile.TemporaryDirectory() as name:
    room = pathlib.Path(name)
    for t in chosen:
        (room / f"{t['id']}.cu").write_text(t["bench.cu"])
    (room / "own.jsonl").write_text("".join(json.dumps({"id": t["id"], "code1": t["bench.cu"]}) + "\n"
                                            for t in chosen))
    # Both use the same order: the last program decides how long a core is idle at the end.
    (room / "order").write_text("".join(f"{t['id']}.cu\n" for t in chosen))
    alone, ours, again = [], [], []
    for i in range(options.repeat):
        environment = dict(os.environ, XDG_CACHE_HOME=str(room / f"cache{i}"))
        # cuset-eval checks once for each setting whether nvcc works: about a second, not counted
        # here.
        subprocess.run([tool, "-q", "--compile-only", "--tasks", shared, "/dev/null"], env=environment,
                       check=True, stdout=subprocess.DEVNULL)
        command = [tool, "-q", "--compile-only", "--json", "--tasks", shared, room / "own.jsonl"]
        alone.append(timed(f"xargs -P {cores} -I@ nvcc -o @.out @ <order", shell=True, cwd=room)[0])
        seconds, report = timed(command, env=environment)
        ours.append(seconds)
        again.append(timed(command, env=environment)[0])
        assert json.loads(report)["funnel"]["compiled"] == len(chosen), report
        print(f"round {i}: nvcc alone {alone[-1]:.2f} s, cuset-eval {ours[-1]:.2f} s "
              f"({100 * (ours[-1] / alone[-1] - 1):+.1f} %), cached {again[-1]:.3f} s", flush=True)
    ratios = [b / a - 1 for a, b in zip(alone, ours)]
    print(f"{len(chosen)} programs, {cores} cores: overhead {100 * statistics.median(ratios):+.1f} % "
          f"(median), fastest {min(alone):.2f} and {min(ours):.2f} s; "
          f"cached {min(ours) / statistics.median(again):.0f} times as fast")

    draw = random.Random(1)
    kinds = [(None, "correct"), ("wrong_output", "ran"), ("syntax_error", "extracted")]
    (room / "c.jsonl").write_text("".join(json.dumps({"task": t["id"], "sample": 0, "response": "No."}) + "\n"
                                          for t in tasks))
    subprocess.run([tool, "-q", "--compile-only", "--tasks", shared, "--verdicts", room / "h.jsonl",
                    room / "c.jsonl"], check=True, stdout=subprocess.DEVNULL)
    hashes = [json.loads(line) for line in open(room / "h.jsonl", encoding="utf-8")]
    with open(room / "v.jsonl", "w", encoding="utf-8") as file:
        for v in hashes:
            for sample in range(1500 // len(tasks)):
                why, stage = draw.choice(kinds)
                print(json.dumps({**v, "sample": sample, "backend": "gpu", "failure": why, "stage": stage}),
                      file=file)
    seconds = [timed([tool.with_name("cuset-report"), "--tasks", shared, room / "v.jsonl"])[0] for _ in range(5)]
    print(f"report of 1,500 verdicts: {statistics.median(seconds):.3f} s")
