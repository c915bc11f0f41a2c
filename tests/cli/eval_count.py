"""This tests cuset-eval --count and cuset-report --costs: what answers that pass cost, beside the task's own program."""

import json
import subprocess

from _host_runtime import fill
from _tool import assert_equal, assert_exit, assert_that, built, case, environment, room, skip

from _commands_of_page import source

tool, report = built("cuset-eval"), built("cuset-report")
cache = room / "cache"
fill(cache / "cuset", counted=True)
variables = environment(XDG_CACHE_HOME=cache)
tasks = source / "examples/tasks.jsonl"
own = {t["id"]: t["bench.cu"] for t in map(json.loads, open(tasks, encoding="utf-8"))}
plain = own["saxpy-50000"]
# It reads x sixteen times, from sectors of their own, and divides where nothing is to be divided.
wasteful = plain.replace("y[i] = a * x[i] + y[i];", """{
        float sum = 0;
        for (int k = 0; k < 16; ++k) sum += __ldg(x + (i * 8 + k * 4096) % n) * 0.0f / (y[i] + 2e9f);
        y[i] = a * x[i] + y[i] + sum;
    }""")
wrong = plain.replace("a * x[i]", "x[i]")
assert len({plain, wasteful, wrong}) == 3
answers = room / "c.jsonl"
answers.write_text("".join(json.dumps({"task": "saxpy-50000", "sample": i, "response": f"```cuda\n{text}```\n"}) + "\n"
                           for i, text in enumerate((plain, wasteful, wrong))))


def run(*given):
    return subprocess.run([tool, "-q", "--backend=host", "--nvcc=none", "--no-confirm", "--tasks", tasks, *map(str, given)],
                          capture_output=True, env=variables, check=False)


def reported(*given):
    return subprocess.run([report, "--costs", *map(str, given)], capture_output=True, check=False)


def verdicts(path):
    return {v["sample"]: v for v in map(json.loads, path.read_text().splitlines())}


case("counted")
done = run("--count", "--verdicts", room / "v.jsonl", answers)
if done.returncode == 4:
    skip(done.stderr.decode().strip())
v = verdicts(room / "v.jsonl")
assert_equal("failures", [v[i]["failure"] for i in range(3)], [None, None, "wrong_output"])
cost = v[0]["cost"]
for name, value in {"launches": 1, "flops": 100000, "flops_sass": 100000, "fp32": 100000, "fp64": 0, "functions": 0,
                    "bytes_read": 400000, "bytes_written": 200000, "atomics": 0}.items():
    assert_equal(name, cost[name], value)
assert_equal("kernels", [k["kernel"] for k in cost["kernels"]], ["saxpy"])
assert_that("no estimate", "estimate" not in cost, cost)
assert_that("what is wrong has no cost", "cost" not in v[2], v[2])
assert_that("a division is one, or what a GPU makes of it", v[1]["cost"]["flops"] < v[1]["cost"]["flops_sass"], v[1]["cost"])

case("the table")
done = reported(room / "v.jsonl")
assert_equal("exit", (done.returncode, done.stderr), (0, b""))
names, *lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
lines.sort(key=lambda line: line[1])  # they are in the order in which they were judged
assert_equal("columns", names, ["task", "sample", "launches", "flops", "flops_sass", "bytes_read", "bytes_written", "atomics",
                                   "estimated_us", "slowdown", "not_counted"])
assert_equal("rows", [line[:2] for line in lines], [["saxpy-50000", "0"], ["saxpy-50000", "1"]])
assert_equal("row", lines[0][2:], ["1", "100000", "100000", "400000", "200000", "0", "", "", ""])

case("an estimate, beside bench.cu's")
done = run("--estimate=RTX 3080", "--verdicts", room / "e.jsonl", answers)
v = verdicts(room / "e.jsonl")
estimate = v[0]["cost"]["estimate"]
assert_equal("slowdown of bench.cu itself", (estimate["gpu"], estimate["slowdown"]), ("RTX 3080", 1))
assert_that("slower", v[1]["cost"]["estimate"]["slowdown"] > 1.2, v[1]["cost"]["estimate"])
slowdown = max(float(line.split("\t")[-2]) for line in reported(room / "e.jsonl").stdout.decode().splitlines()[1:])
assert_that("in the table", abs(slowdown - v[1]["cost"]["estimate"]["slowdown"]) < 1e-3, slowdown)

case("fast_p of estimates")
fast = json.loads(subprocess.run([report, "--fast", "--json", room / "e.jsonl"], capture_output=True, check=True).stdout)
assert_equal("what they are", (fast["times"], fast["gpu"], fast["correct"], fast["timed"]), ("estimated", "RTX 3080", 2, 2))
assert_equal("one is as fast as bench.cu, and one slower", {r["p"]: r["value"] for r in fast["fast_p"] if r["p"] in (0, 1)},
             {0: 0.666667, 1: 0})

case("bench.cu whose streams work beside the host")
waiting = plain.replace("__global__", "__global__ void wait_for(volatile int* flag) { while (*flag == 0) {} }\n__global__", 1)
at = waiting.index("<<<")
begin = waiting.rindex("\n", 0, at) + 1
waiting = waiting[:begin] + """    int* flag;
    cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped);
    *(volatile int*)flag = 0;
    wait_for<<<1, 1>>>(flag);
    *(volatile int*)flag = 1;
""" + waiting[begin:]
records = [json.loads(line) for line in open(tasks, encoding="utf-8")]
other = room / "waiting.jsonl"
other.write_text("".join(json.dumps({**t, "bench.cu": waiting}) + "\n" for t in records if t["id"] == "saxpy-50000"))
done = subprocess.run([tool, "-q", "--backend=host", "--nvcc=none", "--no-confirm", "--tasks", other, "--estimate=RTX 3080",
                       "--verdicts", room / "w.jsonl", answers], capture_output=True, env=variables, check=False)
estimate = verdicts(room / "w.jsonl")[0]["cost"]["estimate"]
assert_that("its time is known", 0 < estimate.get("reference_seconds", 0), (estimate, done.stderr))

case("judged again")
done = run("--estimate=RTX 3080", "--verdicts", room / "e.jsonl", answers)
assert_that("verdicts are kept", verdicts(room / "e.jsonl") == v, done.stderr.decode())
done = run("--verdicts", room / "e.jsonl", answers)
assert_that("without counting it is another verdict", "cost" not in verdicts(room / "e.jsonl")[0], done.stderr.decode())

case("bad input")
assert_exit("nothing counted", reported(room / "e.jsonl"), 1, "no verdict has a cost: cuset-eval --count counts what passes")
assert_exit("no such GPU", run("--estimate=3080", answers), 2, "--estimate: no such GPU: 3080 (V100")
assert_exit("on a GPU", run("--count", "--backend=gpu", answers), 2, "--count needs the host backend")
assert_exit("compiled only", run("--count", "--compile-only", answers), 2, "--count needs the host backend and programs that run")
assert_exit("another form", reported("--json", room / "v.jsonl"), 2, "--json does not go with --costs")
assert_exit("two modes", reported("--turns", room / "v.jsonl", room / "e.jsonl"), 2, "are modes: choose one")
