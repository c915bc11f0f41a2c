"""cuset-report --fast: KernelBench's fast_p of verdicts whose times are known, as text, table and JSON."""

import json
import math

from _tool import assert_equal, assert_exit, assert_that, built, case, json_lines, room, run_tool

tool = built("cuset-report")


def spread(median):
    return {"median": median, "lower_quartile": median, "upper_quartile": median}


def verdict(task, sample, speedup=None, failure=None, **more):
    v = {"task": task, "sample": sample, "family": f"f{task}", "stage": "ran" if failure else "correct", "failure": failure,
         "diagnostic": "", "seconds": {"compile": 0, "run": 0, "compare": 0}, "tokens": None, "key": "0" * 64,
         "task_hash": "1" * 64, "backend": "gpu", "toolchain": "nvcc 13.0", "protocol": "cuset", "inputs": 1}
    if speedup:
        v["time"] = {"runs": 5, "speedup": speedup, "device_us": spread(100), "reference_us": spread(100 * speedup),
                     "kernels_us": 100, "memory_us": 0, "transfers_us": 9, "process_ms": spread(300),
                     "reference_process_ms": spread(300), "sm_clock_mhz": {"before": 1980, "after": 1980}}
    return v | more


def fast(records, *words):
    (room / "v.jsonl").write_bytes(json_lines(records))
    return run_tool(tool, "--fast", *words, room / "v.jsonl")


speedups = [0.4, 0.6, 1.0, 1.2, 1.6, 4.0]
records = [verdict(i, 0, s) for i, s in enumerate(speedups)] + [verdict(6, 0, failure="wrong_output"),
                                                                verdict(7, 0, failure="syntax_error", stage="extracted")]

case("the definition")
done = fast(records, "--json")
assert_exit("exit", done, 0, "")
found = json.loads(done.stdout)
for rate in found["fast_p"]:
    assert_equal(f"fast_{rate['p']}", rate["value"], sum(s > rate["p"] for s in speedups) / 8)
    assert_that("interval", rate["low"] <= rate["value"] <= rate["high"], rate)
assert_equal("thresholds", [r["p"] for r in found["fast_p"]], [0, 0.5, 0.8, 1, 1.5, 2])
mean = math.exp(sum(map(math.log, speedups)) / len(speedups))
assert_that("geometric mean", math.isclose(found["geometric_mean_speedup"]["value"], mean, rel_tol=1e-5), found)
assert_equal("what they are", (found["times"], found["gpu"], found["tasks"], found["correct"], found["timed"]),
             ("measured", None, 8, 6, 6))

case("the table")
names, *lines = [line.split("\t") for line in fast(records, "--format", "tsv").stdout.decode().splitlines()]
assert_equal("names", names, ["times", "measure", "p", "k", "tasks", "value", "low", "high", "at_most"])
assert_equal("a line", lines[3][:6], ["measured", "fast_p", "1", "1", "8", "0.375"])
assert_equal("the mean", (lines[-1][1:5], len(lines[-1])), (["geometric_mean_speedup", "", "", "6"], 9))

case("the text")
text = fast(records).stdout.decode()
assert_that("heading", text.startswith("Speed against bench.cu, measured\n8 tasks of 8 families, 1 sample each\n"), text)
assert_that("a rate", "\nfast_1                 0.3750  [" in text, text)

case("several samples")
several = [verdict(0, 0, 3.0), verdict(0, 1, failure="wrong_output"), verdict(1, 0, 1.1), verdict(1, 1, 1.1)]
found = json.loads(fast(several, "--json", "--pass-at", "1,2").stdout)
value = {(r["p"], r["k"]): r["value"] for r in found["fast_p"]}
assert_equal("shares", (value[1, 1], value[1, 2], value[2, 1], value[2, 2]), (0.75, 1, 0.25, 0.5))

case("bad input")
assert_exit("no time", fast([verdict(0, 0)]), 1, "no verdict has a time: cuset-eval --time measures, and --estimate estimates")
broken = verdict(0, 0, 2.0)
broken["time"]["speedup"] = -1
assert_exit("a broken time", fast([broken]), 1, 'v.jsonl:1: no verdict: "time" is wrong')
assert_exit("a form", fast(records, "--format", "latex"), 2, "--fast has the forms text and tsv")
assert_exit("two forms", fast(records, "--format", "tsv", "--json"), 2, "choose one")
assert_exit("two modes", fast(records, "--costs"), 2, "are modes: choose one")
assert_exit("another report", fast(records, "--junit", room / "j.xml"), 2, "--junit does not go with --fast")
