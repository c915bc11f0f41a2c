"""The pairs in examples/pairs.jsonl are made from examples/pairs and whole, and their code compiles.

The code is taken out of the records, not out of the files they come from. A HIP response is compiled by nvcc against a
stub of hip/hip_runtime.h that maps the few names in use to CUDA's: a check of the syntax and the types, not of a HIP tool
chain. The CUDA source in a Python response is compiled against stubs of the few names of torch in use."""

import ast
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from _rotation import third
from _tool import assert_equal, assert_that, case, room, skip

examples = pathlib.Path(os.environ["CUSET_SOURCE"]) / "examples"

case("the committed file is what its sources make")
subprocess.run([sys.executable, examples / "make-pairs.py", room / "pairs.jsonl"], check=True)
pairs = (room / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
committed = (examples / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
assert_equal("the number of records", len(pairs), len(committed))
for made, line in zip(pairs, committed):
    assert_that(line[:60], made == line, made[:200])

case("the records")
ids, kinds, sources = set(), dict.fromkeys(("plain", "markdown", "python", "hip"), 0), {}
for record in map(json.loads, committed):
    name, text = record["id"], record["response"]
    assert_that(name, set(record) == {"id", "prompt", "response"} and all(v.strip() for v in record.values()), "other fields")
    assert_that(name, re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) and name not in ids, "not kebab-case, or there twice")
    ids.add(name)
    assert_that(name, 40 <= len(text.splitlines()) <= 200, len(text.splitlines()), "lines")
    fenced = re.findall(r"^```(?:cuda|cpp|c\+\+)\n(.*?)^```$", text, re.M | re.S)
    if fenced:
        kind, code = "markdown", fenced
    elif re.search(r"^import ", text, re.M):
        kind, code = "python", [n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant)
                                and isinstance(n.value, str) and "__global__" in n.value]
    else:
        kind, code = "hip" if "hip/hip_runtime.h" in text else "plain", [text]
    kinds[kind] += 1
    assert_that(name, any("__global__" in part for part in code), "no kernel")
    sources |= {f"{name}.{i}.cu": part for i, part in enumerate(code, 1)}
assert_that("24 of them, of each kind", len(ids) >= 24 and all(kinds.values()), kinds)
print(len(ids), "records:", kinds)

case("all of it compiles")
if not shutil.which("nvcc"):
    skip("nvcc is absent")
stubs = {"hip/hip_runtime.h": """#include <cuda_runtime.h>
#define hipError_t cudaError_t
#define hipSuccess cudaSuccess
#define hipGetErrorString cudaGetErrorString
#define hipGetLastError cudaGetLastError
#define hipMalloc cudaMalloc
#define hipFree cudaFree
#define hipMemcpy cudaMemcpy
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipLaunchKernelGGL(kernel, grid, block, bytes, stream, ...) \\
  kernel<<<(grid), (block), (bytes), (stream)>>>(__VA_ARGS__)
""", "torch/extension.h": """#include <cstdint>
namespace torch {
enum ScalarType { kFloat };
struct Tensor {
  bool is_cuda() const;
  bool is_contiguous() const;
  ScalarType scalar_type() const;
  int64_t dim() const;
  int64_t size(int64_t) const;
  int64_t numel() const;
  template <typename T> T* data_ptr() const;
};
Tensor empty_like(const Tensor&);
}  // namespace torch
#define TORCH_CHECK(condition, message) \\
  do { if (!(condition)) throw message; } while (0)
""", "ATen/cuda/CUDAContext.h": """#include <cuda_runtime.h>
namespace at { namespace cuda { cudaStream_t getCurrentCUDAStream(); } }
""", "c10/cuda/CUDAException.h": """#include <cuda_runtime.h>
#define C10_CUDA_KERNEL_LAUNCH_CHECK() \\
  do { if (cudaGetLastError() != cudaSuccess) throw "launch"; } while (0)
"""}
for name, text in stubs.items():
    (room / "stub" / name).parent.mkdir(parents=True, exist_ok=True)
    (room / "stub" / name).write_text("#pragma once\n" + text)


def compiled(name):
    (room / name).write_text(sources[name], encoding="utf-8")
    return subprocess.run(["nvcc", "-std=c++17", "-arch=sm_80", "-c", "-o", "/dev/null", f"-I{room / 'stub'}", room / name],
                          capture_output=True, text=True, check=False)


chosen = third(sorted(sources), "sources")
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for name, done in zip(chosen, pool.map(compiled, chosen)):
        assert_that(name, done.returncode == 0, done.stdout + done.stderr)
print(len(chosen), "sources compile")
