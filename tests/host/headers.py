"""Each header that man/cuset-host.7 lists compiles alone, included twice, in a program that launches
a kernel, and so do all of them in one program, in both orders. Every fourth header alone; all with
CUSET_LONG."""
import concurrent.futures
import os
import pathlib
import re

import _programs

if not _programs.has_toolkit:
    print("some headers need the toolkit's")
    raise SystemExit(77)
page = (pathlib.Path(os.environ["CUSET_SOURCE"]) / "man/cuset-host.7").read_text()
listed = re.search(r"that a program may include:\n\.PP\n(.*?)\.\n\.PP", page, re.S)[1].split(",\n")
assert len(listed) > 90, "the list is missing"
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
    path.write_text("".join(f"#include <{header}>\n" for header in headers) + kernel)
    return path


chosen = listed if os.environ.get("CUSET_LONG") else listed[::4]
together = [header for header in listed if header != "cublas.h"]  # which refuses cublas_v2.h
programs = [program("all", together), program("all_backwards", together[::-1])]
programs += [program(header, [header, header]) for header in chosen]
_programs.run(programs[:1])  # compiles the runtime once
wrong = []
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for results in pool.map(_programs.run, _programs.halves(programs)):
        wrong += [f"{r['file']}: {_programs.said(r)}" for r in results
                  if not r["compiled"] or not r["exited"] or r["code"] != 0]
print("\n".join(wrong))
print(f"{len(programs)} programs: {len(wrong)} wrong")
raise SystemExit(1 if wrong else 0)
