"""SmolLM2 trained on up to 30 tasks is asked the same in training and in sampling, and both are what transformers
makes of the messages that --show prints.

Training: run.json's hash of the data is one of all token ids, compared with transformers' ids. Sampling: a
candidate's key is one of its prompt's ids, compared with that of transformers' text, which --template=none
sends as it is. The tasks have the forms of CUDABench, ComputeEval and a harness.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from transformers import AutoTokenizer

from _checks import check, finish

source = pathlib.Path(os.environ["CUSET_SOURCE"])
sys.path.insert(0, str(source / "tests/cli"))
from _rotation import third  # noqa: E402
from _tasks import harness_task, messages_of, problem, scaling  # noqa: E402
from _tool import json_lines as lines  # noqa: E402

BIN = os.environ["CUSET_BIN"]
MODEL = os.environ["CUSET_DEPS"] + "/models/SmolLM2-135M-Instruct"
program = "#include <cstdio>\n__global__ void k(int* x) { x[threadIdx.x] += 1; }\nint main() {\n}"
# The first has a newline at its end, the others have none: the fence's own may join the last brace.
alike = [{**scaling(i), "bench.cu": f"{program}  // {i}" if i % 2 else program} for i in range(1, 28)]
tasks = [scaling(0)] + third(alike, "tasks of CUDABench") + [
    {**problem, "id": "problem", "bench.cu": program}, {**harness_task, "bench.cu": program}]
words = AutoTokenizer.from_pretrained(MODEL)
TAIL = "<|im_end|>\n"


def run(tool, *arguments, data):
    done = subprocess.run([f"{BIN}/cuset-{tool}", "-q", *map(str, arguments)], input=data, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"cuset-{tool} {arguments} ends with {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def fnv(numbers, value=0xcbf29ce484222325):
    for number in numbers:
        value = (value ^ number) * 0x100000001b3 % 2**64
    return value


pairs = []
for task in tasks:
    *asked, answer = messages_of(run("score", "--show", "--response-field=bench.cu", data=lines([task])))
    asked_for_sampling = messages_of(run("sample", "--show", data=lines([task])))
    check(f"{task['id']}: sampling shows the same messages", asked == asked_for_sampling)
    check(f"{task['id']}: the answer is one fenced program",
          answer["content"].startswith("```c") and answer["content"].endswith("\n```")
          and task["bench.cu"] in answer["content"])
    text = words.apply_chat_template(asked, tokenize=False, add_generation_prompt=True)
    whole = words.apply_chat_template([*asked, answer], tokenize=False)
    check(f"{task['id']}: the template", whole == text + answer["content"] + TAIL)
    pairs.append((str(task["id"]), text, words(text)["input_ids"], words(answer["content"] + TAIL)["input_ids"]))

with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder) / "out"
    run("train", "--model", MODEL, "--device=cpu", "--objective=sft", "--max-steps=1", "--response-field=bench.cu", "-o", out,
        data=lines(tasks))
    value = fnv([])
    for name, _, prompt, response in pairs:
        value = fnv([*prompt, *response, *[0] * len(response), len(prompt), fnv(name.encode())], value)
    said = json.loads((out / "run.json").read_text())["settings"]["data_hash"]
    check("training has transformers' ids", said == f"{value:016x}", said)

quick = ("--model", MODEL, "--device=cpu", "--plain", "--max-new-tokens=1")
keys = [json.loads(line)["key"] for line in run("sample", *quick, data=lines(tasks)).splitlines()]
as_text = [{"id": name, "prompt": text} for name, text, _, _ in pairs]
same = [json.loads(line)["key"] for line in run("sample", *quick, "--template=none", data=lines(as_text)).splitlines()]
check("sampling has the ids of transformers' text", len(keys) == len(tasks) and keys == same)
finish()
