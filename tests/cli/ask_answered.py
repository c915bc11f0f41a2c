"""A server that knows the right programs is asked tasks, and cuset-eval passes all that it answers; what it was
asked names every file with dtype and shape. One answer is written with the functions of the prompt alone. Of CUDABench a
third of 9 tasks, 20 in the long form."""

import http.server
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import threading

from _host_runtime import seed
from _problems import fenced, solvable
from _rotation import third
from _tasks import functions_in
from _tool import assert_exit, assert_that, built, environment, room, skip

sample, judge = built("cuset-sample"), built("cuset-eval")
source = pathlib.Path(os.environ["CUSET_SOURCE"])
if not shutil.which("g++"):
    skip("g++ is not installed")

examples = list(map(json.loads, open(source / "examples/tasks.jsonl", encoding="utf-8")))
shared = source.parent / "shared/data/cudabench/cudabench-100.jsonl"
python = pathlib.Path(os.environ["CUSET_DEPS"]) / "oracle/bin/python3"
problems = [p | {"prompt": f"Scale a vector as problem {p['task_id']} says."} for p in solvable()]
groups = {"examples": (examples, "python3"), "computeeval": (problems, "python3")}
if shared.exists() and python.exists():
    def size(task):
        counts = (re.findall(r"\d+", array["shape"]) for array in task["inputs"] + task["outputs"])
        return sum(math.prod(map(int, numbers)) for numbers in counts)
    families = {}
    for t in map(json.loads, open(shared, encoding="utf-8")):
        families.setdefault(t["task_name"], []).append(t)
    smallest = sorted((min(of_family, key=size) for of_family in families.values()), key=size)
    groups["cudabench"] = (third(smallest[:20 if os.environ.get("CUSET_LONG") else 9], "CUDABench's tasks"), python)
else:
    print("left out: CUDABench's tasks, or the Python that runs their scripts, are not here")

saxpy_main = """
__global__ void saxpy(int n, float a, const float* x, const float* y, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}
int main() {
    const int n = 1000;
    float a = 0, *x = nullptr, *y = nullptr, *out = nullptr;
    std::vector<float> values(n);
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    read_values("data/a.bin", &a, 1);
    read_values("data/x.bin", values.data(), n);
    cudaMemcpy(x, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    read_values("data/y.bin", values.data(), n);
    cudaMemcpy(y, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<(n + 255) / 256, 256>>>(n, a, x, y, out);
    if (cudaMemcpy(values.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    write_values("data/out.bin", values.data(), n);
}
"""
requests = []
lock = threading.Lock()


class server(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.reply({"data": [{"id": "knows-all"}]})

    def do_POST(self):
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        asked = messages[-1]["content"]
        known = [t for tasks, _ in groups.values() for t in tasks
                 if (f"{t['prompt']}\n\n" if "prompt" in t else f"Task: {t['task_name']}\n\n{t['level1_prompt']}\n\n")
                 in asked]
        with lock:
            requests.append((messages, known))
        task = known[0] if len(known) == 1 else {}
        program = task.get("bench.cu", "which task?")
        if task.get("id") == "saxpy-1000":
            program = functions_in(messages[0]["content"]) + saxpy_main
        fence = "```" if "```" not in program else "~~~"
        answer = f"{fence}cpp\n{program}\n{fence}\n"
        if "baseline_solution" in task:
            answer = fenced(*((f["path"], f["content"]) for f in task["baseline_solution"]["files"]))
        self.reply({"choices": [{"message": {"content": answer}, "finish_reason": "stop"}]})


http_server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), server)
threading.Thread(target=http_server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{http_server.server_address[1]}/v1"
seed(room / "cache")
kept = {k: v for k, v in environment(XDG_CACHE_HOME=room / "cache").items() if "proxy" not in k.lower()}

for name, (tasks, interpreter) in groups.items():
    path = room / f"{name}.jsonl"
    path.write_text("".join(json.dumps(t) + "\n" for t in tasks))
    requests.clear()
    pipe = subprocess.Popen([sample, "-q", "--endpoint", url, path], stdout=subprocess.PIPE, env=kept)
    # By the benchmark's own rule, which takes no answer but one in a fence of its kind.
    rule = "--protocol=cudabench" if name == "cudabench" else "--timeout=60"
    done = subprocess.run([judge, "-q", "--backend=host", "--python", interpreter, rule, "--tasks", path,
                           "--verdicts", room / f"{name}-verdicts.jsonl"],
                          stdin=pipe.stdout, capture_output=True, env=kept, check=False)
    pipe.stdout.close()
    assert_that(f"{name}: all are sampled", pipe.wait() == 0)
    if done.returncode == 4:
        skip(done.stderr.decode())
    assert_exit(f"{name}: cuset-eval", done, 0)
    verdicts = list(map(json.loads, open(room / f"{name}-verdicts.jsonl", encoding="utf-8")))
    assert_that(f"{name}: all pass", len(verdicts) == len(tasks) and all(v["failure"] is None for v in verdicts),
                [(v["task"], v["failure"], v["diagnostic"]) for v in verdicts if v["failure"]])
    if name == "cudabench":
        report = done.stdout.decode()
        assert_that("the benchmark's names", re.search(r"functionality.*100", report) is not None, report)
    def names_of(listed):
        return sorted(str(t.get("id", t.get("task_id"))) for t in listed)
    assert_that(f"{name}: each task is asked once", names_of(t for _, known in requests for t in known) == names_of(tasks))
    for messages, known in requests:
        roles = [m["role"] for m in messages]
        assert_that(f"{name}: roles", roles == ["system", "user"], roles)
        rule = "// file: " if name == "computeeval" else "data/NAME.bin"
        assert_that(f"{name}: the rules", rule in messages[0]["content"], messages[0])
        for task in known:
            message = [f["path"] + ":\n" for f in task.get("context_files", [])] + [
                f["content"] for f in task.get("context_files", [])] + [task.get("build_command", "")]
            assert_that(f"{name}: files and command", all(text in messages[1]["content"] for text in message), messages[1])
            assert_that(f"{name}: no tests", all(f["content"] not in messages[1]["content"]
                                                 for f in task.get("test_files", [])), messages[1])
        for array in [a for t in known for a in t.get("inputs", []) + t.get("outputs", [])]:
            line = [line for line in messages[1]["content"].split("\n") if line.startswith(f"- {array['name']}: ")]
            assert_that(f"{name}: {array}", len(line) >= 1 and all(
                message in line[0] for message in (f": {array['dtype']} (", f"shape {array['shape']}",
                                                    f"file data/{array['name']}.bin")), messages[1]["content"])
http_server.shutdown()
