"""man/cuset-host-calls.7 names the calls that the compiled runtime defines, no more and no fewer.
With --write, makes the page."""
import os
import pathlib
import re
import subprocess
import sys

import _programs

_programs.need_toolkit("the libraries")
page = pathlib.Path(os.environ["CUSET_SOURCE"]) / "man/cuset-host-calls.7"
generators = pathlib.Path(os.environ["CUSET_SOURCE"]) / "lib/host/runtime/include/cuset_host/curand_generators.h"
sections = {"RUNTIME API": "cuda", "DRIVER API": "cu", "CUBLAS": "cublas", "CUBLASLT": "cublasLt",
            "CUSOLVER": "cusolver", "CUSPARSE": "cusparse", "CUFFT": "cufft", "CURAND": "curand"}
head = r"""\" Made by tests/host/calls.py.
.TH CUSET\-HOST\-CALLS 7 "" "cuset" "cuset"
.SH NAME
cuset\-host\-calls \- the calls of CUDA that the host backend of cuset\-eval models
.SH DESCRIPTION
.BR cuset\-host (7)
tells what these calls do where no GPU is. They are the ones that the host model's compiled runtime defines; a test
compares. Names that headers give to them, such as those with _v2, and C++ templates over them are not listed, nor are
functions of kernels. A program with another call of these libraries gets the verdict
.IR unsupported ,
with the call's name.
"""
foot = r""".SH SEE ALSO
.BR cuset\-eval (1),
.BR cuset\-host (7)
"""


def defined():
    """The names that the archives of this runtime define, and those of cuRAND's host API, which is
    a header."""
    _programs.run(sorted(_programs.folder.glob("toolkit/cublas.cu")))  # compiles the runtime
    runtime = subprocess.run([_programs.driver, "--runtime"], capture_output=True, text=True, check=True).stdout
    names = set(re.findall(r"inline curandStatus_t (curand\w+)\(", generators.read_text()))
    for key in pathlib.Path(_programs.cache()).glob("host-*/key"):
        if key.read_text().startswith(f"host {runtime}"):
            for archive in key.parent.glob("*.a"):
                listed = subprocess.run(["nm", "-C", "--defined-only", archive], capture_output=True, text=True)
                names |= set(re.findall(r" [TW] (cu(?:da|blas|blasLt|solver|sparse|fft)?[A-Z]\w*)", listed.stdout))
    return {re.sub(r"_v[2-9](?=(_64)?$)", "", name) for name in names}


def of_section(names, prefix):
    """cudaFree begins with cu too, but has a small letter behind it; cublasLt is not cuBLAS."""
    return sorted(name for name in names
                  if re.fullmatch(prefix + r"[A-Z]\w*", name) and not (prefix == "cublas" and name.startswith("cublasLt")))


names = defined()
for prefix in sections.values():
    assert len(of_section(names, prefix)) > 10, f"no names that begin with {prefix}"
if "--write" in sys.argv:
    parts = [f".SH {title}\n" + ",\n".join(of_section(names, prefix)) + ".\n" for title, prefix in sections.items()]
    page.write_text("." + head + "".join(parts) + foot)
listed = set()
for title in sections:
    text = re.search(rf"^\.SH {title}\n(.*?)\.\n\.SH", page.read_text(), re.M | re.S)[1]
    listed |= set(text.split(",\n"))
wrong = [f"{name}: not in the man page" for name in sorted(names - listed)]
wrong += [f"{name}: in the man page, but not defined" for name in sorted(listed - names)]
print("\n".join(wrong))
print(f"{len(names)} calls: {len(wrong)} wrong")
raise SystemExit(1 if wrong else 0)
