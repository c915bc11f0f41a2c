"""This runs cuset-eval on a GPU: the example tasks' own programs pass; copies with an index off by one, a
missing barrier or a wrong launch configuration fail, and the kinds of failure are those of a GPU. judge.py
compares many more programs with the host backend.

    eval_programs.py [--device cuda|cpu] [--seconds S]

With --device cpu, a rehearsal, the host backend judges.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import _results

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
options.add_argument("--seconds", type=float, default=600)
options = options.parse_args()
source = pathlib.Path(os.environ["CUSET_SOURCE"])
tool = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-eval"
if options.device == "cuda" and (shutil.which("nvidia-smi") is None or subprocess.run(
        ["nvidia-smi", "-L"], capture_output=True, check=False).returncode):
    print("there is no GPU here")
    sys.exit(77)


def that(name, right, verdict):
    _results.check(name, right, f"{verdict['failure']}: {verdict.get('diagnostic') or ''}"[:300])


def judge(tasks, programs):
    """The verdict of each of {name: (task id, program)}, by name."""
    with tempfile.TemporaryDirectory() as room:
        path = pathlib.Path(room)
        counts = {}
        names = {}
        with open(path / "c.jsonl", "w", encoding="utf-8") as file:
            for name, (task, text) in programs.items():
                sample = counts[task] = counts.get(task, -1) + 1
                names[str(task), sample] = name
                print(json.dumps({"task": task, "sample": sample, "response": f"```cuda\n{text}\n```"}),
                      file=file)
        backend = "gpu" if options.device == "cuda" else "host"
        command = ["timeout", f"{options.seconds:.0f}", tool, "-q", f"--backend={backend}", "--tasks", tasks,
                   "--verdicts", path / "v.jsonl", "--python", sys.executable, path / "c.jsonl"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 124:  # what it has judged counts
            _results.left_out("some of the programs", f"not judged after {options.seconds:.0f} s")
        elif done.returncode != 0:
            _results.check("cuset-eval", False, f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
        if not (path / "v.jsonl").exists():
            sys.exit(1)
        return {names[str(v["task"]), v["sample"]]: v
                for v in map(json.loads, open(path / "v.jsonl", encoding="utf-8"))}


def replaced(text, old, new):
    assert old in text, old
    return text.replace(old, new)


tasks = {t["id"]: t for t in map(json.loads, open(source / "examples/tasks.jsonl", encoding="utf-8"))}
programs = {f"{name} as it is": (name, t["bench.cu"]) for name, t in tasks.items()}
saxpy, softmax, histogram = "saxpy-50000", "row-softmax-64-1000", "byte-histogram-200000"
for name, task, old, new in (
        ("off by one", saxpy, "a * x[i]", "a * x[i + 1 < n ? i + 1 : i]"),
        ("too few blocks", saxpy, "<<<(count + 255) / 256, 256>>>", "<<<count / 256, 256>>>"),
        ("too many threads", saxpy, "<<<(count + 255) / 256, 256>>>", "<<<25, 2048>>>"),
        ("out of bounds", saxpy, "if (i < n) y[i] =", "y[i + (1ll << 40)] ="),
        ("missing barriers", softmax, "__syncthreads();", ""),
        ("too few rows", softmax, "<<<rows, threads>>>", "<<<rows - 1, threads>>>"),
        ("missing barrier", histogram, "    __syncthreads();\n    for (int i = threadIdx.x; i < bins; i += "
         "blockDim.x) atomicAdd", "    for (int i = threadIdx.x; i < bins; i += blockDim.x) atomicAdd"),
        ("last byte", histogram, "i < count;", "i < count - 1;")):
    programs[name] = (task, replaced(tasks[task]["bench.cu"], old, new))
found = judge(source / "examples/tasks.jsonl", programs)
for name, v in found.items():
    if name.endswith("as it is"):
        that(name, v["failure"] is None, v)
    elif options.device == "cuda" or "barrier" not in name:  # the host shows a race where it looks for one
        that(name, v["failure"] in ("wrong_output", "launch_error", "illegal_address"), v)
for name, kind in (("too many threads", "launch_error"), ("out of bounds", "illegal_address")):
    if name in found:
        that(f"kind of {name}", found[name]["failure"] == kind, found[name])
sys.exit(1 if _results.missed else 0)
