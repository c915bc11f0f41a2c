"""This compares the host backend's verdicts with a GPU's, which is the only ground truth for them:
CUDABench's references and copies with a mistake (tests/host/_mutations.py), or those of
examples/tasks.jsonl, are compiled and judged on both backends of the same machine. Then the programs of
tests/host, which check themselves, run on the GPU: what they expect is what a device does.

    judge.py [--device cuda|cpu] [--seconds S] [--out FOLDER] [--most N] [--cores N]

Work comes in batches, the most telling first, until the seconds are over: the smallest size of each
family, some of its mutants in an order drawn once, the references' other sizes, more mutants, those of two
more sizes. What has been judged is reported at the end, and after each batch all verdicts go to
FOLDER/verdicts.jsonl.gz and each disagreement, with its program, to FOLDER/disagreements.jsonl. A pair in
which a backend could not judge (`evaluator`) counts on neither side. Where no sandbox can be made here, or the GPU
does not work in one, programs run without. --most takes only so many programs a batch. With --device cpu,
a rehearsal, the host backend stands on both sides.
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import _results

source = pathlib.Path(os.environ["CUSET_SOURCE"])
tool = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-eval"
sys.path.insert(0, str(source / "tests/host"))
import _mutations as mutations  # noqa: E402

MUTANT_SIZES = (1, 2)  # beside the smallest; a family's tasks are its sizes, from 0
SLICE = 48  # mutants of a batch
SLOWEST = 12  # seconds that the last programs of a batch take; no batch begins with less left
# What programs of these folders of tests/host may call.
LIBRARIES = {"model": ["-lcuda"],
             "library": ["-lcuda", "-lcublas", "-lcublasLt", "-lcufft", "-lcurand", "-lcusolver", "-lcusparse"]}


def tasks_by_size():
    """Lists of tasks: those of each family's first size, of its second, and so on."""
    path = source.parent / "shared/data/cudabench/cudabench-100.jsonl"
    if not path.exists():
        path = source / "examples/tasks.jsonl"
    seen, sizes = collections.Counter(), collections.defaultdict(list)
    for task in map(json.loads, open(path, encoding="utf-8")):
        family = task.get("task_name", task["id"])
        sizes[seen[family]].append(task)
        seen[family] += 1
    return path, [sizes[i] for i in sorted(sizes)]


def batches(sizes):
    """(kind, [(task, what it is, text)]), the most telling first."""
    def mutants(tasks):
        made = [(task, f"{operator} in line {line}", text) for task in tasks
                for operator, line, text in mutations.mutants(task["bench.cu"], mutations.OPERATORS, 1)]
        random.Random(1).shuffle(made)
        return made

    def references(tasks):
        return [(task, "reference", task["bench.cu"]) for task in tasks]

    def sliced(programs):
        return [("mutants", programs[i:i + SLICE]) for i in range(0, len(programs), SLICE)]

    smallest = sliced(mutants(sizes[0]))
    yield "references", references(sizes[0])
    yield from smallest[:1]
    for tasks in sizes[1:]:
        yield "references", references(tasks)
    yield from smallest[1:]
    for size in MUTANT_SIZES:
        if size < len(sizes):
            yield from sliced(mutants(sizes[size]))


def judge_both(path, programs, room, end, backends, cores, unsafe):
    """[(program, GPU's verdict, host's verdict)] of those that both have judged when time is up, and whether
    the GPU's side could judge at all."""
    samples = collections.Counter()
    by_key = {}
    with open(room / "candidates.jsonl", "w", encoding="utf-8") as file:
        for task, what, text in programs:
            key = str(task["id"]), samples[task["id"]]
            samples[task["id"]] += 1
            by_key[key] = (task, what, text)
            fence = "```" if "```" not in text else "~~~"
            print(json.dumps({"task": task["id"], "sample": key[1], "response": f"{fence}cuda\n{text}\n{fence}\n"}),
                  file=file)
    running = {}
    for side, backend in backends.items():
        options = ["--nvcc=none"] if backend == "host" else []
        options += ["--unsafe-no-sandbox"] if unsafe else []
        running[side] = subprocess.Popen(
            [tool, "-q", "--tasks", path, "--verdicts", room / f"{side}.jsonl", f"--backend={backend}",
             f"--threads={max(1, cores // 2)}", "--timeout=20", "--python", sys.executable, *options,
             room / "candidates.jsonl"], stdout=subprocess.DEVNULL, stderr=open(room / f"{side}.err", "wb"))
    late = False
    for process in running.values():
        try:
            process.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            late = True
            process.send_signal(signal.SIGTERM)
    verdicts, works = {}, True
    for side, process in running.items():
        try:
            code = process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait(10)
        said = (room / f"{side}.err").read_text(errors="replace").strip().splitlines()
        lines = (room / f"{side}.jsonl").read_text().splitlines() if (room / f"{side}.jsonl").exists() else []
        verdicts[side] = {(str(v["task"]), v["sample"]): v for v in map(json.loads, whole(lines))}
        judged = [v for v in verdicts[side].values() if v["failure"] != "evaluator"]
        if not judged and not late:  # no verdict, or none that says anything of the program
            works = False
            why = said[-1] if said else next((str(v.get("diagnostic")) for v in verdicts[side].values()), "")
            print(f"the {side}'s side judges nothing: exit code {code}: {why}")
    return [(program, verdicts["gpu"][key], verdicts["host"][key]) for key, program in by_key.items()
            if key in verdicts["gpu"] and key in verdicts["host"]], works


def whole(lines):
    """Without a last line that was cut when time was up."""
    return [line for line in lines if line.endswith("}")]


def name(verdict):
    return verdict["failure"] or "passes"


def counts_for_nothing(g, h):
    return "evaluator" in (g["failure"], h["failure"])


def differ(g, h):
    return (not counts_for_nothing(g, h) and h["failure"] != "unsupported"
            and (g["failure"] is None) != (h["failure"] is None))


def keep(kind, judged, out):
    """Appends a batch's verdicts, and the programs on which the two are not of one mind."""
    with gzip.open(out / "verdicts.jsonl.gz", "at", encoding="utf-8") as file:
        for (task, what, _), g, h in judged:
            print(json.dumps({"kind": kind, "task": task["id"], "what": what, "gpu": g, "host": h}), file=file)
    with open(out / "disagreements.jsonl", "a", encoding="utf-8") as file:
        for (task, what, text), g, h in judged:
            if differ(g, h):
                print(json.dumps({"kind": kind, "task": task["id"], "what": what, "gpu": g, "host": h,
                                  "program": text}), file=file)


def report(kind, judged, total):
    """The results of one kind, and its table of verdicts: the GPU's down, the host's across."""
    counts = collections.Counter((name(g), name(h)) for _, g, h in judged)
    columns = sorted({h for _, h in counts})
    width = max(map(len, ["GPU \\ host", *(g for g, _ in counts), *columns]))
    print(f"\n{kind}: {len(judged)} of {total}")
    print("  ".join(["GPU \\ host".ljust(width), *(c.rjust(width) for c in columns)]))
    for row in sorted({g for g, _ in counts}):
        print("  ".join([row.ljust(width), *(str(counts[row, c] or "").rjust(width) for c in columns)]))
    apart = [(p, g, h) for p, g, h in judged if differ(g, h)]
    for (task, what, _), g, h in apart[:20]:
        why = h.get("diagnostic") or g.get("diagnostic") or ""
        print(f"  {task['id']} {what}: GPU {name(g)}, host {name(h)}: {why}")
    useless = sum(counts_for_nothing(g, h) for _, g, h in judged)
    unsupported = sum(h["failure"] == "unsupported" and not counts_for_nothing(g, h) for _, g, h in judged)
    compared = len(judged) - useless - unsupported
    if compared == 0:
        _results.left_out(f"{kind} judged alike", f"{len(judged)} of {total} were judged, none by both backends")
    else:
        _results.result(f"{kind} judged alike", 100 * (1 - len(apart) / compared), "%",
                        at_least=100 if kind == "references" else 95,
                        note=f"{compared} of {total} compared; {unsupported} unsupported on the host, "
                             f"{useless} that the evaluator could not judge, {len(apart)} apart")
    if useless:
        _results.check(f"{kind} that the evaluator could not judge", False, f"{useless} of {len(judged)}")
    if kind == "references":
        if len(judged) < total:
            _results.left_out("the other references", f"no time is left for {total - len(judged)} of {total}")
        if judged:
            passed = sum(g["failure"] is None for _, g, _ in judged)
            _results.result("references that pass on the GPU", 100 * passed / len(judged), "%", at_least=100,
                            note=f"{passed} of {len(judged)}")


def run_programs(end, cores, out, most):
    """The programs of tests/host, compiled by nvcc."""
    programs = [p for folder in ("model", "library") for p in sorted((source / "tests/host" / folder).glob("*.cu"))]
    random.Random(1).shuffle(programs)
    programs = programs[:most]

    def run(path):
        if time.monotonic() > end:
            return None
        # An ended nvcc's own children may still write.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            for command in (["nvcc", "-arch=native", "-std=c++17", f"-I{source / 'tests/host'}", "-o",
                             f"{folder}/program", path, *LIBRARIES[path.parent.name]], [f"{folder}/program"]):
                try:
                    ended = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False,
                                           timeout=max(1, end - time.monotonic()))
                except subprocess.TimeoutExpired:
                    return None
                if ended.returncode != 0:
                    said = (ended.stderr + ended.stdout).strip().splitlines()
                    why = " / ".join(said[:3])[:300]
                    kind = "not built" if command[0] == "nvcc" else "wrong"
                    return kind, f"{pathlib.Path(command[0]).name}: exit code {ended.returncode}: {why}"
        return "right", ""

    with concurrent.futures.ThreadPoolExecutor(cores) as pool:
        found = [(path, *said) for path, said in zip(programs, pool.map(run, programs)) if said]
    bad = [(path, kind, said) for path, kind, said in found if kind != "right"]
    for path, kind, said in bad:
        print(f"  {path.name}: {kind}: {said}")
        if out:
            with open(out / "disagreements.jsonl", "a", encoding="utf-8") as file:
                print(json.dumps({"kind": "tests/host", "what": path.name, "gpu": kind, "said": said}), file=file)
    ran = [kind for _, kind, _ in found if kind != "not built"]
    if not ran:
        _results.left_out("programs of tests/host on the GPU", "no time is left" if not found else
                          f"none of {len(found)} is built by nvcc: {bad[0][2]}")
        return
    names = [path.name for path, kind, _ in bad if kind == "wrong"]
    _results.result("programs of tests/host right on the GPU", 100 * (1 - len(names) / len(ran)), "%", at_least=100,
                    note=f"{len(ran)} of {len(programs)} run, {len(found) - len(ran)} not built; "
                         f"wrong: {', '.join(names) or 'none'}")


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    a.add_argument("--seconds", type=float, default=1500)
    a.add_argument("--out", type=pathlib.Path)
    a.add_argument("--most", type=int)
    a.add_argument("--cores", type=int, default=os.cpu_count())
    a = a.parse_args()
    end = time.monotonic() + a.seconds
    if a.device == "cuda" and (shutil.which("nvidia-smi") is None or subprocess.run(
            ["nvidia-smi", "-L"], capture_output=True, check=False).returncode):
        print("there is no GPU here")
        return 77
    backends = {"gpu": "gpu" if a.device == "cuda" else "host", "host": "host"}
    path, sizes = tasks_by_size()
    most = a.most or (2 if a.device == "cpu" else None)
    found = {"references": ([], 0), "mutants": ([], 0)}
    # The programs of tests/host have the last fifth of the time, since they are the surest.
    last = a.seconds / 5 if a.device == "cuda" else 0
    unsafe = False
    for kind, programs in batches(sizes):
        programs = programs[:most]
        judged, total = found[kind]
        new, works = [], True
        for _ in range(2):
            if end - last - time.monotonic() > SLOWEST:
                with tempfile.TemporaryDirectory() as folder:
                    new, works = judge_both(path, programs, pathlib.Path(folder), end - last, backends, a.cores, unsafe)
            if works or unsafe:
                break
            unsafe = True
            _results.check("programs run in a sandbox", False, "nothing could be judged in one: without from here on")
        if a.out:
            keep(kind, new, a.out)
        found[kind] = (judged + new, total + len(programs))
    for kind, (judged, total) in found.items():
        report(kind, judged, total)
    if a.device == "cuda":
        run_programs(end, a.cores, a.out, most)
    else:
        _results.left_out("programs of tests/host on the GPU", "there is no GPU")
    return 1 if _results.missed else 0


sys.exit(main())
