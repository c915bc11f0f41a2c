"""This runs cuset-eval --time on a GPU: bench.cu is as fast as itself, a kernel that waits a millisecond takes one, whatever
stream, thread or graph it is in, and programs that hide work are named. tests/cli/eval_time.py tries more of them, on a
device of its own. Then cuset-eval --profile ncu, where counters may be read: a kernel of multiply-adds alone comes near the
GPU's peak, and bench.cu itself has a score.

    timing.py [--device cuda|cpu] [--seconds S]

Only a GPU has times: with --device cpu, or without a GPU, nothing runs.
"""
import argparse
import json
import os
import pathlib
import re
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
if options.device == "cpu" or shutil.which("nvidia-smi") is None or subprocess.run(
        ["nvidia-smi", "-L"], capture_output=True, check=False).returncode:
    print("there is no GPU here")
    sys.exit(77)

TASK = "saxpy-50000"
tasks = source / "examples/tasks.jsonl"
own = next(t["bench.cu"] for t in map(json.loads, open(tasks, encoding="utf-8")) if t["id"] == TASK)
SPIN = """
#include <thread>
#include <unistd.h>
__global__ void spin(unsigned long long ns) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - begin < ns);
}
static cudaStream_t side() {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    return s;
}
constexpr unsigned long long ms = 1000000;
"""
BEGIN, END = "int main() {\n", "    return std::fclose(file);"
FREE = "    cudaFree(device_x);"
assert all(own.count(part) == 1 for part in (BEGIN, END, FREE))


def with_code(before_free="", at_end="", before_main=""):
    text = own.replace(BEGIN, SPIN + before_main + BEGIN).replace(FREE, before_free + "\n" + FREE)
    return text.replace(END, f"    std::fclose(file);\n{at_end}\n    return 0;")


# A right program, and what its verdict must say: (least, most) microseconds of the device, or a pattern of not_timed.
MILLISECOND = (950, 1150)
programs = {
    "bench.cu itself": (own, (0, 100)),
    "a millisecond": (with_code("spin<<<1, 1>>>(ms); cudaDeviceSynchronize();"), MILLISECOND),
    "on a side stream": (with_code("spin<<<1, 1, 0, side()>>>(ms); cudaDeviceSynchronize();"), MILLISECOND),
    "work behind the end": (with_code(before_main="struct late { ~late() { spin<<<1, 1>>>(ms); cudaDeviceSynchronize(); } } now;\n"),
                            "launches work while it ends"),
    "_exit": (with_code(at_end="_exit(0);"), "ended without its records"),
    "from a thread": (with_code("std::thread([] { spin<<<1, 1, 0, side()>>>(ms); }).join(); cudaDeviceSynchronize();"),
                      MILLISECOND),
    "in a graph": (with_code("""{
        cudaStream_t s = side(); cudaGraph_t graph; cudaGraphExec_t made;
        cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
        spin<<<1, 1, 0, s>>>(ms);
        cudaStreamEndCapture(s, &graph); cudaGraphInstantiate(&made, graph, 0);
        cudaGraphLaunch(made, s); cudaDeviceSynchronize();
    }"""), MILLISECOND),
    "reset": (with_code("spin<<<1, 1>>>(ms); cudaDeviceSynchronize();", "cudaDeviceReset();"), MILLISECOND),
    "nobody waits": (with_code(at_end="spin<<<1, 1, 0, side()>>>(2000 * ms);"), "not over when the program ended|of 2 launches"),
}


def judged(texts, *words, seconds):
    """Each program's verdict by its number, and the run."""
    with tempfile.TemporaryDirectory() as room:
        path = pathlib.Path(room)
        with open(path / "c.jsonl", "w", encoding="utf-8") as file:
            for sample, text in enumerate(texts):
                print(json.dumps({"task": TASK, "sample": sample, "response": f"```cuda\n{text}\n```"}), file=file)
        done = subprocess.run(["timeout", f"{seconds:.0f}", tool, "-q", "-t", "1", "--backend=gpu", *words, "--tasks", tasks,
                               "--verdicts", path / "v.jsonl", "--python", sys.executable, path / "c.jsonl"],
                              capture_output=True, text=True, check=False)
        lines = (path / "v.jsonl").read_text().splitlines() if (path / "v.jsonl").exists() else []
    return {v["sample"]: v for v in map(json.loads, lines)}, done


verdicts, done = judged([text for text, _ in programs.values()], "--time", "3", seconds=options.seconds * 2 / 3)
if done.returncode not in (0, 124):
    _results.check("cuset-eval --time", False, f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
for sample, (name, (_, wanted)) in enumerate(programs.items()):
    v = verdicts.get(sample)
    if v is None:
        _results.left_out(name, f"not judged after {options.seconds * 2 / 3:.0f} s")
        continue
    time = v.get("time", {})
    if isinstance(wanted, str):
        _results.check(name, re.search(wanted, time.get("not_timed", "")) is not None, json.dumps([v["failure"], time])[:300])
        continue
    least, most = wanted
    device = time.get("device_us")
    _results.check(name, device is not None and least <= device["median"] <= most, json.dumps([v["failure"], v["diagnostic"], time])[:300])
    if device and name == "bench.cu itself":
        _results.result("speed-up of bench.cu over itself", time["speedup"], "", at_least=0.8)
        _results.result("quartiles apart, of the median", (device["upper_quartile"] - device["lower_quartile"]) / device["median"],
                        "", at_most=0.2)
        _results.check("a clock is told", bool(time["sm_clock_mhz"]["before"]), json.dumps(time["sm_clock_mhz"]))

FMA = """
__global__ void multiply_adds(float* out, float a) {
    float x[8], sum = 0;
    for (int i = 0; i < 8; ++i) x[i] = threadIdx.x + i;
    for (int k = 0; k < 4096; ++k)
        for (int i = 0; i < 8; ++i) x[i] = x[i] * a + 0.5f;
    for (int i = 0; i < 8; ++i) sum += x[i];
    if (sum == 1.25f) *out = sum;
}
"""
profiled = {
    "profile of multiply-adds": with_code("multiply_adds<<<8192, 256>>>(device_x, 0.5f); cudaDeviceSynchronize();", before_main=FMA),
    "profile of bench.cu": own,
}
verdicts, done = judged(profiled.values(), "--profile", "ncu", seconds=options.seconds / 3)
for sample, name in enumerate(profiled):
    v = verdicts.get(sample)
    if v is None:  # mostly for want of ncu, or of the right to read counters
        _results.left_out(name, done.stderr.strip()[-300:] or f"not judged after {options.seconds / 3:.0f} s")
    elif "not_profiled" in v.get("profile", {"not_profiled": ""}):
        _results.check(name, False, json.dumps([v["failure"], v["diagnostic"], v.get("profile")])[:300])
    elif sample == 0:
        _results.check(name, 0.7 <= v["profile"]["compute_efficiency"] <= 1.02, json.dumps(v["profile"]))
    else:
        _results.check(name, 0 < v["profile"]["score"] <= 1.02, json.dumps(v["profile"]))
sys.exit(1 if _results.missed else 0)
