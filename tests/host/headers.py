"""Each header that man/cuset-host.7 lists, of CUDA and of HIP, compiles alone, included twice, in a program that launches
a kernel, and so do all of them in one program, in both orders. Every fourth header alone; all with
CUSET_LONG. What every program includes also compiles with the headers that setup/setup.sh unpacks, where
this machine's toolkit has others."""
import os
import pathlib
import re
import subprocess
import sys

import _programs

_programs.need_toolkit("some headers")
page = (pathlib.Path(os.environ["CUSET_SOURCE"]) / "man/cuset-host.7").read_text()
listed = re.search(r"that a program may include:\n\.PP\n(.*?)\.\n\.PP", page, re.S)[1].split(",\n")
assert len(listed) > 90, "the list is missing"
of_hip = re.search(r"HIP's headers that a program may include:\n\.PP\n(.*?)\.\n\.PP", page, re.S)[1].split(",\n")
assert len(of_hip) > 15, "the list of HIP's headers is missing"
place = pathlib.Path(os.environ["CUSET_BUILD"]) / "tests/host-headers"
place.mkdir(parents=True, exist_ok=True)
kernel = """
#include <cstdio>
__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x + blockDim.x; }
int main() {
    int *out, host[32];
    cudaMalloc(&out, sizeof host);
    fill<<<1, 32>>>(out);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return host[31] == 63 ? 0 : 1;
}
"""


def program(name, headers):
    path = place / f"{re.sub('[^A-Za-z0-9_]', '_', name)}.cu"
    lines = "".join(f"#include <{header}>\n" for header in headers)
    path.write_text(lines + (kernel if headers[0] not in of_hip else kernel.replace("cuda", "hip")))
    return path


chosen = listed if _programs.is_long else listed[::4]
together = [header for header in listed if header != "cublas.h"]  # which refuses cublas_v2.h
programs = [program("all", together), program("all_backwards", together[::-1])]
programs += [program(header, [header, header]) for header in chosen]
programs += [program("all_of_hip", of_hip), program("all_of_hip_backwards", of_hip[::-1])]
programs += [program(header, ["hip/hip_runtime.h", header, header])
             for header in (of_hip if _programs.is_long else of_hip[::4])]
include = pathlib.Path(os.environ["CUSET_DEPS"]) / "cuda/include"
runtime = pathlib.Path(os.environ["CUSET_SOURCE"]) / "lib/host/runtime/include"
done = subprocess.run(["g++", "-std=c++17", "-w", "-fsyntax-only", "-x", "c++", "-I", runtime, "-isystem", include,
                       "-isystem", include / "cccl", "-include", "cuset_host/program.h", "-include",
                       "cuset_host/reading_toolkit.h", "-include", "thrust/sort.h", "-"], input="int main() {}", capture_output=True, text=True)
if done.returncode != 0:
    sys.exit(f"{include}: {done.stderr}")
_programs.finish(_programs.failed(_programs.run(programs), "headers"), f"{len(programs)} programs")
