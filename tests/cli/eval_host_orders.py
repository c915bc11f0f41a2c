"""This runs cuset-eval --backend host with --check and --schedules: orders of threads, findings with their lines, and
the flags of nvcc that a task's own program needs."""

import json

from _eval import assert_that, room, task, verdicts, write_candidates, write_tasks
from _host_answers import candidate, host, kernels, prelude, right, tasks

# Orders of threads.
races = "int at = last(); load(); twice(); if (at != 3) y[0] = 0; store();"
stream = write_candidates(room / "races.jsonl", candidate(1, 0, right), candidate(1, 1, races),
                          candidate(1, 2, races.replace("!= 3", "== 3")), candidate(1, 3, "load();"),
                          candidate(1, 4, "void* left; cudaMalloc(&left, 4); " + right))
# In one order the race passes, and what passes is searched for races.
for words_of, correct in (["--no-confirm"], 3), ([], 2):
    done = host("--nvcc=none", *words_of, "--tasks", tasks, "--json", stream)
    report = json.loads(done.stdout)
    assert_that("one order", report["funnel"]["correct"] == correct, words_of, done.stdout)
    assert_that("a race in one order", ("race" in report["failures"]) == (not words_of), words_of, done.stdout)
    assert_that("the toolchain says so", ("not searched for races" in report["toolchain"]) == bool(words_of), done.stdout)
done = host("--nvcc=none", "--check", "--schedules=8", "--tasks", tasks, "--verdicts", room / "checked.jsonl",
            stream)
assert_that("checked", done.returncode == 0 and b", checked, 8 orders" in done.stderr, done.stderr.decode())
found = verdicts(room / "checked.jsonl") if done.returncode == 0 else {}
for i, (kind, says) in enumerate(((None, ""), ("race", "outputs are right in order 0 and wrong in the order of seed"),
                                  ("race", "outputs are wrong in order 0 and right"), ("missing_output", ""))):
    v = found.get((1, i), {"failure": "none", "diagnostic": ""})
    assert_that("orders", v["failure"] == kind and says in v["diagnostic"], v)
    if kind == "race":
        assert_that("orders", "kernel put_last (line " in v["diagnostic"], v)
assert_that("a note beside a pass", found and found[1, 4]["failure"] is None and not found[1, 0]["diagnostic"]
            and found[1, 4]["diagnostic"] == "note: 1 allocation of 4 bytes never freed", found)
before = (room / "checked.jsonl").read_bytes() if found else b""
for words_of, lines in (([], 0), (["--schedules=3"], 5), (["--seed=7", "--schedules=3"], 5)):
    host("--nvcc=none", "--check", *(words_of or ["--schedules=8"]), "--tasks", tasks, "--verdicts",
         room / "checked.jsonl", stream)
    after = (room / "checked.jsonl").read_bytes() if found else b""
    judged = set(after.splitlines()) - set(before.splitlines())
    assert_that("orders are in the key", len(judged) == lines, words_of, judged)
    before = after

# A task that accepts results without a launch asks for none.
alone = write_candidates(room / "alone.jsonl", candidate(1, 0, "load(); twice_here(); store();", prelude))
done = host("--nvcc=none", "--accept-no-launch", "--tasks", tasks, "--json", alone)
assert_that("accepted", json.loads(done.stdout)["funnel"]["correct"] == 1, done)

# --check reports its findings with kernel, block, thread and line; without it the model continues.
faulty = prelude + kernels + """
__global__ void past(float* p) { p[threadIdx.x + 1] = 1; }
__global__ void sum(const float* p, float* q) { q[0] = p[threadIdx.x] + 1; }
__global__ void meets(float* p) {
    __shared__ float s[8];
    s[threadIdx.x] = p[threadIdx.x];
    p[threadIdx.x] = s[7 - threadIdx.x];
}
__global__ void adds(float* p, int n) {
    float sum;
    for (int i = 0; i < n; ++i) sum += 1;
    p[threadIdx.x] = sum;
}
static float* get(int n) { float* p = nullptr; cudaMalloc(&p, 4 * n); return p; }
"""
faults = [
    ("past<<<1, 8>>>(get(8));", "out_of_bounds", "kernel past, block (0,0,0), thread (7,0,0), line "),
    ("sum<<<1, 8>>>(get(8), get(8));", "uninitialised_read", "kernel sum, "),
    ("float* p = get(8); cudaFree(p); past<<<1, 1>>>(p);", "use_after_free", "freed"),
    ("float* p = get(8); cudaMemset(p, 0, 32); meets<<<1, 8>>>(p);", "race", "kernel meets, "),
    ("char* a = new char[4 + (x[0] == 5)]; a[5 - (x[0] == 5)] = 1; return a[5] ? 1 : 2;", "out_of_bounds",
     "host code, line "),
    ("float* p = get(8); adds<<<1, 8>>>(p, 4); cudaMemcpy(x, p, 4, cudaMemcpyDeviceToHost);", "wrong_output",
     "'sum' may be used uninitialised"),
]
stream = write_candidates(room / "faulty.jsonl", *(
    candidate(1, i, f"load(); {body} cudaDeviceSynchronize(); twice(); store();", faulty)
    for i, (body, _, _) in enumerate(faults)))
done = host("--nvcc=none", "--check", "--tasks", tasks, "--verdicts", room / "faulty-v.jsonl", stream)
found = verdicts(room / "faulty-v.jsonl") if done.returncode == 0 else {}
for i, (body, kind, says) in enumerate(faults):
    v = found.get((1, i), {"failure": "none", "diagnostic": ""})
    assert_that("fault", v["failure"] == kind and says in v["diagnostic"], body, v)

# A flag of nvcc that the task's own program needs is the answers' too, but by the benchmark's rule.
lambdas = '''
template <class F>
__global__ void each(float* y, F f) { y[threadIdx.x] = f(threadIdx.x); }
'''
by_lambda = '''load();
    float* from;
    float* to;
    cudaMalloc(&from, sizeof x);
    cudaMalloc(&to, sizeof y);
    cudaMemcpy(from, x, sizeof x, cudaMemcpyHostToDevice);
    each<<<1, 16>>>(to, [=] __device__ (int i) { return 2 * from[i]; });
    cudaMemcpy(y, to, sizeof y, cudaMemcpyDeviceToHost);
    store();'''
with_lambda = candidate(1, 0, by_lambda, prelude + lambdas)
for own, protocol, failure, words_of in (
        (by_lambda, "cuset", None, "compiled with --extended-lambda, as the task's own program needs"),
        (by_lambda, "cudabench", "syntax_error", "--extended-lambda"),
        (right, "cuset", "syntax_error", "--extended-lambda")):
    one_task = task(1, **{"bench.cu": prelude + kernels + lambdas + "int main() { " + own + " }"})
    (room / "own-v.jsonl").unlink(missing_ok=True)
    done = host("--nvcc=none", "--protocol", protocol, "--tasks", write_tasks(room / "own.jsonl", one_task),
                "--verdicts", room / "own-v.jsonl", write_candidates(room / "lambda.jsonl", with_lambda))
    v = json.loads((room / "own-v.jsonl").read_text().splitlines()[-1]) if done.returncode == 0 else {}
    assert_that("the task's flags", v.get("failure") == failure and words_of in v.get("diagnostic", ""), own[:9], protocol, v,
                done.stderr.decode())
