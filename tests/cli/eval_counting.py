"""This tests tasks whose answer is a number: what --ask counting asks, cuset-eval's verdicts on numbers beside the counts of
the tasks' own programs, and cuset-report --counts."""

import json
import os
import pathlib
import re
import subprocess

from _host_runtime import fill
from _tool import assert_equal, assert_exit, assert_that, built, case, environment, room, skip

tool, report = built("cuset-eval"), built("cuset-report")
cache = room / "cache"
fill(cache / "cuset", libraries=("plain",), counted=True)
variables = environment(XDG_CACHE_HOME=cache)

# Two kernels, one of them launched three times with other numbers of threads; the first argument is a length.
program = """#include <cstdio>
#include <cstdlib>
__global__ void fill(float* x) { x[threadIdx.x] = 1; }
namespace ns {
template <class T> __global__ void step(T* x) { x[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x] + 1; }
}
__global__ void divide(float* x) { x[threadIdx.x] /= x[threadIdx.x] + 2; }
int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 32;
    float* x;
    cudaMalloc(&x, 4096);
    for (int i = 0; i < 5; ++i) {
        fill<<<1, 32>>>(x);
    }
    for (int i = 0; i < 3; ++i) {
        ns::step<float><<<1, n>>>(x);
    }
    divide<<<1, 64>>>(x);
    return cudaDeviceSynchronize() + (argc > 2 ? 3 : 0);
}
"""
library = """#include <cublas_v2.h>
__global__ void k(float* x) { x[0] += 1; }
int main() {
    float* x;
    cudaMalloc(&x, 4);
    cublasHandle_t h;
    cublasCreate(&h);
    float a = 2;
    cublasSscal(h, 1, &a, x, 1);
    k<<<1, 1>>>(x);
    return cudaDeviceSynchronize();
}
"""
ptx = """__global__ void k(float* x) { asm volatile("add.f32 %0, %0, %0;" : "+f"(x[0])); }
int main() {
    float* x;
    cudaMalloc(&x, 4);
    k<<<1, 1>>>(x);
    return cudaDeviceSynchronize();
}
"""
base = {"bench.cu": program}
step = base | {"kernel": "ns::step<float>"}
tasks = {
    "step": step | {"answer": "cost.flops", "category": "map", "arguments": ["100"], "block": [100]},
    "all": step | {"answer": "cost.flops", "launches": "all", "arguments": "100", "category": "map"},
    "program": base | {"answer": "cost.fp32", "launches": "all"},
    "code": step | {"answer": "cost.flops", "arguments": "100 with-another-exit-code"},
    "first": base | {"answer": "cost.bytes_written"},
    "divide": base | {"answer": "cost.flops", "kernel": "divide", "category": "division"},
    "sass": base | {"answer": "cost.fp32_sass", "kernel": "divide", "category": "division", "tolerance": 0.5},
    "zero": base | {"answer": "cost.flops", "kernel": "fill"},
    "absent": base | {"answer": "cost.flops", "kernel": "other"},
    "shape": step | {"answer": "cost.flops", "grid": [2, 1, 1]},
    "library": {"answer": "cost.flops", "launches": "all", "bench.cu": library},
    "kernel": {"answer": "cost.flops", "bench.cu": library},
    "ptx": {"answer": "cost.flops", "bench.cu": ptx},
    "broken": {"answer": "cost.flops", "bench.cu": "int main() { return x; }"},
}


def write(name, records):
    path = room / name
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


def answers(**responses):
    """Each task's responses, as its samples."""
    return write("c.jsonl", [{"task": t, "sample": i, "response": text}
                             for t, texts in responses.items() for i, text in enumerate(texts)])


def run(*given):
    return subprocess.run([tool, "-q", "--nvcc=none", *map(str, given)], capture_output=True, env=variables, check=False)


def reported(*given):
    return subprocess.run([report, *map(str, given)], capture_output=True, check=False)


def verdicts(path):
    return {(v["task"], v["sample"]): v for v in map(json.loads, path.read_text().splitlines())}


file = write("tasks.jsonl", [{"id": name, **fields} for name, fields in tasks.items()])
given = answers(
    step=["200", 'Twice 100: {"answer": "2*100", "hidden_flops": false}', "201", "2*n", "<think>200</think> It is 2^8."],
    all=["600"], program=["192 + 128", "320"], code=["200"], first=["128"],
    divide=['{"answer": 128, "hidden_flops": true}', '{"answer": 1280, "hidden_flops": false}'],
    sass=["640", "It is 128."], zero=["0", "1"], absent=["1"], shape=["1"], library=["1"], kernel=["1"], ptx=["1"], broken=["1"])

case("numbers beside counts")
done = run("--backend=host", "--tasks", file, "--verdicts", room / "v.jsonl", given)
if done.returncode == 4:
    skip(done.stderr.decode().strip())
assert_equal("exit, for tasks that are at fault", done.returncode, 3)
v = verdicts(room / "v.jsonl")
found = {key: (one["failure"], one["stage"], one["count"]["expected"], one["count"]["answer"]) for key, one in v.items()}
for key, wanted in {
    ("step", 0): (None, "correct", 200, 200),
    ("step", 1): (None, "correct", 200, 200),
    ("step", 2): (None, "correct", 200, 201),  # within a hundredth
    ("step", 3): ("no_number", "answered", 200, None),
    ("step", 4): ("wrong_number", "extracted", 200, 256),
    ("all", 0): (None, "correct", 600, 600),
    ("program", 0): ("no_number", "answered", 320, None),
    ("program", 1): (None, "correct", 320, 320),
    ("code", 0): (None, "correct", 200, 200),
    ("first", 0): (None, "correct", 128, 128),
    ("divide", 0): (None, "correct", 128, 128),
    ("divide", 1): ("wrong_number", "extracted", 128, 1280),
    ("zero", 0): (None, "correct", 0, 0),
    ("zero", 1): ("wrong_number", "extracted", 0, 1),
    ("absent", 0): ("evaluator", "answered", None, 1),
    ("shape", 0): ("evaluator", "answered", None, 1),
    ("library", 0): ("unsupported", "extracted", None, 1),
    ("kernel", 0): (None, "correct", 1, 1),
    ("ptx", 0): ("unsupported", "extracted", None, 1),
    ("broken", 0): ("evaluator", "answered", None, 1),
}.items():
    assert_equal(str(key), found[key], wanted)
sass = v["sass", 0]["count"]
assert_that("a division is more than itself", sass["expected"] > 128, sass)
assert_equal("it is hidden", (sass["hidden_flops"], v["step", 0]["count"]["hidden_flops"]), (True, False))
assert_equal("what an answer says of it", [v[key]["count"]["stated_hidden_flops"] for key in
                                           (("divide", 0), ("divide", 1), ("step", 0))], [True, False, None])
assert_equal("relative error", [v["step", i]["count"]["relative_error"] for i in range(5)], [0, 0, 0.005, None, 0.28])
assert_equal("none of 0", v["zero", 1]["count"]["relative_error"], None)
for key, words in {
    ("absent", 0): 'bench.cu does not launch the kernel "other"; it launches divide, fill, step',
    ("shape", 0): 'the task\'s "grid" is (2, 1, 1), and that of the launch is (1, 1, 1)',
    ("library", 0): "(CUDA's libraries): not counted: kernels of CUDA's libraries",
    ("ptx", 0): "k: not counted: arithmetic of inline PTX",
    ("broken", 0): "bench.cu itself fails: syntax_error: ",
    ("step", 3): "the answer states no number",
    ("step", 4): "the answer is 256, whose relative error is 0.28; the task allows 0.01",
    ("zero", 1): "the answer is 1, and the count is 0",
}.items():
    assert_that(str(key), words in v[key]["diagnostic"], v[key]["diagnostic"])

case("kept, until the task changes")
text = (room / "v.jsonl").read_text()
right = answers(step=["200"], divide=['{"answer": 128, "hidden_flops": true}'])
done = run("--backend=host", "--tasks", file, "--verdicts", room / "v.jsonl", right)
assert_equal("nothing is judged again", (room / "v.jsonl").read_text(), text)
other = write("other.jsonl", [{"id": "step", **tasks["step"], "arguments": ["50"], "block": 50}, {"id": "divide", **tasks["divide"]}])
done = run("--backend=host", "--tasks", other, "--verdicts", room / "v.jsonl", right)
assert_equal("other arguments", verdicts(room / "v.jsonl")["step", 0]["count"]["expected"], 100)

case("launches of more than 1,000 configurations")
many = """__global__ void k(float* x) { x[0] += 1; }
__global__ void late(float* x) { x[0] += 1; }
int main() {
    float* x;
    cudaMalloc(&x, 4);
    for (int i = 1; i <= 1010; ++i) {
        k<<<i, 1>>>(x);
    }
    late<<<1, 1>>>(x);
    return cudaDeviceSynchronize();
}
"""
named = {"answer": "cost.flops", "bench.cu": many}
kinds = {"sum": {"launches": "all"}, "k": {"launches": "all", "kernel": "k"}, "late": {"kernel": "late"}, "first": {"kernel": "k"}}
file_of_many = write("many.jsonl", [{"id": name, **named, **more} for name, more in kinds.items()])
run("--backend=host", "--tasks", file_of_many, "--verdicts", room / "many-v.jsonl", answers(**dict.fromkeys(kinds, ["1"])))
of_many = verdicts(room / "many-v.jsonl")
assert_equal("their counts", {name: of_many[name, 0]["count"]["expected"] for name in kinds},
             {"sum": 1010 * 1011 // 2 + 1, "k": None, "late": None, "first": 1})
for name in ("k", "late"):
    assert_equal(name, of_many[name, 0]["failure"], "unsupported")
    assert_that(name, "more than 1,000 configurations" in of_many[name, 0]["diagnostic"], of_many[name, 0])
right = answers(step=["200"], divide=['{"answer": 128, "hidden_flops": true}'])

case("where nothing is counted")
done = run("--compile-only", "--tasks", file, "--verdicts", room / "c-v.jsonl", right)
assert_equal("compiled only", {one["failure"] for one in verdicts(room / "c-v.jsonl").values()}, {"unsupported"})
done = run("--backend=host", "--check-tasks", "--tasks", file)
checked = {r["task"]: (r["weak"], "unsupported" in r) for r in map(json.loads, done.stdout.splitlines())}
for name in tasks:
    weak = ["program_fails"] if name in ("absent", "shape", "broken") else []
    assert_equal(f"--check-tasks: {name}", checked[name], (weak, name in ("library", "ptx")))

case("the question")
sample = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-sample"
if sample.exists():
    shown = subprocess.run([sample, "--show", file], capture_output=True, check=False).stdout.decode()
    assert_that("--show", program in shown and "Its arguments: 100\n" in shown and "Block of the launch: (100, 1, 1) threads" in shown
                and shown.endswith("How many are there in the first launch of kernel ns::step<float>?\n"), shown)
    named = subprocess.run([sample, "--show", "--ask=counting", file], capture_output=True, check=False).stdout.decode()
    assert_equal("--ask counting", named, shown)

case("the example of cuset-tasks(5)")
page = (pathlib.Path(os.environ["CUSET_SOURCE"]) / "man/cuset-tasks.5").read_text()
examples = [re.sub(r"\\e", r"\\", example).replace("\\-", "-").splitlines()
            for example in re.findall(r"^\.EX\n(.*?)\n\.EE$", page, re.DOTALL | re.MULTILINE) if '"answer":' in example]
assert_equal("one example", [len(lines) for lines in examples], [2])
(room / "page-tasks.jsonl").write_text(examples[0][0] + "\n")
(room / "page-answers.jsonl").write_text(examples[0][1] + "\n")
run("--backend=host", "--tasks", room / "page-tasks.jsonl", "--verdicts", room / "page.jsonl", room / "page-answers.jsonl")
one = verdicts(room / "page.jsonl")["saxpy/fp32", 0]
assert_equal("it passes", (one["failure"], one["count"]["expected"], one["count"]["hidden_flops"]), (None, 2000, False))

case("the table")
(room / "v.jsonl").write_text(text)
done = reported("--counts", room / "v.jsonl")
assert_equal("exit", (done.returncode, done.stderr), (0, b""))
names, *lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
rows = {tuple(line[:3]): dict(zip(names[3:], line[3:])) for line in lines}
assert_equal("rows of one quantity", [key for key in rows if key[0] == "cost.flops"],
             [("cost.flops", c, h) for c, h in (("all", "all"), ("all", "yes"), ("all", "no"), ("map", "all"), ("division", "all"))])
assert_equal("division", rows["cost.flops", "division", "all"], {
    "tasks": "1", "answers": "2", "not_judged": "0", "numbers": "2", "correct": "0.5", "nonzero_accuracy": "1", "stated": "2",
    "hidden_accuracy": "0.5", "hidden_macro_f1": "0.333333", "within_10_percent": "0.5", "within_10_times": "1",
    "mean_log10_error": "0.5", "median_relative_error": "4.5"})
assert_equal("map", {k: rows["cost.flops", "map", "all"][k] for k in
                     ("tasks", "answers", "numbers", "correct", "within_10_percent", "median_relative_error", "stated", "hidden_accuracy")},
             {"tasks": "2", "answers": "6", "numbers": "5", "correct": "0.666667", "within_10_percent": "0.666667",
              "median_relative_error": "0", "stated": "1", "hidden_accuracy": "1"})
assert_equal("not judged", rows["all", "all", "all"]["not_judged"], "5")
assert_that("the plain report", b"wrong_number" in reported("--tasks", file, room / "v.jsonl").stdout, "")

case("bad input")
def refused(name, words, **fields):
    bad = write("bad.jsonl", [{"id": 1, "bench.cu": program, **fields}])
    assert_exit(name, run("--backend=host", "--tasks", bad, right), 1, "bad.jsonl:1: ", words)


refused("no such count", '"answer" is "cost.seconds", and none of cost.flops, cost.fp16, ', answer="cost.seconds")
refused("no program", '"bench.cu" is missing: its launches are counted', answer="cost.flops", **{"bench.cu": ""})
refused("launches", '"launches" is neither "first" nor "all"', answer="cost.flops", launches="second")
refused("arguments", '"arguments" is neither a string nor an array of strings', answer="cost.flops", arguments=[1])
refused("a pipe", '"arguments" has ', answer="cost.flops", arguments="a | b")
refused("a grid", '"grid" is no array of one to three lengths', answer="cost.flops", grid=[1, 1, 1, 1])
refused("a block", '"block" is no array of one to three lengths', answer="cost.flops", block=0)
refused("a tolerance", '"tolerance" is no number from 0 on', answer="cost.flops", tolerance=-1)
assert_exit("another benchmark's protocol", run("--protocol=cudabench", "--tasks", file, right), 2, "task step is none of CUDABench's")
plain = write("plain.jsonl", [{**v["step", 0], "count": None}])
assert_exit("a count of another kind", reported("--counts", plain), 1, '"count" is wrong')
without = write("without.jsonl", [{k: x for k, x in v["step", 0].items() if k != "count"}])
assert_exit("no counts", reported("--counts", without), 1, "no verdict is on a task whose answer is a number")
assert_exit("two modes", reported("--counts", "--costs", without), 2, "are modes: choose one")
assert_exit("another form", reported("--counts", "--json", without), 2, "--json does not go with --counts: it is a table")
