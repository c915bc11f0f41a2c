"""This runs cuset-eval on a GPU: the tasks' own programs pass; copies with an index off by one, a
missing barrier or a wrong launch configuration fail. It takes the example tasks, and 100 of
CUDABench's 500 where they and their Python packages are there."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

source = pathlib.Path(os.environ["CUSET_SOURCE"])
tool = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-eval"
if shutil.which("nvidia-smi") is None or subprocess.run(["nvidia-smi", "-L"], capture_output=True,
                                                        check=False).returncode:
    print("there is no GPU here")
    sys.exit(77)
failures = []


def that(name, right, *details):
    if not right:
        failures.append(name)
        print(f"FAILED: {name}:", *details)


def judge(tasks, programs, *options):
    """failure by name of {name: (task id, program)}."""
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
        done = subprocess.run([tool, "-q", "--tasks", tasks, "--verdicts", path / "v.jsonl", *options,
                               path / "c.jsonl"], capture_output=True, text=True, check=False)
        if done.returncode == 4:
            print(done.stderr.strip())
            sys.exit(77)
        that("exit code", done.returncode == 0, done.stderr)
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
    else:
        that(name, v["failure"] in ("wrong_output", "launch_error", "illegal_address"), v)
that("kind of too many threads", found["too many threads"]["failure"] == "launch_error",
     found["too many threads"])
that("kind of out of bounds", found["out of bounds"]["failure"] == "illegal_address",
     found["out of bounds"])

shared = source.parent / "shared/data/cudabench/cudabench-100.jsonl"
python = pathlib.Path(os.environ["CUSET_DEPS"]) / "oracle/bin/python3"
if shared.exists() and python.exists():
    tasks = list(map(json.loads, open(shared, encoding="utf-8")))
    programs = {}
    for t in tasks:
        programs[f"{t['id']} as it is"] = (t["id"], t["bench.cu"])
        # Half the grid: the elements that it leaves out keep another value, except in grid-stride
        # loops.
        halved = re.sub(r"<<<\s*([^,>]+),", r"<<<((\1) + 1) / 2,", t["bench.cu"], count=1)
        if halved != t["bench.cu"] and "gridDim" not in t["bench.cu"]:
            programs[f"{t['id']} half a grid"] = (t["id"], halved)
    found = judge(shared, programs, "--python", python, "--timeout=120")
    passed = {name for name, v in found.items() if v["failure"] is None}
    own = [name for name in programs if name.endswith("as it is")]
    spoiled = [name for name in programs if name.endswith("half a grid")]
    print(f"CUDABench: {sum(n in passed for n in own)} of {len(own)} pass, "
          f"{sum(n not in passed for n in spoiled)} of {len(spoiled)} with half a grid fail")
    for name in own:
        that(name, name in passed, found[name])
    that("half a grid", sum(n not in passed for n in spoiled) >= 0.8 * len(spoiled),
         sorted(n for n in spoiled if n in passed))
print(f"{len(failures)} failed")
sys.exit(bool(failures))
