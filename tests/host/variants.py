"""The same programs on a machine with less: without CUDA's headers, with few threads or little
memory, and on a processor without memory protection keys, where mprotect keeps host code from
device memory. Every eighth program of model and library, all with CUSET_LONG; faulty programs run
unchecked, for faults that the closed memory itself finds."""
import re

import _programs

every = 1 if _programs.is_long else 8
few = _programs.programs("model", "library")[::every]


def without_headers(some):
    """A program that includes a header of the toolkit only is unsupported, with that header's
    name."""
    results = _programs.run(some, "--no-headers")
    problems = []
    for path, r in zip(some, results):
        needed = re.findall(r"#include <(cuda_(?:fp16|bf16|fp8)\.h|cuComplex\.h|library_types\.h)>",
                            path.read_text())
        if not needed:
            problems += _programs.failed([r], "no headers")
        elif not r["unsupported"] or needed[0] not in r["diagnostic"]:
            problems.append(f"{path.name}: must be unsupported without <{needed[0]}>: {_programs.failure_line(r)}")
    return problems


def without_keys(some):
    return _programs.failed(_programs.run(some, "--no-keys", "--threads", "2"), "no keys")


wrong = without_headers(few) + without_keys(few)

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
_programs.finish(wrong, f"{len(few)} programs and {len(twins)} twins")
