"""This compares the host model with a GPU. The programs of tests/host say the same there, so what
they expect is what a device does; and verdicts of host and GPU agree over the tasks' own programs
and copies with a mistake. CUSET_LONG takes all sizes and all mutations, else the smallest sizes and
every fifth."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

source = pathlib.Path(os.environ["CUSET_SOURCE"])
sys.path.insert(0, str(source / "tests/host"))
import _programs  # noqa: E402

if shutil.which("nvidia-smi") is None or subprocess.run(["nvidia-smi", "-L"], capture_output=True,
                                                        check=False).returncode:
    print("there is no GPU here")
    sys.exit(77)
long = bool(os.environ.get("CUSET_LONG"))
failures = 0
with tempfile.TemporaryDirectory() as name:
    room = pathlib.Path(name)
    programs = [p for folder in ("model", "library") for p in sorted((source / "tests/host" / folder).glob("*.cu"))]
    programs += _programs.twins()
    for path in programs:
        done = subprocess.run(["nvcc", "-arch=native", "-o", room / "program", path], capture_output=True, text=True)
        if done.returncode == 0:
            done = subprocess.run([room / "program"], capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            failures += 1
            print(f"FAILED: {path.name}: exit code {done.returncode}: {(done.stderr + done.stdout)[:500]}")
    print(f"{len(programs)} programs of tests/host, {failures} failed")

    verdicts = {}
    for backend in ("gpu", "host"):
        kept = room / backend
        subprocess.run([sys.executable, source / "tests/host/_judge_tasks.py", f"--backend={backend}", f"--keep={kept}",
                        "--sizes=0,1,2,3,4" if long else "--sizes=0", "--every=1" if long else "--every=5"],
                       stdout=subprocess.DEVNULL, check=False)
        verdicts[backend] = {(kind, v["task"], v["sample"]): v for kind in ("references", "mutants")
                             for v in map(json.loads, open(kept / kind / "verdicts.jsonl", encoding="utf-8"))}
    unsupported, differ = 0, []
    for key, on_gpu in verdicts["gpu"].items():
        on_host = verdicts["host"][key]
        if on_host["failure"] == "unsupported":
            unsupported += 1
        elif (on_gpu["failure"] is None) != (on_host["failure"] is None):
            differ.append(f"{key}: GPU {on_gpu['failure']}, host {on_host['failure']}: {on_host['diagnostic']}")
    print(f"{len(verdicts['gpu'])} verdicts, {unsupported} unsupported on the host, {len(differ)} differ")
    print("\n".join(differ))
sys.exit(1 if failures or differ else 0)
