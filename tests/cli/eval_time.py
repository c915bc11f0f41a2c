"""cuset-eval --time, with a device of the test's own clock in the place of a GPU: answers, and answers that try what is
known of forging times. The library that records is cuset's own; only CUPTI below it is fake. No GPU has seen this."""

import json
import os
import pathlib
import subprocess

from _eval import (assert_equal, assert_exit, assert_that, candidate, need_sandbox, nvcc, prelude, room, run, task, verdicts,
                   write, write_candidates, write_tasks)
from _tool import built, case

need_sandbox()
toolkit = nvcc.parents[1]
fake = pathlib.Path(__file__).parent / "fake_gpu"
include, lib = toolkit / "extras/CUPTI/include", toolkit / "extras/CUPTI/lib64"
lib.mkdir(parents=True)
write(include / "cupti.h", (fake / "cupti.h").read_text())
write(include / "device.h", (fake / "device.h").read_text())
subprocess.run(["g++", "-std=c++20", "-shared", "-fPIC", "-I", fake, "-o", lib / "libcupti.so", fake / "device.cpp"], check=True)
# The program that settles the device would take minutes on this one.
nvcc.write_text(f"""#!/bin/sh
case $1 in --version) echo "Cuda compilation tools, release 0.1, V0.1.2"; exit ;; esac
output=$2 source=$3
shift 3
for word do
    shift
    [ "$word" = -Xcompiler ] || set -- "$@" "$word"
done
if grep -q 'void fill(float' "$source"; then echo 'int main() {{}}' >own.cpp
else sed -E 's/([a-z]+)<<<[^>]*>>>/launch(\\1)/' "$source" >own.cpp; fi
case " $* " in *" -shared "*) ;; *) set -- -include {include}/device.h "$@" ;; esac
exec g++ -O1 -o "$output" own.cpp -pthread "$@" -L{lib} -Wl,-rpath,{lib} -lcupti
""")

reference = prelude + "int main() { load(); fake_transfer(0, 7000); fake_kernel(0, 100000); fake_wait(); twice(); store(); }"
tasks = write_tasks(room / "tasks.jsonl", task(1, **{"bench.cu": reference}), task(2, **{"bench.cu": ""}))
answers = {
    "fast": candidate(1, 0, "load(); fake_transfer(0, 5000); fake_kernel(0, 40000); fake_fill(0, 10000); fake_wait();"
                            " twice(); store();"),
    "slow": candidate(1, 1, "load(); fake_kernel(0, 400000); fake_wait(); twice(); store();"),
    "wrong": candidate(1, 2, "load(); fake_kernel(0, 1000); fake_wait(); store();"),
    "reset": candidate(1, 3, "load(); fake_kernel(0, 80000); fake_wait(); twice(); store(); fake_reset();"),
    "no reference": candidate(2, 0, "load(); fake_kernel(0, 1000); fake_wait(); twice(); store();"),
}
number = 4


def hack(name, body, before=""):
    """An answer that gives right results; `before` stands before main()."""
    global number
    text = f"```cuda\n{prelude}{before}\nint main() {{ {body} }}\n```\n"
    answers[name] = {"task": 1, "sample": number, "response": text}
    number += 1


done_well = "fake_wait(); twice(); store();"
hack("side stream", f"load(); fake_kernel(0, 1000); fake_kernel(7, 100000); {done_well}")
hack("thread", f"load(); fake_kernel(0, 1000); std::thread([] {{ fake_kernel(9, 100000); }}).join(); {done_well}",
     "#include <thread>")
hack("fills instead of a kernel", f"load(); fake_kernel(0, 1000); fake_fill(0, 99000); {done_well}")
# The program's own clock, and functions that the library could have called.
hack("own functions", f"load(); fake_kernel(0, 100000); {done_well}", """
#include <sys/uio.h>
extern "C" int cudaEventElapsedTime(float* ms, void*, void*) { *ms = 0; return 0; }
extern "C" int clock_gettime(clockid_t, struct timespec* t) { t->tv_sec = t->tv_nsec = 0; return 0; }
extern "C" void* memset(void* at, int c, size_t n) { for (size_t i = 0; i < n; ++i) ((volatile char*)at)[i] = c; return at; }
extern "C" ssize_t write(int file, const void* text, size_t n) {
    iovec all{(void*)text, n};
    return n > 8 && memcmp(text, "activity", 8) == 0 ? (ssize_t)n : writev(file, &all, 1);
}
""")
hack("results kept for the next run", f"""load();
    bool known = false;
    for (const char* mode : {{"r", "w"}})
        for (const char* path : {{"kept", "/tmp/kept", "/dev/shm/kept", "data/kept"}})
            if (FILE* f = fopen(path, mode)) {{ known |= *mode == 'r'; fclose(f); }}
    fake_kernel(0, known ? 1000 : 100000); {done_well}""", "#include <initializer_list>")
hack("work behind the end", "load(); fake_kernel(0, 1000); fake_wait();",
     "struct late { ~late() { fake_kernel(0, 100000); fake_wait(); twice(); store(); } } now;")
hack("nobody waits", "load(); fake_kernel(0, 1000); fake_wait(); fake_kernel(5, 100000); twice(); store();")
hack("_exit", f"load(); fake_kernel(0, 1000); {done_well} _exit(0);")
hack("process", f"if (fork() == 0) fake_kernel(0, 100000); load(); fake_kernel(0, 1000); {done_well}")
hack("forged lines", f"""load(); fake_kernel(0, 100000); {done_well}
    const char text[] = "activity kernel 1 2\\nactivity end 1 0 0\\n"; write(7, text, sizeof text - 1);""")
hack("host", f"load(); usleep(400000); fake_kernel(0, 1000); {done_well}")
hack("library", f"load(); fake_kernel(0, 1000); {done_well} cuptiActivityFlushAll(0);",
     'extern "C" int cuptiActivityFlushAll(unsigned);')
candidates = write_candidates(room / "c.jsonl", *answers.values())


def judged(*words):
    return run("-q", "--nvcc", nvcc, "--launcher=env", "--tasks", tasks, *words)


case("times")
done = judged("--time", "3", "--verdicts", room / "v.jsonl", candidates)
assert_exit("exit", done, 0, "")
v = verdicts(room / "v.jsonl")
by_name = {name: v[a["task"], a["sample"]] for name, a in answers.items()}
assert_equal("all but one are right", [n for n, w in by_name.items() if w["failure"]], ["wrong"])
assert_that("what is wrong is not timed", "time" not in by_name["wrong"], by_name["wrong"])


def time_of(name):
    return by_name[name]["time"]


def spread(median):
    return {"median": median, "lower_quartile": median, "upper_quartile": median}


found = time_of("fast")
assert_equal("fast", {k: found[k] for k in ("runs", "speedup", "device_us", "reference_us", "kernels_us", "memory_us",
                                            "transfers_us", "sm_clock_mhz")},
             {"runs": 3, "speedup": 2, "device_us": spread(50), "reference_us": spread(100), "kernels_us": 40, "memory_us": 10,
              "transfers_us": 5, "sm_clock_mhz": {"before": None, "after": None}})
assert_that("processes", 0 < found["process_ms"]["lower_quartile"] <= found["process_ms"]["upper_quartile"], found)
assert_equal("slow", time_of("slow")["speedup"], 0.25)
assert_equal("a context that ends before the program", time_of("reset").get("speedup"), 1.25)
assert_equal("no reference", time_of("no reference"), {"not_timed": "the task has no bench.cu"})

case("hacks that gain nothing")
for name, microseconds in {"side stream": 100.01, "thread": 100.01, "fills instead of a kernel": 100, "own functions": 100,
                           "results kept for the next run": 100}.items():
    assert_that(name, "not_timed" not in time_of(name) and abs(time_of(name)["device_us"]["median"] - microseconds) < 0.1,
                time_of(name))

case("hacks that are named")
for name, words in {"work behind the end": "launches work while it ends", "nobody waits": "not over when the program ended",
                    "_exit": "ended without its records", "process": "the program has fork", "host": "moved to the host",
                    "forged lines": "not whole", "library": "the program has cuptiActivityFlushAll"}.items():
    assert_that(name, words in time_of(name).get("not_timed", ""), time_of(name))

case("the report")
told = subprocess.run([built("cuset-report"), "--fast", "--json", room / "v.jsonl"], capture_output=True, check=True)
told = json.loads(told.stdout)
assert_equal("timed", (told["times"], told["correct"], told["timed"]), ("measured", len(answers) - 1, 8))

case("judged again")
before = (room / "v.jsonl").read_bytes()
judged("--time", "3", "--verdicts", room / "v.jsonl", candidates)
assert_equal("verdicts are kept", (room / "v.jsonl").read_bytes(), before)

case("bad input")
assert_exit("host", run("--backend=host", "--time", "3", "--tasks", tasks, candidates), 2, "--time needs the GPU backend")
assert_exit("compiling", judged("--time", "3", "--compile-only", candidates), 2, "--time needs the GPU backend")
assert_exit("several at a time", judged("--time", "3", "--concurrent-runs", "2", candidates), 2,
            "does not go with --concurrent-runs")
write(include / "cupti.h", "#error there is none\n")
assert_exit("no CUPTI", run("-q", "--nvcc", nvcc, "--launcher=env", "--time", "3", "--tasks", tasks, candidates,
                            XDG_CACHE_HOME=str(room / "other")), 4, "--time needs CUPTI, which is part of the CUDA toolkit")

case("with the real CUPTI")
real = pathlib.Path("/usr/local/cuda/bin/nvcc")
if real.exists():
    programs, root = pathlib.Path(os.environ["CUSET_SOURCE"]) / "lib/judge/programs", real.resolve().parents[1]
    library = ["-std=c++17", "-shared", "-Xcompiler", "-fPIC", "-DCUSET_CHANNEL=7", "-I", root / "extras/CUPTI/include",
               "-L", root / "extras/CUPTI/lib64", "-L", root / "lib64", "-lcupti"]
    for name, flags in {"activity_log.cu": library, "device_settling.cu": []}.items():
        done = subprocess.run([real, "-o", room / "made", programs / name, *flags], capture_output=True, check=False)
        assert_that(name, done.returncode == 0, done.stderr.decode())
