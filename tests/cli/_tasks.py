"""Tests of what tasks are asked share these: tasks in the forms of benchmarks, and the messages that
--show prints."""

import re


def array(name, dtype, shape):
    return {"name": name, "dtype": dtype, "shape": shape}


def scaling(i):
    """A task in CUDABench's form; it has no programs that would run."""
    n = 16 * (i + 1)
    return {"id": i, "task_name": f"Scale_{i}", "task_description": f"Scale by {i}.",
            "inputs": [array("x", "float32", f"({n}, 4)"), array("factor", "float64", "()")],
            "outputs": [array("y", "float32", f"({n * 4},)")], "gpu": "unknown",
            "bench.cu": f"__global__ void scale_{i}(float* x) {{ *x *= {i}; }}\n", "gen.py": "", "compare.py": "",
            **{f"level{k}_prompt": f"Multiply each of {n * 4} values by {i}. Ω{k}" for k in (1, 2, 3)}}


# In the schema of ComputeEval.
problem = {
    "task_id": "own/3", "date": "2026-01-01", "type": "cuda_cpp", "group": "cuda-kernels",
    "prompt": "Define scale(), which doubles n values in device memory.",
    "metadata": {"difficulty": "easy"},
    "context_files": [{"path": "include/scale.h", "content": "#pragma once\nvoid scale(float* x, int n);\n"}],
    "test_files": [{"path": "test/test_main.cu", "content": "int hidden_test;\n"}],
    "build_command": "nvcc -I include -o test.out solution.cu test/*.cu", "test_command": "./test.out",
    "timeout_seconds": 30, "baseline_solution": {"type": "file", "files": [
        {"path": "solution.cu", "content": "hidden solution"}]}}

harness_task = {
    "id": "axpy", "prompt": "Define axpy() as axpy.h declares it.",
    "context_files": [{"path": "axpy.h", "content": "void axpy(int n, float a, const float* x, float* y);\n"}],
    "nvcc_flags": ["-O3", "--use_fast_math"],
    "harness": "#include <cstdio>\n#include \"axpy.h\"\n#include \"solution.cu\"\nint main() { return hidden(); }\n"}


# In the schema of KernelBench.
module_problem = {
    "level": 2, "name": "7_Scale", "problem_id": 7,
    "code": "import torch\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return 3 * x\n\n"
            "def get_inputs():\n    return [torch.rand(8, 8)]\n\ndef get_init_inputs():\n    return []\n"}


def messages_of(shown):
    """What --show prints, as messages. It puts a newline after each."""
    parts = re.split(r"^--- (system|user|assistant)\n", shown, flags=re.M)
    assert parts[0] == "", shown
    return [{"role": role, "content": text[:-1]} for role, text in zip(parts[1::2], parts[2::2])]


def functions_in(message):
    """The code in the system message, which a program takes over."""
    return re.search(r"^```cpp\n(.*?)^```$", message, re.M | re.S)[1]
