"""This judges answers that are files: tasks with a harness, and ten problems written here in
ComputeEval's schema. It runs on the host backend, and through build commands of an nvcc, which g++
stands for."""

import json
import os
import pathlib
import re

from _eval import assert_that, need_sandbox, room, run, verdicts, write, write_candidates, write_tasks
from _host_runtime import seed
from _problems import (check, fenced, header, kernel, lambda_solution, launch, problem, right, solvable, sums,
                       two_files)

need_sandbox()
seed(room / "cache")

# g++ with nvcc's words, for sources that have no kernels.
write(room / "shell/bin/nvcc", """#!/bin/sh
case $1 in --version) echo "Cuda compilation tools, release 12.4, V12.4.99"; exit ;; esac
for word; do
  shift
  case $word in
    *.cu) set -- "$@" -x c++ "$word" -x none ;;
    -rdc=*|--extended-lambda|-arch=*) ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec g++ "$@"
""").chmod(0o755)

# nvcc leaves a .cpp file to the host compiler, which has no function of the device.
own_names = """#include <cuda_runtime.h>
#if defined(__CUDACC__) || defined(__NVCC__)
#error "no CUDA"
#endif
unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
static float rsqrt(float x) { return 1 / x; }
int min(int a, int b) { return a < b ? a : b; }
template <class T> T clamp(T x, T least, T most) { return x < least ? least : x > most ? most : x; }
static const float4 made = make_float4(rsqrt(2.0f), umin(1, 2), min(3, 4), clamp(5, 6, 7));
"""
problems = solvable()[:6] + [
    problem(6, "nvcc -I include -o test.out solution.cu test/main.cu", [("solution.cu", right)], timeout_seconds=1,
            tests=[("test/main.cu", "#include <unistd.h>\n" + check.replace("return 0;", 'scale(a, b, 0); sleep(30);'))]),
    problem(7, "nvcc -I include -o test.out solution.cu test/main.cu -lnccl", [("solution.cu", right)]),
    problem(8, "make test.out", [("solution.cu", right)]),
    problem(9, "nvcc -I include -o test.out solution.cu test/main.cu", [("solution.cu", right)],
            min_cuda_toolkit="99.1"),
    problem(10, "", type="cuda_python", test_command="python test.py"),
    {"code": "import torch\nclass Model(torch.nn.Module): pass\n", "level": 1, "name": "1_Square", "problem_id": 1},
    problem(12, "nvcc -I include -o test.out solution.cu test/main.cu", compute_capability=12.1),
    problem(13, "cp value.cu solution.cu && nvcc -I include -o test.out solution.cu test/main.cu"),
    problem(14, "nvcc -I include -o test.out ../solution.cu test/main.cu"),
    problem(15, "nvcc --std=c++20 -I include -o test.out solution.cu test/main.cu"),
    problem(16, "nvcc -I include -o test.out solution.cu test/main.cpp", tests=[("test/main.cpp", own_names + check)]),
    problem(17, "nvcc -I include -o test.out solution.cu test/main.cpp",
            tests=[("test/main.cpp", "#include <cuda_runtime.h>\nunsigned least = umin(1u, 2u);\n" + check)]),
    problem(18, "nvcc -x cu -I include -o test.out solution.cu test/main.cpp",
            tests=[("test/main.cpp", "unsigned least = umin(1u, 2u);\n" + check)]),
]
tasks = write_tasks(room / "problems.jsonl", *problems)
wrong = kernel.replace("i < n", "i < n - 1") + launch
cases = [
    # (problem, answer, failure on the host, words of its diagnostic)
    (0, right, None, ""),
    (0, "Here it is:\n```cuda\n" + right + "```\nIt scales.", None, ""),
    (0, fenced(("solution.cu", right)), None, ""),
    (0, "### `solution.cu`\n```cpp\n" + right + "```\n", None, ""),
    (0, "```cuda file=solution.cu\n" + right + "```\n", None, ""),
    (0, fenced(("solution.cu", wrong)), "wrong_exit", "exit code 1: y[999] is "),
    (0, fenced(("solution.cu", right.replace("FACTOR *", "FACTOR +* ("))), "syntax_error", "solution.cu(5): error: "),
    (0, fenced(("solution.cu", kernel)), "link_error", "scale"),
    (0, fenced(("solution.cu", right), ("include/scale.h", header.replace("2.0f", "x"))), "syntax_error", ""),
    (0, fenced(("../solution.cu", right)), "forbidden_file", "../solution.cu of the answer leads out of its folder"),
    (0, fenced(("/tmp/solution.cu", right)), "forbidden_file", "is absolute"),
    (0, fenced(("include/../../x.cu", right)), "forbidden_file", "leads out"),
    (0, fenced(("solution.cu", right), ("test/main.cu", "int main() {}\n")), "forbidden_file", "is a test of the task"),
    (0, fenced(("solution.cu", right), ("test/more.cu", "int x;\n")), "forbidden_file", "is in a folder of tests"),
    (0, fenced(("solution.cu", right), ("nvcc", "exit 0\n")), "forbidden_file", "is no C++ or CUDA file"),
    (0, fenced(("solution.cu", right), ("include/scale.h/x.cu", "")), "forbidden_file", "at odds"),
    (0, fenced(("-o.cu", right)), "forbidden_file", "begins with a dot or a dash"),
    (0, "I cannot.", "no_code", "neither a fenced block nor C++: I cannot."),
    (0, fenced(("solution.cu", right.replace("128>>>", "4096>>>"))), "launch_error",
     "kernel scaled, launched in line 7 of solution.cu: invalid configuration argument"),
    (1, fenced(*two_files), None, ""),
    (1, fenced(two_files[0]), "syntax_error", "kernel.cuh"),
    (1, "```cuda\n" + right + "```\n", None, ""),  # the one source that the build names
    (1, fenced(two_files[1]), "syntax_error", "fatal error: scale.cu: No such file or directory"),
    (13, fenced(("other.cu", right)), "unsupported", "a list of commands (&)"),
    (14, fenced(("other.cu", right)), "unsupported", "no file ../solution.cu"),
    (15, fenced(("solution.cu", "static_assert(__cplusplus == 202002L);\n" + right)), None, ""),
    (2, fenced(("solution.cu", sums)), None, ""),
    (2, fenced(("a.cu", sums.split("__global__")[0]), ("b.cu", sums.replace("{ return v * v; }", ";"))), None, ""),
    (2, fenced(("solution.cu", sums.replace("v * v", "v"))), "wrong_exit", "exit code 3"),
    (3, fenced(("solution.cu", lambda_solution)), None, ""),
    (3, fenced(("solution.cu", lambda_solution.replace("v + offset", "v - offset"))), "wrong_exit", "exit code 1"),
    (4, fenced(("solution.cu", right)), None, ""),
    (4, fenced(("solution.cu", right.replace("blockDim.x", "128"))), "missing_reference", "cudaMemcpyAsync or blockDim.x"),
    (4, fenced(("solution.cu", right.replace("scaled", "k") + "// scaled<<<\n")), "missing_reference", "scaled<<<"),
    (5, fenced(("solution.cu", right)), None, ""),
    (6, fenced(("solution.cu", right)), "run_timeout", "ran for more than 1 s"),
    (7, fenced(("solution.cu", right)), "unsupported", "-lnccl"),
    (8, fenced(("solution.cu", right)), "unsupported", "no call of nvcc"),
    (9, fenced(("solution.cu", right)), None, ""),
    (16, fenced(("solution.cu", right)), None, ""),
    (17, fenced(("solution.cu", right)), "syntax_error", "test/main.cpp(2): error: "),
    (18, fenced(("solution.cu", right)), None, ""),
    (12, fenced(("solution.cu", right)), "unsupported", "compute capability 12.1 (here: sm_90)"),
    (10, "print(1)\n", "unsupported", "type cuda_python"),
    (11, "import torch\n", "unsupported", "a KernelBench problem: a PyTorch module"),
]
count, given = {}, []
for number, answer, _, _ in cases:
    task = problems[number].get("task_id", "1/1")
    given.append({"task": task, "sample": count.setdefault(task, 0), "response": answer})
    count[task] += 1
candidates = write_candidates(room / "answers.jsonl", *given)
kept = room / "host.jsonl"
done = run("--backend=host", "--nvcc=none", "--tasks", tasks, "--verdicts", kept, candidates)
assert_that("host", done.returncode == 0, done.stderr.decode())
found = verdicts(kept) if kept.exists() else {}
headers = re.search(r"CUDA [\d.]+ headers", done.stderr.decode())
for (number, answer, failure, words), c in zip(cases, given):
    v = found.get((c["task"], c["sample"]), {"failure": "none", "diagnostic": "", "family": ""})
    if number == 9 and headers:
        failure, words = "unsupported", "CUDA 99.1 (here: "
    assert_that(f"host: problem {number}", v["failure"] == failure and words in v["diagnostic"], answer[:80], v)
assert_that("groups are families", found.get(("CUDA/0", 0), {}).get("family") == "cuda-kernels", found.get(("CUDA/0", 0)))
checked = write_tasks(room / "checked.jsonl", *(problems[i] for i in (0, 6, 7, 11)),
                      {"id": "lax", "harness": "int main() {}\n"})
done = run("--backend=host", "--nvcc=none", "--tasks", checked, "--check-tasks")
message = {w["task"]: (w["weak"], w.get("unsupported", "")) for w in map(json.loads, done.stdout.splitlines())}
assert_that("check-tasks", message["CUDA/0"] == ([], "") and message["CUDA/6"][0] == ["program_fails"]
            and message["CUDA/7"] == ([], "-lnccl") and "KernelBench" in message["1/1"][1]
            and message["lax"] == (["no_solution", "passes_empty_solution"], ""), message)

# ComputeEval's own solutions: a sample a line, in the order of a task's lines.


def solution(number, *files, **fields):
    return {"task_id": f"CUDA/{number}", "type": "file", "schema_version": 1,
            "files": [{"path": path, "content": content} for path, content in files], **fields}


solutions = write_candidates(room / "solutions.jsonl", solution(0, ("solution.cu", wrong)), solution(1, *two_files),
                             solution(0, ("solution.cu", right), ("include/scale.h", header)), solution(0),
                             solution(1, two_files[0], sample=7), solution(0, ("../x.cu", right)),
                             {"task_id": "CUDA/0", "type": "patch", "patch": "--- a"})
kept = room / "solutions-v.jsonl"
done = run("--backend=host", "--nvcc=none", "--tasks", tasks, "--verdicts", kept, "--on-error=skip", "--rejects",
           room / "solutions-r.jsonl", solutions)
found = {key: v["failure"] for key, v in verdicts(kept).items()}
assert_that("solutions", done.returncode == 3 and found == {
    ("CUDA/0", 0): "wrong_exit", ("CUDA/0", 1): None, ("CUDA/0", 2): "link_error", ("CUDA/1", 0): None,
    ("CUDA/1", 7): "syntax_error"}, found, done.stderr.decode())
assert_that("solutions that are not read", b'solutions.jsonl:6: "files" has a path that leads out' in done.stderr
            and b'solutions.jsonl:7: a solution of the type "patch"' in done.stderr, done.stderr.decode())

# Flags that change what passes are a part of a verdict's key.
relaxed = write_tasks(room / "relaxed.jsonl", {"id": "two", "harness": '#include "solution.cu"\n'
    "int main() {\n    int y = 0, *x;\n    cudaMalloc(&x, sizeof y);\n    set<<<1, 1>>>(x);\n"
    "    cudaMemcpy(&y, x, sizeof y, cudaMemcpyDeviceToHost);\n    return y - 2;\n}\n"})
two = write_candidates(room / "two.jsonl", {"task": "two", "sample": 0, "response": "```cuda\nconstexpr int two() "
                                            "{ return 2; }\n__global__ void set(int* x) { *x = two(); }\n```\n"})
for flags, failure in ("-g", "syntax_error"), ("-g --expt-relaxed-constexpr", None):
    done = run("--backend=host", "--nvcc=none", "--nvcc-flags=" + flags, "--tasks", relaxed, "--verdicts",
               room / "relaxed-v.jsonl", two)
    assert_that("exit code", done.returncode == 0, done.stderr.decode())
    last = json.loads((room / "relaxed-v.jsonl").read_text().splitlines()[-1])
    assert_that("no stale verdict", last["failure"] == failure, flags, last, done.stderr.decode())
done = run("--backend=host", "--nvcc", room / "shell/bin/nvcc", "--nvcc-flags=-g --extended-lambda", "--tasks", relaxed,
           "--compile-only", "/dev/null")
assert_that("all flags are told", b" --extended-lambda, host model " in done.stderr
            and b", nvcc 12.4.99 -arch=sm_90 -g --extended-lambda" in done.stderr, done.stderr)

# The block that a harness's answer calls otherwise, or not at all, is solution.cu.
named = write_tasks(room / "named.jsonl", {
    "id": "n", "harness": '#include "solution.cu"\nint main() { return answer() - 42; }\n',
    "context_files": [{"path": "value.h", "content": "#define VALUE 41\n"}]})
code, value = "int answer() { return 42; }\n", "#define VALUE 42\n"
user = '#include "value.h"\nint answer() { return VALUE; }\n'
done = run("--backend=host", "--nvcc=none", "--inputs=2", "--tasks", named, "/dev/null")
assert_that("--inputs", b"--inputs does nothing for 1 of 1 tasks" in done.stderr, done.stderr)
names = [
    (f"**square.cu**\n```cuda\n{code}```\n", None, ""),
    (f"### square.cuh\n```cuda\n{code}```\n", None, ""),
    (f"```cuda title=Solution\n{code}```\n", None, ""),
    (f"```cpp:c++\n{code}```\n", None, ""),
    (f"```cuda\n// file: value.h\n{value}```\nand\n```cuda\n{user}```\n", None, ""),
    (f"**value.h**\n```cpp\n{value}```\n**square.cu**\n```cuda\n{user}```\n", None, ""),
    (f"**a.cu**\n```cuda\n{code}```\n```bash\nnvcc a.cu\n```\n", None, ""),
    (f"**a.cu**\n```cuda\n{code}```\n**b.cu**\n```cuda\n{code} \n```\n", "syntax_error", "solution.cu"),
    (f"**value.h**\n```cpp\n{value}```\n", "syntax_error", "solution.cu"),
    (f"**../x.cu**\n```cuda\n{code}```\n", "forbidden_file", "../x.cu"),
    (f"```cuda title=/tmp/x.cu\n{code}```\n", "forbidden_file", "/tmp/x.cu"),
    (f"```cuda\n// file: nvcc\n{code}```\n", "forbidden_file", "nvcc"),
    (f"**harness.cu**\n```cuda\n{code}```\n", "forbidden_file", "harness.cu"),
]
done = run("--backend=host", "--nvcc=none", "--tasks", named, "--verdicts", room / "named-v.jsonl", write_candidates(
    room / "c.jsonl", *({"task": "n", "sample": i, "response": text} for i, (text, _, _) in enumerate(names))))
assert_that("names", done.returncode == 0, done.stderr.decode())
for i, (text, failure, words) in enumerate(names):
    v = verdicts(room / "named-v.jsonl")[("n", i)]
    assert_that("named", v["failure"] == failure and words in v["diagnostic"], text, v)

# Through an nvcc, build commands run as they are, and nothing is left of them but the program.
plain_test = "int answer();\nint main(int, char** v) { return answer() == (v[1] ? 1 : 42) ? 0 : 5; }\n"


def plain(number, build, test="./test.out", **fields):
    return problem(number, build, context=[("value.h", "#define VALUE 42\n")], tests=[("test/main.cu", plain_test)],
                   test_command=test, compute_capability=None, **fields)


shell = [
    plain(0, "nvcc -rdc=true -I . -o test.out solution.cu test/*.cu"),
    plain(1, "mkdir -p out/deep && nvcc -o out/deep/t solution.cu test/main.cu", "./out/deep/t"),
    plain(2, "nvcc -o test.out solution.cu test/main.cu", "./test.out one"),
    plain(3, "ln -s /bin/true test.out"),
    plain(4, "mkdir real && nvcc -o real/t solution.cu test/main.cu && ln -s real out", "./out/t"),
    plain(5, "nvcc -o test.out solution.cu test/main.cu", "./test.out || true"),
    plain(6, "nvcc -o test.out solution.cu test/main.cu", "/bin/true"),
    plain(7, "nvcc -o test.out solution.cu test/main.cu", min_cuda_toolkit="12.5"),
    plain(8, "no-such-make all"),
    {"id": "own", "prompt": "Return 42.", "nvcc_flags": ["-DNAME=the answer", "-DONE=1"], "harness":
     '#include "solution.cu"\n#define TEXT(x) #x\n#define TEXT_OF(x) TEXT(x)\n'
     'int main() { return answer() == 42 * ONE && TEXT_OF(NAME)[3] == \' \' ? 0 : 6; }\n'},
    {"id": "linked", "prompt": "Return 42.", "harness": "int answer();\nint main() { return answer() - 42; }\n",
     "bench.cu": "int answer() { return 42; }\n"},
]
answer = "```cpp\nint answer() { return 42; }\n```\n"
expected = [(None, ""), (None, ""), ("wrong_exit", "exit code 5"), ("syntax_error", "test.out is a link"),
            ("syntax_error", "out/t is missing"), ("unsupported", "the test command has a list of commands (|)"),
            ("unsupported", "does not begin with a program that was built"), ("unsupported", "CUDA 12.5 (here: 12.4.99)"),
            ("unsupported", "a build command that needs no-such-make"), (None, ""), (None, "")]
ids = [p.get("task_id") or p["id"] for p in shell]
shell_tasks = write_tasks(room / "shell.jsonl", *shell)
shell_answers = write_candidates(room / "c.jsonl", *({"task": i, "sample": 0, "response": answer} for i in ids))
nvcc_of_shell = ["--nvcc", room / "shell/bin/nvcc", "--launcher=env"]
done = run(*nvcc_of_shell, "--tasks", shell_tasks, "--verdicts", room / "shell-v.jsonl", shell_answers)
found = verdicts(room / "shell-v.jsonl") if done.returncode == 0 else {}
assert_that("nvcc", done.returncode == 0, done.stderr.decode())
for i, (failure, words) in zip(ids, expected):
    v = found.get((i, 0), {"failure": "none", "diagnostic": ""})
    assert_that(f"nvcc: {i}", v["failure"] == failure and words in v["diagnostic"], v)
done = run(*nvcc_of_shell, "--tasks", shell_tasks, "--compile-only", "--json", shell_answers)
assert_that("nvcc, compiling only", done.returncode == 0 and json.loads(done.stdout)["funnel"]["compiled"] == 5, done)
done = run(*nvcc_of_shell, "--protocol=cudabench", "--tasks", shell_tasks, shell_answers)
assert_that("no task of CUDABench", done.returncode == 2 and b"task CUDA/0 is none of CUDABench's" in done.stderr, done)

write_tasks(room / "slow.jsonl", plain(0, "sleep 30"))
write_candidates(room / "c.jsonl", {"task": "CUDA/0", "sample": 0, "response": answer})
done = run(*nvcc_of_shell, "--compile-timeout=1", "--tasks", room / "slow.jsonl", "--compile-only", "--json",
           room / "c.jsonl")
assert_that("a build that takes too long", b'"compile_timeout":{"count":1,"example":"nvcc ran for more than 1 s"' in done.stdout, done)

# Bad tasks: one line with the place.
good = {"id": "x", "harness": "int main() {}\n"}
for change, words in [
        ({"harness": 3}, '"harness" is no string'),
        ({"context_files": 3}, '"context_files" is no array'),
        ({"context_files": [{"path": "a.h"}]}, "without the strings"),
        ({"context_files": [{"path": "../a.h", "content": ""}]}, "leads out of its folder: ../a.h"),
        ({"context_files": [{"path": "/etc/a.h", "content": ""}]}, "is absolute"),
        ({"context_files": [{"path": "a b.h", "content": ""}]}, "characters other than"),
        ({"context_files": [{"path": "a.h\0", "content": ""}]}, "characters other than"),
        ({"context_files": [{"path": "harness/a.h", "content": ""}]}, "do not go together"),
        ({"context_files": [{"path": "a.h", "content": ""}] * 2}, "do not go together"),
        ({"nvcc_flags": "-D A; rm"}, '"nvcc_flags" has a list of commands (;)'),
        ({"nvcc_flags": "-O2 -o other"}, '"nvcc_flags" has -o: '),
        ({"nvcc_flags": ["-o=other"]}, '"nvcc_flags" has -o=other: '),
        ({"nvcc_flags": ["--output-file", "other"]}, '"nvcc_flags" has --output-file: '),
        ({"nvcc_flags": [1]}, '"nvcc_flags" is neither'),
        ({"timeout_seconds": 0}, '"timeout_seconds" is no number above 0'),
        ({"timeout_seconds": 1e9}, '"timeout_seconds" is no number above 0'),
        ({"id": None}, '"id" is'),
        ({"harness": None, "test_command": "./t", "task_id": "a", "source_references": 3}, '"source_references" is neither'),
        ({"harness": None, "test_command": "./t", "baseline_solution": []}, '"baseline_solution" is no object'),
        ({"harness": None, "test_command": "./t", "baseline_solution": {"code": "int main() {}"}},
         '"baseline_solution" has no array "files"'),
        ({"harness": None, "test_command": "./t", "min_cuda_toolkit": "new"}, '"min_cuda_toolkit" is no version'),
        ({"harness": None, "problem_id": 1, "code": 5}, '"code" is no string'),
        ({"harness": None, "problem_id": 1, "code": " \n"}, '"code" is blank'),
        ({"harness": None, "problem_id": 1, "code": "x", "name": 5}, '"name" is no string'),
        ({"harness": None, "problem_id": 1, "code": "x", "tolerance": -1}, '"tolerance" is no number of 0 or more'),
        ({"harness": None, "problem_id": 1, "code": "x", "id": None, "level": [1]}, '"level" is')]:
    bad = write_tasks(room / "bad.jsonl", good, {**good, "id": "y", **change})
    done = run("--backend=host", "--nvcc=none", "--tasks", bad, "/dev/null")
    message = done.stderr.decode()
    assert_that("a bad task", done.returncode == 1 and "bad.jsonl:2: " in message and words in message and message.count("\n") == 1,
                change, message)

# The examples of cuset-tasks(5), as the page has them.
page = (pathlib.Path(os.environ["CUSET_SOURCE"]) / "man/cuset-tasks.5").read_text()
examples = [re.sub(r"\\e", r"\\", text).replace("\\-", "-").splitlines()
            for text in re.findall(r"^\.EX\n(.*?)\n\.EE$", page, re.DOTALL | re.MULTILINE)
            if '"answer":' not in text]  # cli/eval_counting runs that one
assert_that("four examples", [len(lines) for lines in examples] == [2, 2, 2, 2], examples)
write(room / "page-tasks.jsonl", "".join(task + "\n" for task, _ in examples))
write(room / "page-answers.jsonl", "".join(answer + "\n" for _, answer in examples))
done = run("--backend=host", "--nvcc=none", "--tasks", room / "page-tasks.jsonl", "--verdicts",
           room / "page.jsonl", room / "page-answers.jsonl")
assert_that("the page's examples pass", done.returncode == 0 and len(verdicts(room / "page.jsonl")) == 4
            and all(v["failure"] is None for v in verdicts(room / "page.jsonl").values()), done)
