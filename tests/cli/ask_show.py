"""--show prints what a task is asked: the same from each tool, without a model. Wrong asks and tasks give
one line with the place. An ask file made of a benchmark's prompts sends them to the letter."""

import json
import os
import pathlib
import re
import subprocess
import sys

from _tasks import harness_task, messages_of, module_problem, problem, scaling
from _tool import assert_exit, assert_that, built, json_lines, room, run_tool

tools = [built(f"cuset-{name}") for name in ("sample", "score", "train")]
source = pathlib.Path(os.environ["CUSET_SOURCE"])


answers = []  # of the tools that read responses, in the last call of shown()


def shown(*words, data, by=tools):
    """The messages, which no tool may show otherwise. score and train show the answer too."""
    asked = []
    answers.clear()
    for tool in by:
        done = run_tool(tool, "--show", *words, data=data)
        assert_exit(f"{tool.name} --show {words}", done, 0)
        asked.append(messages_of(done.stdout.decode()))
        if tool is not tools[0]:
            answers.append(asked[-1].pop())
    assert_that(f"--show {words}: the same messages from each tool", all(a == asked[0] for a in asked), asked)
    assert_that(f"--show {words}: the same answer", all(a == answers[0] and a["role"] == "assistant" for a in answers), answers)
    return asked[0]


first = scaling(2)
system, user = shown(data=[first, scaling(3)])
for message in ("data/NAME.bin", "little-endian", "row-major", "one fenced code block"):
    assert_that("the rules", message in system["content"], message)
assert_that("the question", user["content"] == """Task: Scale_2

Multiply each of 192 values by 2. Ω1

Inputs:
- x: float32 (float), shape (48, 4), 192 elements, file data/x.bin
- factor: float64 (double), shape (), 1 element, file data/factor.bin

Outputs:
- y: float32 (float), shape (192,), 192 elements, file data/y.bin""", user["content"])
assert_that("a program is shown in the fence that the rules want",
            answers[0]["content"] == f"```cpp\n{first['bench.cu']}```", answers)
(room / "system").write_text("Be brief.\n")
assert_that("--system and --gpu", shown("--system", room / "system", "--gpu=H200", data=[first])
            == [{"role": "system", "content": "Be brief."}, {**user, "content": user["content"] + "\n\nGPU: H200"}])
assert_that("level 3", shown("--level=3", data=[first])[1]["content"]
            == user["content"].replace("Ω1", "Ω3"))
plain = [{"role": "user", "content": first["level2_prompt"]}]
assert_that("plain", shown("--ask=plain", "--level=2", data=[first]) == plain)
assert_that("a prompt field alone is plain", shown("--prompt-field=level2_prompt", data=[first]) == plain)
assert_that("a prompt field with an ask", shown("--prompt-field=level2_prompt", "--ask=cudabench", data=[first])[1]
            == shown("--level=2", data=[first])[1])
conversation = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi."}]
answer = {"role": "assistant", "content": "Ho."}
assert_that("a conversation", shown(data=[{"messages": [*conversation, answer]}]) == conversation)
assert_that("Alpaca", shown(data=[{"instruction": "i", "input": "x", "output": "o"}])
            == [{"role": "user", "content": "i\nx"}])

of_problem = shown(data=[{**problem, "bench.cu": "x"}])
assert_that("ComputeEval", [m["role"] for m in of_problem] == ["system", "user"]
            and of_problem[1]["content"].startswith(problem["prompt"] + "\n")
            and "include/scale.h:\n```cpp\n#pragma once\nvoid scale(float* x, int n);\n```" in of_problem[1]["content"]
            and "```sh\n" + problem["build_command"] + "\n```" in of_problem[1]["content"]
            and "hidden" not in str(of_problem), of_problem)
of_harness = shown(data=[{**harness_task, "bench.cu": "x"}])
assert_that("a harness", 'harness.cu includes solution.cu after <cstdio>, "axpy.h".' in of_harness[1]["content"]
            and "axpy.h:\n```cpp\n" in of_harness[1]["content"] and "-O3 --use_fast_math" in of_harness[1]["content"]
            and "hidden" not in str(of_harness), of_harness)

module = "import torch\n\nclass ModelNew(torch.nn.Module):\n    pass\n"
of_module = shown("--gpu=H200", data=[{**module_problem, "response": module}])
assert_that("KernelBench", "ModelNew" in of_module[0]["content"] and of_module[1]["content"]
            == f"Task: 7_Scale\n\n```python\n{module_problem['code']}```\n\nGPU: H200", of_module)
assert_that("a module is shown in its fence", answers[0]["content"] == f"```python\n{module}```", answers)

# Which task: the first of the shard whose record is good.
assert_that("a task by its task_id", run_tool(tools[0], "--show", "--shard=0/2", data=[
    {"task_id": "b", "prompt": "b"}, {"task_id": "a", "prompt": "a"}]).stdout.decode()
            == f"--- user\n{'ab'[0xaf63df4c8601f1a5 % 2 == 0]}\n")  # FNV-1a-64("b")
of_one = room / "one.jsonl"
of_one.write_bytes(json_lines([first]))
for tool in tools[:2]:
    done = run_tool(tool, "--show", "-o", room / f"shown-{tool.name}", of_one)
    assert_that("-o", done.returncode == 0 and done.stdout == b"" and messages_of(
        (room / f"shown-{tool.name}").read_text())[:2] == [system, user], done)
    assert_exit("-o over the input", run_tool(tool, "--show", "-o", of_one, of_one), 2, "one.jsonl")
(room / "system").write_text("Short.\n")
assert_that("--system", messages_of(run_tool(tools[0], "--show", "--system", room / "system", data=[first]).stdout.decode())
            == [{"role": "system", "content": "Short."}, user])
bad = {**first, "inputs": [{"name": "x", "dtype": "float32"}]}
for tool in tools:
    assert_exit("an array without a shape", run_tool(tool, "--show", "--ask=cudabench", data=[bad]), 1,
                "standard input:1: ", '"inputs"', '"shape"')
    rejects = room / f"rejects-{tool.name}"
    done = run_tool(tool, "--show", "--ask=cudabench", "--on-error=skip", "--rejects", rejects, data=[bad, first])
    assert_that("a bad task that is skipped", done.returncode == 3 and b"1 of 2 records" in done.stderr
                and messages_of(done.stdout.decode())[:2] == [system, user] and rejects.read_bytes() == json_lines([bad]), done)
    assert_exit("no task", run_tool(tool, "--show", data=b"\n"), 1, "no task to show")
    assert_exit("no such ask", run_tool(tool, "--show", "--ask=cudabnech", data=[first]), 2, "cudabnech", "computeeval")
    assert_exit("a level and a field", run_tool(tool, "--show", "--level=2", "--prompt-field=x", data=b""), 2, "--level")
    ask = room / "bad.ask"
    ask.write_text("--- user\nDo it.\n{titel}\n")
    assert_exit("a member that is missing", run_tool(tool, "--show", "--ask", ask, data=[first]), 1,
                ':1: "titel" is missing', "bad.ask:3")
    ask.write_text("--- user\n\n{inputs:{size}}\n")
    assert_exit("an unknown place", run_tool(tool, "--show", "--ask", ask, data=[first]), 1, "bad.ask:3: ", "size")

# An ask that cannot be read leaves an open frame, so that the next tool in the pipe sees no good end.
done = run_tool(tools[1], "--ask=nowhere", "--model", room, data=[first])
assert_that("an open frame", done.returncode == 2 and done.stdout.startswith(b"\x28\xb5\x2f\xfd"), done)

# A benchmark's own words. The stand-in has the form of CUDABench's Generate/prompt.py, with names of both versions.
script = [sys.executable, source / "examples/cudabench-ask.py"]
benchmark = """# made up for this test
import nothing_of_that_name
{name} = '''You write kernels.

1. Begin with this:
void read(float* x) {{{{
    return;
}}}}
2. Tune for the {{gpu}}.
'''

PROMPT = '''
### WORK
Name:
{{task_name}}
About (a set is {{{{}}}}):
{{task_description}}
In:
{{input_spec}}
Out:
{{output_spec}}
On:
{{gpu}}

Program:
'''
"""
for name in ("SYSTEM_PROMPT", "SYSTERM_PROMPT"):
    text = benchmark.format(name=name)
    clone = room / name
    (clone / "Generate").mkdir(parents=True)
    (clone / "Generate/prompt.py").write_text(text)
    prompts = {}
    exec(text.replace("import nothing_of_that_name\n", ""), prompts)
    for gpu in (None, "NVIDIA {H200}"):
        made = subprocess.run([*script, clone, *(["--gpu", gpu] if gpu else [])], capture_output=True, check=False)
        assert_that("the script", made.returncode == 0, made.stderr)
        ask = room / "benchmark.ask"
        ask.write_bytes(made.stdout)
        for level in (1, 2, 3):
            spec = {kind: "\n".join(f"{a['name']}: {a['dtype']}, shape = {a['shape']}" for a in first[kind])
                    for kind in ("inputs", "outputs")}
            wanted = prompts["PROMPT"].format(
                task_name=first["task_name"], task_description=first[f"level{level}_prompt"],
                input_spec=spec["inputs"], output_spec=spec["outputs"], gpu=gpu or first["gpu"])
            found = shown("--ask", ask, f"--level={level}", data=[first], by=tools[:1])
            assert_that(f"{name}, level {level}: the benchmark's words", found == [
                {"role": "system", "content": prompts[name]}, {"role": "user", "content": wanted}], found)
for text, word in (("PROMPT = 'x'", "SYSTEM_PROMPT"), ("SYSTEM_PROMPT = 'x'", "PROMPT"), ("SYSTEM_PROMPT = (", "never closed"),
                   ("SYSTEM_PROMPT = 'x'\nPROMPT = '{tests}'", "{tests}"), ("SYSTEM_PROMPT = f()\nPROMPT = 'x'", "string"),
                   ("SYSTEM_PROMPT = 'a\\n--- user\\n'\nPROMPT = 'x'", "begins a message")):
    (clone / "Generate/prompt.py").write_text(text + "\n")
    made = subprocess.run([*script, clone], capture_output=True, text=True, check=False)
    assert_that(f"refused: {text!r}", made.returncode == 1 and made.stdout == "" and word in made.stderr
                and re.fullmatch(r"cudabench-ask\.py: \S+/prompt\.py: .*\n", made.stderr), made)

# ComputeEval's words. The stand-in has the form of its compute_eval/prompts.py.
script = [sys.executable, source / "examples/computeeval-ask.py"]
clone = room / "computeeval"
(clone / "compute_eval").mkdir(parents=True)
benchmark = '''# made up for this test
from nothing.of_that_name import Problem
SYSTEM_PROMPT = """
You write {files}, and nothing else.
"""
_USER_PROMPT = """
To do: {prompt}
By: {build_command}
There: {context_files_block}{reference_docs_block}{{end}}
"""
_CONTEXT_FILES_BLOCK_TEMPLATE = """
# {path}
```{fence}
{content}
```
"""
'''
(clone / "compute_eval/prompts.py").write_text(benchmark)
files = [{"path": path, "content": f"text of {path} {{x}} caf\u00e9"} for path in
         ("A.CU", "b.cuh", "c.hpp", "d.h", "e.c", "f.cc", "g.cxx", "Makefile")]
problem = {"task_id": "CUDA/7", "prompt": "Sum {them}.", "build_command": "nvcc -o t A.CU", "test_command": "./t",
           "context_files": files, "date": "x"}
problems = room / "problems.jsonl"
problems.write_text(json.dumps(problem) + "\n\n" + json.dumps({**problem, "task_id": "CUDA/8", "context_files": []}) + "\n")
made = subprocess.run([*script, clone, problems], capture_output=True, text=True, check=False)
assert_that("ComputeEval's script", made.returncode == 0 and made.stderr == "", made)
prompts = {}
exec(benchmark.replace("from nothing.of_that_name import Problem\n", ""), prompts)
fences = ["cuda", "cuda", "h", "h", "c", "cpp", "cpp", ""]
blocks = "".join(prompts["_CONTEXT_FILES_BLOCK_TEMPLATE"].format(fence=fence, **file) for fence, file in zip(fences, files))
for line, block in zip(made.stdout.splitlines(), (blocks, ""), strict=True):
    found = shown("--ask=plain", data=[json.loads(line)], by=tools[:1])
    assert_that("ComputeEval's words", found == [
        {"role": "system", "content": prompts["SYSTEM_PROMPT"]},
        {"role": "user", "content": prompts["_USER_PROMPT"].format(
            prompt=problem["prompt"], build_command=problem["build_command"], context_files_block=block,
            reference_docs_block="")}], found)
    assert_that("the rest of the problem", {**json.loads(line), "task_id": "CUDA/7", "context_files": files} ==
                {**{k: v for k, v in problem.items() if k != "prompt"}, "messages": found}, line)
for text, words in ((benchmark.replace("SYSTEM_PROMPT", "OTHER"), "SYSTEM_PROMPT"), (benchmark.replace("{fence}", "{size}"), "{size}"),
                    (benchmark.replace('_USER_PROMPT = """', '_USER_PROMPT = f"""'), "_USER_PROMPT"), ("x = (", "never closed")):
    (clone / "compute_eval/prompts.py").write_text(text)
    made = subprocess.run([*script, clone, problems], capture_output=True, text=True, check=False)
    assert_that(f"refused: {words}", made.returncode == 1 and made.stdout == "" and words in made.stderr
                and re.fullmatch(r"computeeval-ask\.py: \S+/prompts\.py: .*\n", made.stderr), made)
(clone / "compute_eval/prompts.py").write_text(benchmark)
for line, words in (("{}", "missing"), ("[]", ""), ("{", ""), (json.dumps({**problem, "context_files": 1}), "")):
    problems.write_text(line + "\n")
    made = subprocess.run([*script, clone, problems], capture_output=True, text=True, check=False)
    assert_that(f"bad problem {line[:9]}", made.returncode == 1 and words in made.stderr
                and re.fullmatch(r"computeeval-ask\.py: \S+/problems\.jsonl:1: .*\n", made.stderr), made)

# The tasks of the examples are what their sources make, and are asked as CUDABench's.
made = subprocess.run([sys.executable, source / "examples/make-tasks.py", "-"], capture_output=True, check=True).stdout
assert_that("examples/tasks.jsonl", made == (source / "examples/tasks.jsonl").read_bytes(), "run examples/make-tasks.py")
for task in map(json.loads, made.splitlines()):
    asked = shown(data=[task], by=tools[:1])
    assert_that(f"{task['id']} is asked with its files", all(
        f"{a['name']}: {a['dtype']} (" in asked[1]["content"] and f"file data/{a['name']}.bin" in asked[1]["content"]
        for a in task["inputs"] + task["outputs"]), asked)
