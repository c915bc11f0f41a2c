"""CUDABench's own programs and spoiled copies of them through cuset-eval, without a GPU.

usage: _judge_tasks.py [--tasks FILE] [--families NAME,…] [--without NAME] [--sizes 0,…] [--what references|mutants|both]
                      [--operators NAME,…] [--most N] [--every N] [--timeout S] [--check] [--python P]
                      [--backend NAME] [--compile-only] [--keep FOLDER] [--survivors FOLDER] [--witnesses]
                      [-- OPTION…]

Prints for each reference whether it passes and how long it took; for the mutants the share that
fails, by operator, and each survivor with its line; with --survivors only those that survived the
run that was kept in FOLDER (to see what --check makes of them), and with --witnesses, in their
place, the originals that trap where the mutant would differ: what passes proves that one equivalent
on its task's data. Sizes are a family's five, from 0. Options after
-- go to cuset-eval. CUSET_BIN names the tools' folder. The exit code is 1 where a reference fails.
"""
import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import _mutations as mutations

source = pathlib.Path(__file__).resolve().parent.parent.parent


def first_of(*paths):
    return next((p for p in map(pathlib.Path, paths) if p.exists()), None)


def parsed():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--tasks", default=first_of(source / "../shared/data/cudabench/cudabench-100.jsonl",
                                               source / "examples/tasks.jsonl"))
    a.add_argument("--families", help="names of families, all or parts of them")
    a.add_argument("--without", help="a family to leave out")
    a.add_argument("--sizes", default="0")
    a.add_argument("--what", choices=("references", "mutants", "both"), default="both")
    a.add_argument("--operators", help="names of operators of _mutations.py")
    a.add_argument("--most", type=int, default=1, help="mutants of one operator of one program")
    a.add_argument("--every", type=int, default=1, help="only every Nth mutant")
    a.add_argument("--timeout", type=int, default=60)
    a.add_argument("--check", action="store_true")
    a.add_argument("--schedules", type=int)
    a.add_argument("--python", default=first_of(
        pathlib.Path(os.environ.get("CUSET_DEPS", source / ".deps")) / "oracle/bin/python3") or "python3")
    a.add_argument("--backend", default="host")
    a.add_argument("--compile-only", action="store_true")
    a.add_argument("--keep", help="a folder for candidates and verdicts: a run that is there goes on")
    a.add_argument("--survivors", help="the folder of a kept run")
    a.add_argument("--witnesses", action="store_true")
    own, rest = (sys.argv[1:], []) if "--" not in sys.argv else (
        sys.argv[1:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:])
    options = a.parse_args(own)
    options.rest = rest
    return options


def chosen(options):
    """(task, size) of the requested tasks; a family's tasks are its sizes, in the order of the
    file."""
    sizes = {int(s) for s in options.sizes.split(",")}
    names = options.families.lower().split(",") if options.families else [""]
    count = collections.Counter()
    for task in map(json.loads, open(options.tasks, encoding="utf-8")):
        size = count[task["task_name"]]
        count[task["task_name"]] += 1
        if task["task_name"] != options.without and size in sizes and any(
                n in task["task_name"].lower() for n in names):
            yield task, size


class judged:
    """The programs judged in one run of cuset-eval, with their results."""

    def __init__(self, options):
        self.options = options
        self.programs = []  # of (task, operator or None, line, text)
        self.verdicts = {}

    def run(self):
        tool = pathlib.Path(os.environ.get("CUSET_BIN", source / "build/release/bin")) / "cuset-eval"
        o = self.options
        room = pathlib.Path(o.keep) if o.keep else pathlib.Path(tempfile.mkdtemp(prefix="cuset-judge-"))
        room.mkdir(parents=True, exist_ok=True)
        samples = collections.Counter()
        at = {}
        with open(room / "candidates.jsonl", "w", encoding="utf-8") as file:
            for i, (task, _, _, text) in enumerate(self.programs):
                key = str(task["id"]), samples[task["id"]]
                samples[task["id"]] += 1
                at[key] = i
                fence = "```" if "```" not in text else "~~~"
                print(json.dumps({"task": task["id"], "sample": key[1],
                                  "response": f"{fence}cuda\n{text}\n{fence}\n"}), file=file)
        command = [tool, "-q", "--tasks", o.tasks, "--verdicts", room / "verdicts.jsonl",
                   f"--timeout={o.timeout}", "--python", o.python]
        command += ["--compile-only"] if o.compile_only else [f"--backend={o.backend}"]
        command += ["--check"] if o.check else []
        command += [f"--schedules={o.schedules}"] if o.schedules else []
        start = time.monotonic()
        done = subprocess.run([*map(str, command), *o.rest, str(room / "candidates.jsonl")],
                              capture_output=True, text=True, check=False)
        self.seconds = time.monotonic() - start
        if done.returncode not in (0, 3) or not (room / "verdicts.jsonl").exists():
            print(done.stderr.strip() or done.stdout.strip())
            sys.exit(77 if done.returncode == 4 else 2)
        for v in map(json.loads, open(room / "verdicts.jsonl", encoding="utf-8")):
            i = at.get((str(v["task"]), v["sample"]))
            if i is not None:
                self.verdicts[i] = v
        if not o.keep:
            shutil.rmtree(room)


def survivors_of(room):
    """(id, text) of the programs that passed in a kept run."""
    lines = [[json.loads(line) for line in open(room / f"{name}.jsonl", encoding="utf-8")]
             for name in ("candidates", "verdicts")]
    passed = {(str(v["task"]), v["sample"]) for v in lines[1] if v["failure"] is None}
    return {(str(c["task"]), c["response"].split("\n", 1)[1].rsplit("\n", 2)[0])
            for c in lines[0] if (str(c["task"]), c["sample"]) in passed}


def outcome(verdict):
    if verdict is None:
        return "no verdict"
    return f"{verdict.get('failure') or 'passes'}  {verdict.get('diagnostic') or ''}".rstrip()


def report_references(run):
    failed = 0
    print("references\n  task    size family                         compile     run compare  verdict")
    for i, (task, _, size, _) in enumerate(run.programs):
        v = run.verdicts.get(i)
        passes = v is not None and v.get("failure") is None
        failed += not passes
        spent = (v or {}).get("seconds", {})
        print(f"  {task['id']!s:<24.24} {size} {task['task_name']:<28.28}"
              + "".join(f"{spent.get(k, 0):8.2f}" for k in ("compile", "run", "compare"))
              + f"  {outcome(v)}")
    print(f"  {len(run.programs) - failed} of {len(run.programs)} pass, {run.seconds:.0f} s in all\n")
    return failed


def report_mutants(run):
    rows = collections.defaultdict(collections.Counter)
    survivors = []
    for i, (task, operator, line, text) in enumerate(run.programs):
        v = run.verdicts.get(i)
        failure = "no verdict" if v is None else v.get("failure")
        rows[operator][failure] += 1
        if failure is None or failure in ("unsupported", "evaluator", "no verdict"):
            survivors.append((operator, task, line, text, v))
    print("mutants\n  operator                 made  fail  share  failures")
    for operator, counts in rows.items():
        made = sum(counts.values())
        alive = sum(n for f, n in counts.items()
                    if f is None or f in ("unsupported", "evaluator", "no verdict"))
        kinds = ", ".join(f"{f} {n}" for f, n in counts.most_common() if f is not None)
        print(f"  {operator:<24} {made:4}  {made - alive:4}  {(made - alive) / made:5.0%}  {kinds}")
    made = len(run.programs)
    if made:
        print(f"  {'all':<24} {made:4}  {made - len(survivors):4}  {1 - len(survivors) / made:5.0%}"
              f"  {run.seconds:.0f} s in all")
    print("\nsurvivors" if survivors else "\nno survivors")
    for operator, task, line, text, v in survivors:
        lines = text.split("\n")
        shown = lines[line - 1].strip() if line <= len(lines) else ""
        if not v or v.get("failure") is not None:
            shown = f"{outcome(v)}: {shown}"
        print(f"  {operator:<24} {task['id']!s} {task['task_name']}:{line}: {shown[:120]}")


def main():
    options = parsed()
    if options.tasks is None:
        print("there are no tasks here")
        return 77
    by_name = {f.__name__: f for f in mutations.OPERATORS}
    operators = [by_name[n] for n in options.operators.split(",")] if options.operators else mutations.OPERATORS
    tasks = list(chosen(options))
    failed = 0
    for what in ("references", "mutants"):
        if options.what not in (what, "both"):
            continue
        run = judged(argparse.Namespace(**vars(options)))
        if options.keep:
            run.options.keep = os.path.join(options.keep, what)
        for task, size in tasks:
            if what == "references":
                run.programs.append((task, None, size, task["bench.cu"]))
            else:
                run.programs += [(task, *m) for m in mutations.mutants(task["bench.cu"], operators,
                                                                       options.most)]
        if what == "mutants":
            run.programs = run.programs[::options.every]
            if options.survivors:
                survived = survivors_of(pathlib.Path(options.survivors) / what)
                run.programs = [p for p in run.programs if (str(p[0]["id"]), p[3]) in survived]
            if options.witnesses and what == "mutants":
                made = [(t, op, line, mutations.witness(t["bench.cu"], op, line))
                        for t, op, line, _ in run.programs]
                run.programs = [m for m in made if m[3] is not None]
        if not run.programs:
            print(f"no {what}")
            continue
        run.run()
        if what == "references":
            failed = report_references(run)
        else:
            report_mutants(run)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
