"""Problems written here in KernelBench's schema, and answers to them, through cuset-eval and the harness of its own.
There is no GPU: an nvidia-smi that names one is made up, and the interpreter's start file tells the harness to run on
the CPU. So this shows what becomes of an answer, and nothing of CUDA."""

import json
import os
import pathlib
import shutil
import sys

source = pathlib.Path(os.environ["CUSET_SOURCE"])
sys.path.insert(0, str(source / "tests/cli"))
from _eval import assert_that, need_sandbox, room, run, verdicts, write, write_candidates, write_tasks  # noqa: E402
from _tool import skip  # noqa: E402

need_sandbox()
# It has nothing to compile here but cuset-eval's own programs.
nvcc = write(room / "gpu/bin/nvcc", """#!/bin/sh
case $1 in --version) echo "Cuda compilation tools, release 0.1, V0.1.2"; exit ;; esac
exec g++ -x c++ -o "$2" "$3"
""")
nvcc.chmod(0o755)
if not shutil.which("ninja"):
    skip("ninja is not installed, and PyTorch builds extensions with it")

# An environment of its own over the oracle's. Its ninja and its packages lie where the sandbox has to show them.
own = room / "python"
own_packages = own / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
(own / "bin").mkdir(parents=True)
(own / "bin/python3").symlink_to(os.path.realpath(sys.executable))
write(own / "pyvenv.cfg", f"home = {os.path.dirname(os.path.realpath(sys.executable))}\n")
write(own_packages / "oracle.pth", "".join(p + "\n" for p in sys.path if p.endswith("site-packages")))
write(own_packages / "sitecustomize.py", "import os\nos.environ['CUSET_TEST_DEVICE'] = 'cpu'\n")
write(room / "gpu/nvidia-smi", "#!/bin/sh\necho 'Made up, 9.0'\n").chmod(0o755)
path = f"{room}/gpu:{os.environ['PATH']}"


def problem(number, name, code, **fields):
    return {"code": code, "level": 1, "name": name, "problem_id": number, **fields}


twice = problem(1, "1_Twice", """
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        return 2 * x

def get_inputs():
    return [torch.randn(16, 8)]

def get_init_inputs():
    return []
""")
linear = problem(2, "2_Linear_Sum", """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, width, options):
        super().__init__()
        self.inner = nn.Linear(width, options["out"])
        self.dropout = nn.Dropout(0.5)

    def forward(self, x, scale):
        return self.dropout(self.inner(x)).sum(dim=1) * scale

def get_inputs():
    return [torch.rand(4, 8).t().contiguous().t(), 3]

def get_init_inputs():
    return [8, {"out": 6}]
""")
several = problem(3, "3_Several", """
import torch

class Model(torch.nn.Module):
    def forward(self, x, labels):
        x += 1
        best = x.max(dim=1)
        return {"x": x, "rest": [best, x.to(torch.bfloat16), labels[:0]], "count": x.shape[0], "mean": float(x.mean())}

def get_inputs():
    return [torch.randn(6, 5), torch.randint(0, 9, (6,))]

def get_init_inputs():
    return []
""")
random = problem(4, "4_Random", twice["code"].replace("2 * x", "x + random()").replace(
    "import torch\n", "import torch\nfrom random import random\n", 1))
broken = problem(5, "5_Broken", twice["code"].replace("torch.randn(16, 8)", "torch.randn(16, width)"))
problems = [twice, linear, several, random, broken, {**twice, "problem_id": 6, "tolerance": 0.1}]

new = "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return "
# An extension without PyTorch's headers, which take long to compile: Python's own are enough to be loaded.
extension = """
import torch
from torch.utils.cpp_extension import load_inline
source = '''
#include <Python.h>
static PyObject* twice(PyObject*, PyObject* arguments) {
    unsigned long long from = 0, to = 0;
    Py_ssize_t count = 0;
    if (!PyArg_ParseTuple(arguments, "KKn", &from, &to, &count)) return nullptr;
    for (Py_ssize_t i = 0; i < count; ++i) ((float*)to)[i] = 2 * ((const float*)from)[i];
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"twice", twice, METH_VARARGS, ""}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "own_twice", "", -1, methods};
PyMODINIT_FUNC PyInit_own_twice() { return PyModule_Create(&module); }
'''
built = load_inline(name="own_twice", cpp_sources=source, no_implicit_headers=True)

class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        built.twice(x.data_ptr(), y.data_ptr(), x.numel())
        return y
"""
linear_answer = linear["code"].replace("Model", "ModelNew")
several_answer = several["code"].replace("Model", "ModelNew")
# What the answer can reach does not decide: the comparison is in another process.
rewriting = f"""
import random, time, torch
torch.allclose = torch.equal = lambda *a, **k: True
torch.Tensor.__eq__ = torch.Tensor.eq = lambda *a: torch.tensor(True)
torch.isclose = lambda a, *r, **k: torch.ones_like(a, dtype=torch.bool)
torch.rand = torch.randn = lambda *s, **k: torch.zeros(*s)
torch.manual_seed = random.seed = lambda *s: None
time.time = time.perf_counter = lambda: 0.0
import sys
for module in list(sys.modules.values()):
    for name in ("difference", "difference_of", "mismatches", "compare"):
        if hasattr(module, name): setattr(module, name, lambda *a: "")
print("T")
{new}torch.zeros_like(x)
"""
# The reference is nowhere to be seen, and what an answer writes in its place is not read.
reading = f"""
import os, glob, sys
found = [f for top in ("/job", "/tmp", "/proc/1") for f in glob.glob(top + "/**/*reference*", recursive=True)]
assert not found, found
open("data/reference_1.bin", "w").write("x")
print("T", flush=True)
os.write(7, b"loaded\\nT\\n")
{new}x
"""
leaving = "import os\nfor k in range(1, 6): open(f'data/outputs_{k}.bin', 'wb').write(b'\\xff' * 64)\nos.write(7, b'loaded\\n')\nos._exit(0)\nclass ModelNew: pass\n"
linking = "import os\nfor k in range(1, 6): os.symlink(f'inputs_{k}.bin', f'data/outputs_{k}.bin')\nos.write(7, b'loaded\\n')\nos._exit(0)\nclass ModelNew: pass\n"


def fenced(code):
    return f"First a sketch:\n```python\nx = 1\n```\nand then\n```python\n{code}```\nDone.\n"


# Of each: the problem, the answer, the failure and what is said of it. Each starts PyTorch two times.
answers = [
    (1, fenced(extension), None, ""),
    (2, fenced(linear_answer), None, ""),
    (3, fenced(several_answer), None, ""),
    (1, fenced(new + "2.001 * x\n"), "wrong_output", " of 128 values, by at most 0.00"),
    (1, fenced(new + "(2 * x)[:8]\n"), "wrong_output", "trial 1 of 5: the output has shape (8, 8), not (16, 8)"),
    (1, fenced(new.replace("ModelNew", "Other") + "x\n"), "syntax_error", "the answer defines no ModelNew"),
    (1, fenced(new + "(x\n"), "syntax_error", "SyntaxError: '(' was never closed (answer.py:4)"),
    (1, fenced(extension.replace("Py_RETURN_NONE", "return nobody_knows")), "syntax_error", "main.cpp:8:12: error: "),
    (1, fenced(new + "x / None\n"), "wrong_exit", "TypeError: unsupported operand type(s) for /"),
    (1, fenced(rewriting), "wrong_output", "differs in"),
    (1, fenced(reading), "wrong_output", "differs in"),
    (1, "x = 1\n", "no_code", "neither a fenced block nor a class ModelNew"),
    (1, fenced(leaving), "wrong_output", "the output is no file of ModelNew's outputs"),
    (4, fenced(new + "x\n"), "evaluator", "Model run twice does not agree with itself: trial 1 of 5: the output differs"),
]
more_answers = [
    (1, fenced(new + "x + x\n"), None, ""),
    (6, fenced(new + "2.001 * x\n"), None, ""),
    (1, fenced(new + "(2 * x).half()\n"), "wrong_output", "the output has dtype float16, not float32"),
    (1, fenced(new + "[2 * x]\n"), "wrong_output", "the output is a sequence, not a tensor"),
    (3, fenced(several_answer.replace("x.max(dim=1)", "x.min(dim=1)")), "wrong_output", "the output['rest'][0][0] differs in"),
    (3, fenced(several_answer.replace("x.shape[0]", "7")), "wrong_output", "the output['count'] is 7, not 6"),
    (1, fenced("import torch\nraise ValueError('no\\nidea')\n" + new + "x\n"), "syntax_error", "ValueError: no (answer.py:2)"),
    (1, fenced(extension.replace("PyModule_Create(&module)", "nobody()").replace(
        "PyMODINIT_FUNC", "PyObject* nobody();\nPyMODINIT_FUNC")), "link_error", "undefined symbol"),
    (1, fenced("import os\n" + new + "os.kill(os.getpid(), 11)\n"), "crash", "ended by signal 11"),
    (1, fenced(linking), "missing_output", "data/outputs_1.bin is a link"),
    (1, fenced("import sys\nsys.exit(0)\nclass ModelNew: pass\n"), "syntax_error", "the answer ended while it was loaded"),
    (5, fenced(new + "x\n"), "evaluator", "NameError: name 'width' is not defined"),
]
if os.environ.get("CUSET_LONG"):
    answers += more_answers
tasks = write_tasks(room / "problems.jsonl", *problems)
seen = {}
given = []
for number, text, *_ in answers:
    seen[number] = seen.get(number, -1) + 1
    given.append({"task": f"1/{number}", "sample": seen[number], "response": text})
candidates = write_candidates(room / "answers.jsonl", *given)
words = ["--nvcc", nvcc, "--python", own / "bin/python3", "--tasks", tasks, "-t2"]
done = run(*words, "--verdicts", room / "v.jsonl", candidates, PATH=path)
found = verdicts(room / "v.jsonl") if (room / "v.jsonl").exists() else {}
assert_that("exit code", done.returncode == 3, done.stderr.decode())
if not found:
    sys.exit()
stages = {None: "correct", "no_code": "answered", "syntax_error": "extracted", "link_error": "extracted",
          "wrong_exit": "compiled", "crash": "compiled", "missing_output": "ran", "wrong_output": "ran",
          "evaluator": "extracted"}
for c, (number, text, failure, said) in zip(given, answers):
    v = found.get((c["task"], c["sample"]), {"failure": "?", "diagnostic": "", "stage": ""})
    assert_that(f"problem {number}", v["failure"] == failure and said in v["diagnostic"] and v["stage"] == stages[failure],
                text[-90:], v)
assert_that("families", {v["family"] for v in found.values()} >= {"1_Twice", "2_Linear_Sum"}, found.keys())
assert_that("what the compiler said", any("nobody_knows" in v.get("compiler", "") for v in found.values()))

# The problem itself is an answer that has to pass.
done = run(*words[:-3], "--tasks", write_tasks(room / "checked.jsonl", linear, random), "--check-tasks", PATH=path)
said = {w["task"]: w["weak"] for w in map(json.loads, done.stdout.splitlines())}
assert_that("check-tasks", said == {"1/2": [], "1/4": ["generator_fails"]}, done)

# Where nothing runs, nothing is judged, and each answer says why. cli/eval_files has this of the host backend.
done = run("--nvcc", nvcc, "--tasks", tasks, "--compile-only", "--json", candidates)
told = json.loads(done.stdout)["unsupported"] if done.returncode == 0 else {"count": 0, "names": [{"name": ""}]}
assert_that("compiling only", told["count"] == len(given) and "needs a GPU" in told["names"][0]["name"], done)
