"""The execution model, its API and its library: each program checks itself against values computed
by hand or by plain C++, in the plain order of threads and in others, and with asynchronous streams.
Also code that is not modelled, and code that nvcc refuses."""
import concurrent.futures
import os

import _programs

files = sorted(_programs.folder.glob("model/*.cu")) + sorted(_programs.folder.glob("library/*.cu"))
if _programs.has_toolkit:
    files += sorted(_programs.folder.glob("toolkit/*.cu"))
assert len(files) > 30, "the programs are missing"
# The plain order, and the descending one with asynchronous streams; others in the long form.
orders = [["--seed", "0"], ["--seed", "1", "--asynchronous"]]
if os.environ.get("CUSET_LONG"):
    orders += [["--seed", seed] for seed in "1234567"]
# These go on after faults, which other runs do not survive.
surviving = sorted(_programs.folder.glob("asynchronous/*.cu"))
assert surviving, "the programs are missing"
wrong = []
_programs.run(files[:1])  # compiles the runtime once
for order in orders:
    chosen = files + (surviving if "--asynchronous" in order else [])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for results in pool.map(lambda some: _programs.run(some, *order), _programs.halves(chosen)):
            wrong += [f"{r['file']} ({' '.join(order)}): {_programs.said(r)}" for r in results
                      if not r["compiled"] or not r["exited"] or r["code"] != 0]
# Code that is not modelled is refused by name, and gets no verdict.
unmodelled = sorted(_programs.folder.glob("unmodelled/*.cu"))
for path, r in zip(unmodelled, _programs.run(unmodelled)):
    name = path.read_text().splitlines()[0].removeprefix("// unmodelled: ")
    if r["compiled"] or not r["unsupported"] or r["diagnostic"] != name:
        wrong.append(f"{path.name}: must be unsupported: {name}: {_programs.said(r)}")
# Code that nvcc refuses, but g++ would accept.
refused = sorted(_programs.folder.glob("refused/*.cu"))
for path, r in zip(refused, _programs.run(refused)):
    words = path.read_text().splitlines()[0].removeprefix("// refused: ")
    if r["compiled"] or r["unsupported"] or words not in r["diagnostic"]:
        wrong.append(f"{path.name}: must be refused: {words}: {_programs.said(r)}")
print("\n".join(wrong))
print(f"{len(files)} programs, {len(orders)} orders: {len(wrong)} wrong")
raise SystemExit(1 if wrong else 0)
