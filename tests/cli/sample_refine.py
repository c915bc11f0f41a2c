"""cuset-sample --refine asks again about answers that failed, and says what is wrong with them. The server here mends an
answer only where the feedback names what is wrong in it: the line, or the element."""

import http.server
import json
import re
import subprocess
import sys
import threading

import _host_runtime
from _tool import assert_equal, assert_exit, assert_that, built, case, environment, json_lines, room

sample, evaluate, reward, curate = (built(f"cuset-{name}") for name in ("sample", "eval", "reward", "curate"))
_host_runtime.seed(room / "cache")

generator = """
import os, struct
os.makedirs("data", exist_ok=True)
open("data/x.bin", "wb").write(struct.pack("64f", *range(64)))
open("data/y_ref.bin", "wb").write(struct.pack("64f", *[2 * v for v in range(64)]))
"""
comparer = """
print("T" if open("data/y.bin", "rb").read() == open("data/y_ref.bin", "rb").read() else "F")
"""
right = """#include <cstdio>
__global__ void twice(const float* x, float* y) {
    int i = threadIdx.x;
    y[i] = 2 * x[i];
}
int main() {
    float *x, *y;
    cudaMallocManaged(&x, 256);
    cudaMallocManaged(&y, 256);
    FILE* f = fopen("data/x.bin", "rb");
    fread(x, 4, 64, f);
    fclose(f);
    twice<<<1, 64>>>(x, y);
    cudaDeviceSynchronize();
    f = fopen("data/y.bin", "wb");
    fwrite(y, 4, 64, f);
    fclose(f);
    cudaFree(x);
    cudaFree(y);
}
"""
write = "    y[i] = 2 * x[i];\n"
# What a task's first answer has in place of the write, and what feedback must say so that it is mended.
faults = {
    "right": (write, None),
    "undeclared": ("    y[i] = 2 * x[i] + offset;\n", r"error.*\n +line 4: y\[i\] = 2 \* x\[i\] \+ offset;"),
    "bounds": ("    y[i + 1] = 2 * x[i];\n", r"line 4: y\[i \+ 1\] = 2 \* x\[i\];"),
    "element": ("    y[i] = (i == 7 ? 5 : 2) * x[i];\n", r"y\[7\] is 35, the reference has 14 \(1 of 64 elements differs\)"),
    "stubborn": ("    y[i] = 3 * x[i];\n", r"no feedback says this"),
}
tasks = room / "tasks.jsonl"
tasks.write_bytes(json_lines([
    {"id": name, "task_name": name, "prompt": f"Double x. {name}", "inputs": [{"name": "x", "dtype": "float32", "shape": "(64,)"}],
     "outputs": [{"name": "y", "dtype": "float32", "shape": "(64,)"}], "bench.cu": right, "gen.py": generator,
     "compare.py": comparer} for name in faults]))
asked = []


def fenced(program):
    return f"Here:\n```cuda\n{program}```\n"


class server(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        asked.append(messages)
        name = messages[0]["content"].split()[-1]
        fault, cure = faults[name]
        mended = len(messages) > 1 and cure and re.search(cure, messages[-1]["content"])
        answer = fenced(right if mended else right.replace(write, fault))
        if len(messages) > 1 and not mended:
            answer = f"Try {len(messages) // 2 + 1}. {answer}"
        data = json.dumps({"choices": [{"message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}],
                           "usage": {"completion_tokens": 9}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


http_server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), server)
threading.Thread(target=http_server.serve_forever, daemon=True).start()
variables = {k: v for k, v in environment(XDG_CACHE_HOME=room / "cache").items() if "proxy" not in k.lower()}


def run(tool, *words, data=b""):
    return subprocess.run([tool, *map(str, words)], input=data, capture_output=True, env=variables, cwd=room, check=False)


def sampled(*words, path=tasks):
    url = f"http://127.0.0.1:{http_server.server_address[1]}/v1"
    return run(sample, "--endpoint", url, "--model=m", "--plain", *words, path)


def judged(answers, name):
    done = run(evaluate, "-q", "--backend", "host", "--check", "--nvcc=none", "--tasks", tasks, "--verdicts", room / name, data=answers)
    if not (room / name).exists():
        print("no judge here, so no verdicts:", done.stderr.decode())
        sys.exit(77)
    return {v["task"]: v["failure"] for v in map(json.loads, (room / name).read_text().splitlines())}


def records(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


first = sampled("-q")
assert_exit("the first turn", first, 0)
(room / "c1").write_bytes(first.stdout)
assert_equal("before", judged(first.stdout, "v1"), {
    "right": None, "undeclared": "syntax_error", "bounds": "out_of_bounds", "element": "wrong_output",
    "stubborn": "wrong_output"})

case("what failed is mended where the feedback names it")
asked.clear()
second = sampled("--refine=v1", "--answers=c1")
assert_exit("the second turn", second, 0, "4 failed, 1 passed and 0 are neither")
(room / "c2").write_bytes(second.stdout)
assert_equal("after", judged(second.stdout, "v2"),
             {"undeclared": None, "bounds": None, "element": None, "stubborn": "wrong_output"})
answers = {r["task"]: r for r in records(first)}
for r in records(second):
    old = answers[r["task"]]
    assert_equal("members", (r["turn"], r["parent"], r["sample"]), (2, old["key"], 0))
    assert_that("what was asked", r["messages"] in asked, r["messages"])
    assert_equal("roles", [m["role"] for m in r["messages"]], ["user", "assistant", "user"])
    assert_equal("the answer", r["messages"][1]["content"], old["response"])

case("--show prints the conversation and asks no one")
asked.clear()
shown = sampled("-q", "--refine=v1", "--answers=c1", "--show")
assert_exit("shown", shown, 0)
assert_equal("nothing is missing", b"lacks" in sampled("--refine=v1", "--answers=c1", "--show").stderr, False)
assert_that("shown", shown.stdout.startswith(b"--- user\nDouble x. undeclared\n--- assistant\nHere:") and not asked, shown.stdout)

case("histories")
third = sampled("-q", "--refine=v1", "--answers=c1", "--refine=v2", "--answers=c2", "--history=all")
assert_exit("all", third, 0)
r, = records(third)
assert_equal("all", (r["task"], r["turn"], len(r["messages"])), ("stubborn", 3, 5))
assert_that("in their order", r["messages"][1]["content"].startswith("Here") and r["messages"][3]["content"].startswith("Try 2"), r)
last, = records(sampled("-q", "--refine=v2", "--answers=c2"))
assert_that("the last", last["turn"] == 3 and len(last["messages"]) == 3
            and last["messages"][1]["content"].startswith("Try 2"), last)
assert_exit("all without the first", sampled("-q", "--refine=v2", "--answers=c2", "--history=all"), 1, "earlier turns")
# The answer of the first turn compiled, and that of the second does not.
worse = [json.loads(line) for line in (room / "v2").read_text().splitlines()]
(room / "worse").write_bytes(json_lines([v | {"stage": "extracted", "failure": "syntax_error"} if v["failure"] else v for v in worse]))
best, = records(sampled("-q", "--refine=v1", "--answers=c1", "--refine=worse", "--answers=c2", "--history=best"))
assert_that("the best", best["turn"] == 3 and best["parent"] == r["parent"] and len(best["messages"]) == 3
            and best["messages"][1]["content"].startswith("Here"), best)

case("a search")
search = records(sampled("-q", "--refine=v1", "--answers=c1", "--refine=v2", "--answers=c2", "--best=2", "-n3"))
keys = {json.loads(line)["key"]: i for i in (1, 2) for line in (room / f"c{i}").read_text().splitlines()}
assert_equal("the seeds in turn, the later first", [(s["task"], s["sample"], s["turn"], keys[s["parent"]]) for s in search],
             [("stubborn", 0, 3, 2), ("stubborn", 1, 3, 1), ("stubborn", 2, 3, 2)])

case("feedback of one's own")
(room / "own.ask").write_text("--- user\n{failure} after {stage}: {diagnostic}\n")
told = records(sampled("-q", "--refine=v1", "--answers=c1", "--feedback=own.ask"))
assert_equal("text", told[2]["messages"][-1]["content"],
             "wrong_output after ran: compare.py: F; y[7] is 35, the reference has 14 (1 of 64 elements differs)")

case("resumed")
asked.clear()
for _ in range(2):
    again = sampled("-q", "--refine=v1", "--answers=c1", "--resume=kept")
assert_that("the same, asked once", again.stdout == second.stdout and len(asked) == 4, len(asked))

case("what is quoted is the answer's own")
harness = room / "harness.jsonl"
harness.write_bytes(json_lines([{"id": "h", "prompt": "Define solve(). element", "harness": "int solve();\n\n\nint main() { return solve() + x; }\n"}]))
(room / "hc").write_bytes(json_lines([{"task": "h", "sample": 0, "response": fenced("int a;\nint b;\nint c;\nint kernel_of_mine;\nint solve() { return 0; }\n")}]))
done = run(evaluate, "-q", "--backend", "host", "--nvcc=none", "--tasks", harness, "--verdicts", "hv", "hc")
shown = sampled("-q", "--refine=hv", "--answers=hc", "--show", path=harness)
assert_that("of the harness", b"harness.cu:4" in shown.stdout and b"line 4:" not in shown.stdout, shown.stdout.decode())

case("all has passed")
(room / "passed").write_bytes(json_lines([r for r in records(second) if r["task"] != "stubborn"]))
(room / "pv").write_text("".join(line + "\n" for line in (room / "v2").read_text().splitlines() if '"stubborn"' not in line))
done = sampled("-q", "--refine=pv", "--answers=passed", "-o", "nothing")
assert_that("nothing to ask", done.returncode == 0 and (room / "nothing").read_bytes() == b"", done.stderr)
(room / "nv").write_bytes(b"")
done = sampled("-q", "--refine=pv", "--answers=passed", "--refine=nv", "--answers=nothing")
assert_that("nor after it", done.returncode == 0 and done.stdout == b"", done.stderr)

case("what comes after")
two = run(curate, "--plain", "-q", "--tasks", tasks, "--duplicates", "none", data=first.stdout + second.stdout)
assert_equal("two turns", [p["id"] for p in records(two)],
             ["right/0", "undeclared/0", "bounds/0", "element/0", "stubborn/0", "undeclared/0/2", "bounds/0/2", "element/0/2",
              "stubborn/0/2"])
pairs = run(curate, "--plain", "-q", "--tasks", tasks, "--verdicts=v2", "--duplicates", "none", data=second.stdout)
assert_exit("pairs", pairs, 0)
for p in records(pairs):
    assert_equal("the conversation", p["messages"][:-1], [c["messages"] for c in records(second) if c["task"] == p["task"]][0])
    assert_that("the answer", p["messages"][-1]["role"] == "assistant" and p["turn"] == 2, p)
assert_equal("pairs", [p["task"] for p in records(pairs)], ["undeclared", "bounds", "element"])
both = run(reward, "--plain", "--verdicts=v1", "--verdicts=v2", "--reward=correct", "--advantage=none",
           data=first.stdout + second.stdout)
values = {(r["task"], r.get("turn", 1)): r["reward"] for r in records(both)}
assert_equal("rewards by turn", (values["undeclared", 1], values["undeclared", 2], values["stubborn", 2]), (0, 1, 0))

case("bad input")
for words, code, message in [
        (["--refine=v1"], 2, "--refine and --answers"),
        (["--history=all"], 2, "need --refine"),
        (["--refine=v1", "--answers=c1", "-n2"], 2, "needs --best"),
        (["--refine=v1", "--answers=none"], 1, "none"),
        (["--refine=c1", "--answers=c1"], 1, "c1:1"),
        (["--refine=v1", "--answers=v1"], 1, "v1:1"),
        (["--refine=v1", "--answers=twice"], 1, "twice:6: sample 0 of task \"right\" came before"),
        (["--refine=v1", "--answers=others"], 1, "no verdict on an answer"),
        (["--refine=v2", "--answers=c2", "--refine=v1", "--answers=c1"], 1, "c1 has no answers of a later turn than c2"),
        (["--refine=v1", "--answers=c1", "-o", "c1"], 2, "--answers c1 and -o are the same file"),
        (["--refine=v1", "--answers=c1", "--on-error=skip", "--rejects=v1"], 2, "--refine v1 and --rejects are"),
        (["--refine=v1", "--answers=c1", "--feedback=two.ask"], 1, "two.ask: a feedback has one message"),
        (["--refine=v1", "--answers=c1", "--feedback=unknown.ask"], 1, "unknown.ask:2")]:
    (room / "twice").write_bytes(first.stdout * 2)
    (room / "others").write_bytes(json_lines([{"task": "other", "sample": 0, "response": "x"}]))
    (room / "two.ask").write_text("--- system\nBe brief.\n--- user\n{report}\n")
    (room / "unknown.ask").write_text("--- user\n{task_name}\n")
    assert_exit(" ".join(words), sampled("-q", *words), code, message)
(room / "few.jsonl").write_bytes(tasks.read_bytes().split(b"\n")[1] + b"\n")
assert_exit("tasks that are not there", sampled("--refine=v1", "--answers=c1", path=room / "few.jsonl"), 0,
            "3 answers that failed: the input lacks their tasks")
(room / "empty").write_bytes(b"")
assert_equal("no tasks, no answers", sampled("-q", "--refine=v2", "--answers=c2", path=room / "empty").stdout, b"")
