"""This measures the host model: what a barrier costs, translated kernels against the same
algorithms as plain loops on one core, and judging with the host backend against compiling with nvcc
alone.

usage: host_throughput.py [--rounds N] [--programs N] [--samples N] [--skip-judging]
--samples: candidates of each program (each a text of its own); gen.py runs once for all of them.
CUSET_BIN, CUSET_BUILD and CUSET_SOURCE name the tools' folder, the build and the source tree.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("--rounds", type=int, default=3)
arguments.add_argument("--programs", type=int, default=16)
arguments.add_argument("--samples", type=int, default=5)
arguments.add_argument("--skip-judging", action="store_true")
options = arguments.parse_args()
source = pathlib.Path(os.environ["CUSET_SOURCE"])
driver = pathlib.Path(os.environ["CUSET_BUILD"]) / "tests/host_program"
tool = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-eval"
programs = source / "tests/bench/host_model"
cores = len(os.sched_getaffinity(0))


def timed(command, **more):
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, check=True, **more)
    return time.monotonic() - start, done.stdout


with tempfile.TemporaryDirectory() as name:
    room = pathlib.Path(name)

    def on_host(path):
        out = subprocess.run([driver, "--no-digests", "--threads", "1", room / "cache", path], capture_output=True,
                             text=True, check=True).stdout
        done = json.loads(out)
        assert done["compiled"] and done["code"] == 0, done
        return done["out"]

    on_host(programs / "barrier_cost.cu")  # compiles the runtime
    costs = [on_host(programs / "barrier_cost.cu").split() for _ in range(options.rounds)]
    for column, threads in ((1, 2), (3, 256)):
        print(f"a thread's barrier, {threads} threads a block: "
              f"{min(float(c[column]) for c in costs):.1f} ns", flush=True)
    for kernel in ("stencil", "reduction", "matmul"):
        plain = room / kernel
        subprocess.run(["g++", "-O2", "-march=x86-64-v3", "-o", plain, programs / f"{kernel}.cpp"], check=True)
        pairs = [(float(on_host(programs / f"{kernel}.cu")), float(timed([plain])[1]))
                 for _ in range(options.rounds)]
        host, loops = (min(column) for column in zip(*pairs))
        ratios = sorted(h / p for h, p in pairs)
        print(f"{kernel}: host {host:.3f} s, plain loops {loops:.3f} s, ratio {host / loops:.2f} "
              f"(in turn: {', '.join(f'{r:.2f}' for r in ratios)})", flush=True)

    if not options.skip_judging:
        shared = source.parent / "shared/data/cudabench/cudabench-100.jsonl"
        tasks = [json.loads(line) for line in open(shared, encoding="utf-8")]
        tasks = [t for t in tasks if "PIL" not in t["gen.py"]]
        # The first size of a family is its smallest; gen.py of larger ones takes longer than all
        # else.
        chosen = tasks[::5][:options.programs]
        samples = range(options.samples)

        def text(task, sample, turn):
            return f"// {turn} {sample}\n" + task["bench.cu"]

        names = [f"{t['id']}-{s}.cu" for t in chosen for s in samples]
        for t in chosen:
            for s in samples:
                (room / f"{t['id']}-{s}.cu").write_text(text(t, s, 0))
        (room / "order").write_text("".join(f"{name}\n" for name in names))
        python = source / ".deps/oracle/bin/python3"
        for i in range(options.rounds):
            (room / f"c{i}.jsonl").write_text("".join(
                json.dumps({"id": t["id"], **{f"code{s + 1}": text(t, s, i) for s in samples}}) + "\n"
                for t in chosen))
            nvcc = timed(f"xargs -P {cores} -I@ nvcc -o @.out @ <order", shell=True, cwd=room)[0]
            took = {}
            for kind, more in (("with nvcc's word", []), ("without nvcc", ["--nvcc=none"])):
                environment = dict(os.environ, XDG_CACHE_HOME=str(room / f"cache{i}{len(more)}"))
                command = [tool, "-q", "--backend=host", "--json", "--python", python, "--tasks", shared, *more]
                subprocess.run([*command, "/dev/null"], env=environment, check=True, stdout=subprocess.DEVNULL)
                took[kind], report = timed([*command, room / f"c{i}.jsonl"], env=environment)
                report = json.loads(report)
                assert report["funnel"]["correct"] == len(names), report
            print(f"round {i}: {len(names)} candidates of {len(chosen)} programs: nvcc alone {nvcc:.1f} s, judged on the host "
                  + ", ".join(f"{kind} {s:.1f} s ({60 * len(names) / s:.0f} a minute)"
                              for kind, s in took.items()), flush=True)
