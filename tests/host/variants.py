"""The same programs on a machine with less: with few threads or little memory, without the headers
of CUDA's libraries, and on a processor without memory protection keys, where mprotect keeps host
code from device memory. Every eighth program of model and library, all with CUSET_LONG; faulty
programs run unchecked, for faults that the closed memory itself finds."""
import json
import os
import pathlib
import subprocess

import _programs

every = 1 if _programs.is_long else 8
few = _programs.programs("model", "library")[::every]


def without_keys(some):
    return _programs.failed(_programs.run(some, "--no-keys", "--threads", "2"), "no keys")


wrong = without_keys(few)

# With fewer OS threads than blocks wait for each other or than were asked for, and without the
# memory for the stacks of those that wait.
full = _programs.folder / "model/grid_full.cu"
wrong += _programs.failed(_programs.run([full], "--processes", "3", "--threads", "64"), "few threads")
(r,) = _programs.run([full], "--memory", "1024")
if "\nfault unsupported: kernel waves" not in r["channel"] or "need more memory" not in r["err"]:
    wrong.append(f"{full.name}: must be unsupported for want of memory: {_programs.failure_line(r)}")

# Both kinds of protection stop host code that touches device memory, with the same message.
for path in _programs.programs("ended"):
    words = path.read_text().splitlines()[0].removeprefix("// ends: ")
    for options in [], ["--no-keys"]:
        for seed in "0", "1":
            (r,) = _programs.run([path], *options, "--seed", seed)
            if not all(part in r["err"] for part in words.split("*")):  # * stands for any thread
                wrong.append(f"{path.name} {options}: must end with {words}: {_programs.failure_line(r)}")

# Unchecked, right programs pass and wrong ones fail by themselves, with protection keys or without.
# One twin is right only if it is checked.
twins = [p for p in _programs.twins() if not p.name.startswith("launches_from_host_threads")][::every]
wrong += without_keys(twins)
# With the headers that set-up unpacks, which have none of CUDA's libraries. A compiler may find these in a folder of
# its own; then a call is what is missing.
include = pathlib.Path(os.environ["CUSET_DEPS"]) / "cuda/include"
some = [_programs.folder / name for name in ("model/graph_memory.cu", "toolkit/cublas.cu", "toolkit/cufft.cu")]
done = subprocess.run([_programs.driver, _programs.cache(), *some], capture_output=True, text=True,
                      env=os.environ | {"CUSET_CUDA_INCLUDE": str(include)})
if done.returncode != 0:
    wrong.append(f"{include}: {done.stderr}")
else:
    plain, *of_libraries = map(json.loads, done.stdout.splitlines())
    wrong += _programs.failed([plain], "headers of set-up")
    for r, library in zip(of_libraries, ("cublas", "cufft")):
        if not r["unsupported"] or not r["diagnostic"].strip("<").startswith(library):
            wrong.append(f"{r['file']}: must be unsupported for want of {library}: {_programs.failure_line(r)}")
_programs.finish(wrong, f"{len(few)} programs and {len(twins)} twins")
