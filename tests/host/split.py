"""Kernels that run from barrier to barrier without stacks compute the same as on fibers, in each
order of threads. The programs are those written for this (split/), which name the kernels that must
have this form, and all other programs here with such a kernel, including the wrong ones. Outputs
and the memory after each launch are compared; races show in both."""
import re

import _programs

written = _programs.programs("split", least=2)
others = _programs.programs("model", "library") + _programs.twins()
others = [p for p in others + _programs.faulty() if "__syncthreads()" in p.read_text()]
# Their results depend on unset memory, the time, or the progress of another host thread.
undefined = {"shared_tile_row_out.cu", "dynamic_shared_too_few_bytes.cu", "clocks_and_grids.cu",
             "launches_from_host_threads.cu", "launches_from_host_threads.good.cu"}
# Threads must not construct their kernels' parameters: g++ refuses the split form.
refused = {"copied_parameters.cu", "object_parameters.cu"}
wrong = []


def expected(path):
    """The kernels that must be split, and those that must not be, with the reason."""
    text = path.read_text()
    splits = re.search(r"^// splits: (.*)$", text, re.M)[1].replace("<>", "").split()
    return sorted(splits), dict(re.findall(r"^// keeps: (\S+): (.*)$", text, re.M))


# The exit code of a program written for this test.
codes = {str(p): int((re.search(r"^// exits: (.*)$", p.read_text(), re.M) or [0, 0])[1]) for p in written}


def compared(files, seed):
    problems = []
    settings = "--threads", "1", "--seed", seed
    for split, fibers in zip(_programs.run(files, "--split", *settings), _programs.run(files, "--fibers", *settings)):
        at = f"{split['file']} (seed {seed})"
        if not split["compiled"]:
            problems.append(f"{at}: {_programs.failure_line(split)}")
        elif any(split[what] != fibers[what] for what in ("code", "out", "err", "launches")):
            problems.append(f"{at}: split: {_programs.failure_line(split)}; fibers: {_programs.failure_line(fibers)}")
        elif split["file"] in codes and split["code"] != codes[split["file"]]:
            problems.append(f"{at}: {_programs.failure_line(split)}")
    return problems


forms = {r["file"]: r["kernels"] for r in _programs.run(written + others, "--forms")}
for path in written:
    splits = sorted(name for name, obstacle in forms[str(path)] if not obstacle)
    keeps = {name: obstacle for name, obstacle in forms[str(path)] if obstacle}
    if (splits, keeps) != expected(path):
        wrong.append(f"{path}: splits {splits}, keeps {keeps}")
wrong += [f"{r['file']}: its split form compiles"
          for r in _programs.run([p for p in others if p.name in refused], "--split") if r["compiled"]]
chosen = [p for p in others if p.name not in undefined | refused and any(not o for _, o in forms[str(p)])]
assert len(chosen) > 30, f"only {len(chosen)} programs have a kernel that is split"
is_wrong = {p for p in chosen if p.parent.name == "faulty"}
chosen = written + sorted(is_wrong) + _programs.third([p for p in chosen if p not in is_wrong], "right programs")
for seed in ("0", "1", "7"):
    wrong += compared(chosen, seed)
# g++ compiles one text once, whatever setting needs it.
wrong += [f"{r['file']}: automatic: compiled anew" for r in _programs.run(written) if not r["cached"]]
_programs.finish(wrong, f"{len(chosen)} programs in both forms")
