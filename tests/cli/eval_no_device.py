"""A program says that there is no device. cuset-eval then checks this with a program of its own. A
program that lies has failed; if it is true, the evaluator is at fault, for that candidate or task
only."""

import json

from _eval import (assert_that, candidate, need_sandbox, nvcc, room, run, task, verdicts, write, write_candidates,
                   write_tasks)

need_sandbox()

# The names that nvcc knows without an #include, with a device and without.
for name, answer in (("present", "*n = 1; return 0;"), ("lost", "return 100;")):
    kit = room / name
    write(kit / "include/api.h", "enum { cudaSuccess };\n"
          f"static inline int cudaGetDeviceCount(int* n) {{ {answer} }}\n"
          "static inline int cudaFree(void*) { return 0; }\n")
    write(kit / "bin/nvcc", nvcc.read_text().replace("shift 3\n", "shift 3\n"
          f"grep -q cudaGetDeviceCount $source && set -- -include {kit}/include/api.h\n")
          .replace("V0.1.2", f"V0.1.{len(name)}")).chmod(0o755)

says = {"exit": 'fputs("CUDA error: no CUDA-capable device is detected\\n", stderr); return 1;',
        "name": 'fputs("cudaErrorNoDevice\\n", stderr); abort();',
        "driver": 'puts("CUDA driver version is insufficient for CUDA runtime version"); return 2;',
        "both": 'puts("no CUDA-capable device is detected; an illegal memory access was encountered"); return 1;',
        "right": "load(); twice(); store();"}
tasks = write_tasks(room / "tasks.jsonl", task(1))
stream = write_candidates(room / "c.jsonl", *(candidate(1, i, body) for i, body in enumerate(says.values())))
for kit, kinds in (("present", ("wrong_exit", "crash", "wrong_exit", "illegal_address", None)),
                   ("lost", ("evaluator", "evaluator", "evaluator", "evaluator", None))):
    done = run("--nvcc", room / kit / "bin/nvcc", "--launcher=env", "--tasks", tasks, "--verdicts",
               room / f"{kit}.jsonl", stream)
    assert_that(kit, done.returncode in (0, 3), done.returncode, done.stderr.decode())
    found = verdicts(room / f"{kit}.jsonl")
    for i, kind in enumerate(kinds):
        v = found.get((1, i), {"failure": "none", "diagnostic": ""})
        assert_that(kit, v["failure"] == kind, list(says)[i], kind, v)

# If a task's own program says so, nothing ends.
bad = task(2, **{"bench.cu": task(2)["bench.cu"].replace("load(); twice();", 'puts("no CUDA-capable device is'
                                                         ' detected"); return 1; load(); twice();')})
for kit, kind in (("present", "wrong_exit"), ("lost", "evaluator")):
    done = run("--nvcc", room / kit / "bin/nvcc", "--launcher=env", "--check-tasks", "--tasks",
               write_tasks(room / "two.jsonl", bad, task(1)))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert_that("check-tasks", done.returncode == 0 and len(lines) == 2, done)
    reported = dict(zip(lines[0]["weak"], lines[0]["detail"])) if lines else {}
    assert_that("check-tasks", reported.get("program_fails", "").startswith(kind + ": "), kit, lines)
    assert_that("check-tasks", len(lines) > 1 and lines[1]["weak"] == [], lines)
