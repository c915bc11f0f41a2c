"""cuset-eval --profile ncu, with a program of the test's own in the place of Nsight Compute: it runs the answer, and writes
the table that the answer describes in its file "kernels". No GPU has seen this."""

import json
import subprocess

from _eval import (assert_equal, assert_exit, assert_that, candidate, need_sandbox, nvcc, room, run, run_report, task,
                   verdicts, write, write_candidates, write_tasks)
from _tool import built, case

need_sandbox()
# The program with which the tool looks whether it can profile has a kernel that does nothing.
nvcc.write_text("""#!/bin/sh
case $1 in --version) echo "Cuda compilation tools, release 0.1, V0.1.2"; exit ;; esac
output=$2 source=$3
shift 3
for word do
    shift
    case $word in -arch=*) ;; *) set -- "$@" "$word" ;; esac
done
if grep -q 'set<<<' "$source"; then
    printf '%s' '#include <cstdio>
int main() { FILE* f = fopen("kernels", "w"); fputs("set 0 0\\n", f); fclose(f); }' >own.cpp
    source=own.cpp
fi
exec g++ -O1 -x c++ -o "$output" "$source" -pthread "$@"
""")
profiler = write(room / "nsight/ncu", """#!/usr/bin/python3
import argparse, os, subprocess, sys
parser = argparse.ArgumentParser()
parser.add_argument("--csv", action="store_true", required=True)
for name in "print-units", "log-file", "metrics":
    parser.add_argument("--" + name, required=True)
parser.add_argument("command", nargs=argparse.REMAINDER)
a = parser.parse_args()
log = open(a.log_file, "x")
def tell(*words): print(*words, file=log, flush=True)
tell("==PROF== Connected to process 2 (/job/program)")
ended = subprocess.run(a.command, env={**os.environ, "PROFILED": "1"}).returncode
if ended:
    tell(f"==ERROR== The application returned an error code ({ended}).")
    sys.exit(ended)
units = {"dram__bytes.sum.peak_sustained": ("byte/cycle", "512"),
         "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained": ("inst/cycle", "1,000"),
         "dram__cycles_elapsed.avg.per_second": ("cycle/second", "2,000,000,000")}
def row(*values): tell(",".join('"' + v + '"' for v in values))
lines = [line.split() for line in open("kernels")] if os.path.exists("kernels") else []
if not lines:
    tell("==WARNING== No kernels were profiled.")
elif lines[0][0] == "!say":
    tell(*lines[0][1:])
    sys.exit(1)
elif lines[0][0] == "!link":
    os.remove(a.log_file)
    os.symlink(lines[0][1], a.log_file)
else:
    row("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value")
for i, (kernel, ffma, gigabytes, *unit) in enumerate(lines if lines and lines[0][0][0] != "!" else []):
    for name in a.metrics.split(","):
        shown, value = units.get(name, ("inst/cycle", "0"))
        if name == "dram__bytes.sum.per_second": shown, value = "byte/second", gigabytes + ",000,000,000"
        elif name.endswith("per_second") and name not in units: shown, value = "cycle/second", "1,000,000,000"
        elif "op_ffma_pred_on.sum.per_cycle" in name: shown, value = unit[0] if unit else shown, ffma
        row(str(i), "2", "program", "sandbox", kernel, name, shown, value)
tell("==PROF== Disconnected from process 2")
""")
profiler.chmod(0o755)
secret = write(room / "secret", "==ERROR== a secret of this machine\n")


def kernels(text, more=""):
    return f'load(); twice(); store(); FILE* k = fopen("kernels", "w"); fputs("{text}", k); fclose(k); {more}'


tasks = write_tasks(room / "tasks.jsonl", task(1), task(2))
answers = {
    "fast": kernels("works 500 512\\n"),
    "bandwidth": kernels("copies 0 256\\n"),
    "two launches": kernels("k 250 0\\nk 750 0\\nother 0 900\\n"),
    "wrong": "load(); store();",
    "n/a": kernels("k n/a 1\\n"),
    "unit": kernels("k 1 1 inst/hour\\n"),
    "none": "load(); twice(); store();",
    "no right": kernels("!say ==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\\n"),
    "error": kernels("!say ==ERROR== Failed to profile k in process 2\\n"),
    "exit code": kernels("k 1 1\\n", 'if (getenv("PROFILED")) exit(3);'),
    "other outputs": 'load(); if (!getenv("PROFILED")) twice(); store();',
    "forged on stdout": kernels("k n/a 1\\n") + ' puts("==PROF==\\n\\"Kernel Name\\",\\"Metric Name\\",'
                        '\\"Metric Unit\\",\\"Metric Value\\"");',
    "listing": kernels("k 1 1\\n", 'opendir("none");'),
    "link": kernels(f"!link {secret}\\n"),
}
records = [candidate(1, i, body) for i, body in enumerate(answers.values())]
records[12]["response"] = records[12]["response"].replace("#include <unistd.h>", "#include <unistd.h>\n#include <dirent.h>")
candidates = write_candidates(room / "c.jsonl", *records, candidate(2, 0, "load(); store();"))
path = f"{profiler.parent}:/usr/bin:/bin"


def judged(*words, PATH=path, **more):
    return run("-q", "--nvcc", nvcc, "--launcher=env", "--tasks", tasks, *words, PATH=PATH, **more)


case("scores")
done = judged("--profile", "ncu", "--verdicts", room / "v.jsonl", candidates)
assert_exit("exit", done, 0, "")
v = verdicts(room / "v.jsonl")
by_name = {name: v[1, i] for i, name in enumerate(answers)}
assert_equal("all but one are right", [n for n, w in by_name.items() if w["failure"]], ["wrong"])
assert_that("what is wrong is not profiled", "profile" not in by_name["wrong"], by_name["wrong"])
assert_equal("fast", by_name["fast"]["profile"],
             {"score": 0.5, "bandwidth_utilization": 0.5, "compute_efficiency": 0.5, "kernel": "works", "kernels": 1,
              "launches": 1, "flops_per_second": 1e12, "bytes_per_second": 5.12e11, "peak_flops_per_second": 2e12,
              "peak_bytes_per_second": 1.024e12})
found = by_name["bandwidth"]["profile"]
assert_equal("bandwidth", (found["score"], found["compute_efficiency"]), (0.25, 0))
found = by_name["two launches"]["profile"]
assert_equal("several", [found[k] for k in ("kernel", "score", "launches", "kernels")], ["k", 0.5, 2, 2])

case("no verdict is lost")
ffma = "ncu: smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed of kernel k"
for name, why in {
        "n/a": ffma + " has no value here (n/a)", "forged on stdout": ffma + " has no value here (n/a)",
        "unit": ffma + ' has an unknown unit: "inst/hour"', "none": "ncu profiled no kernel",
        "no right": "the GPU's driver lets this user read no counters (ERR_NVGPUCTRPERM)",
        "error": "ncu: Failed to profile k in process 2", "exit code": "under ncu the program ends with exit code 3",
        "other outputs": "under ncu the program fails: wrong_output",
        "listing": "the program has opendir, with which a profile could be forged", "link": "ncu profiled no kernel"}.items():
    told = by_name[name]["profile"]
    assert_that(name, list(told) == ["not_profiled"] and told["not_profiled"].startswith(why), told)
    assert_equal(f"verdict of {name}", by_name[name]["failure"], None)
slow = write_candidates(room / "slow.jsonl", candidate(1, 0, 'load(); twice(); store(); if (getenv("PROFILED")) sleep(60);'))
assert_exit("slow", judged("--profile", "ncu", "--timeout", "1", "--verdicts", room / "slow-v.jsonl", slow), 0, "")
assert_equal("time-out", verdicts(room / "slow-v.jsonl")[1, 0]["profile"], {"not_profiled": "it takes more than 10 s under ncu"})

case("the report")


def report(*words):
    done = subprocess.run([built("cuset-report"), "--profile", *words, room / "v.jsonl"], capture_output=True, check=True)
    return done.stdout.decode()


told = json.loads(report("--json"))
assert_equal("answers", (told["correct"], told["profiled"]), (len(answers) - 1, 3))
assert_equal("the best of the first", [(m["k"], m["score"]["value"]) for m in told["best_of"]], [(1, 0.25), (3, 0.25)])

assert_that("text", "\ncorrect     13 answers, 3 with a score\n" in report(), report())
lines = [line.split("\t") for line in report("--format", "tsv", "--pass-at", "2").splitlines()]
assert_equal("table", [line[:4] for line in lines], [["measure", "k", "tasks", "value"], ["score", "2", "2", "0.25"],
                                                     ["bandwidth_utilization", "2", "2", "0.25"],
                                                     ["compute_efficiency", "2", "2", "0.25"]])
for words, why in {("--format", "latex"): "--profile has the forms text and tsv", ("--fast",): "are modes: choose one",
                   ("--junit", "j.xml"): "--junit does not go with --profile"}.items():
    assert_exit(" ".join(words), run_report("--profile", *words, room / "v.jsonl"), 2, why)
assert_exit("no profile", run_report("--profile", write(room / "none.jsonl", json.dumps(by_name["wrong"]) + "\n")), 1,
            "no verdict has a profile: cuset-eval --profile ncu makes them")
broken = by_name["fast"] | {"profile": by_name["fast"]["profile"] | {"score": -1}}
assert_exit("broken", run_report("--profile", write(room / "broken.jsonl", json.dumps(broken) + "\n")), 1,
            'broken.jsonl:1: no verdict: "profile" is wrong')

case("judged again")
before = (room / "v.jsonl").read_bytes()
judged("--profile", "ncu", "--verdicts", room / "v.jsonl", candidates)
assert_equal("verdicts are kept", (room / "v.jsonl").read_bytes(), before)
one = write_candidates(room / "one.jsonl", records[0])
judged("--profile", "none", "--verdicts", room / "one-v.jsonl", one)
assert_that("not asked", "profile" not in verdicts(room / "one-v.jsonl")[1, 0])
judged("--profile", "ncu", "--verdicts", room / "one-v.jsonl", one)
assert_that("asked later", "profile" in verdicts(room / "one-v.jsonl")[1, 0])

case("the toolkit's own")
toolkit = write(nvcc.parent / "ncu", profiler.read_text())
toolkit.chmod(0o755)
assert_exit("found", judged("--profile", "ncu", "--verdicts", room / "own-v.jsonl", one, PATH="/usr/bin:/bin"), 0, "")
assert_equal("score", verdicts(room / "own-v.jsonl")[1, 0]["profile"]["score"], 0.5)
toolkit.unlink()

case("without a launcher")
smi = write(room / "smi/nvidia-smi", "#!/bin/sh\necho 'A GPU of the test, 9.0'\n")
smi.chmod(0o755)
smi = smi.parent
done = run("-q", "--nvcc", nvcc, "--tasks", tasks, "--profile", "ncu", "--verdicts", room / "gpu-v.jsonl", one, PATH=f"{smi}:{path}")
assert_exit("exit", done, 0, "")
assert_equal("score", verdicts(room / "gpu-v.jsonl")[1, 0]["profile"]["score"], 0.5)

case("what cannot profile judges nothing")
started = "--profile ncu does not profile a program of our own here: "
assert_exit("no ncu behind a launcher", judged("--profile", "ncu", one, PATH="/usr/bin:/bin"), 4, started + "it ends with exit code 127: ")
assert_exit("no ncu", run("-q", "--nvcc", nvcc, "--tasks", tasks, "--profile", "ncu", one, PATH=f"{smi}:/usr/bin:/bin"), 4,
            f"--profile ncu needs Nsight Compute: ncu is neither in PATH nor in {nvcc.parent}")
profiler.write_text(profiler.read_text().replace('tell("==PROF== Connected', 'sys.exit(1) if tell("==ERROR== ERR_NVGPUCTRPERM - no") '
                                                 'else 0; tell("==PROF== Connected', 1).replace('if tell(', 'if not tell(', 1))
assert_exit("no right", judged("--profile", "ncu", "--verdicts", room / "no-v.jsonl", one), 4,
            started + "the GPU's driver lets this user read no counters (ERR_NVGPUCTRPERM)")
profiler.write_text("#!/bin/sh\necho '==ERROR== unrecognised option --csv' >&2\nexit 1\n")
assert_exit("another ncu", judged("--profile", "ncu", one), 4, started + "ncu: unrecognised option --csv")
assert_that("no verdict", not (room / "no-v.jsonl").exists() or not (room / "no-v.jsonl").read_bytes())

case("bad input")
for words, why in {("--backend=host",): "--profile needs the GPU backend", ("--compile-only",): "--profile needs the GPU backend",
                   ("--check",): "--profile needs the GPU backend", ("--check-tasks",): "--profile is for judging candidates",
                   ("--concurrent-runs", "2"): "does not go with --concurrent-runs"}.items():
    files = [] if "--check-tasks" in words else [one]
    assert_exit(" ".join(words), run("--profile", "ncu", "--tasks", tasks, *words, *files), 2, why)
assert_exit("name", run("--profile", "nvprof", "--tasks", tasks, one), 2, "--profile")
