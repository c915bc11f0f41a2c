#!/usr/bin/env python3
"""This compares chat templates with jinja2: prompt + response + tail equals the rendering by the
model's own template, and the prompt equals its rendering with a generation prompt.
tests/oracle/templates has the public models' templates."""
import json
import os
import subprocess
import sys
from pathlib import Path

from jinja2.sandbox import ImmutableSandboxedEnvironment

BUILD = Path(os.environ["CUSET_BUILD"])
TEMPLATES = Path(os.environ["CUSET_SOURCE"]) / "tests" / "oracle" / "templates"

# template file: our name, beginning- and end-of-text token, whether Jinja strips every turn
MODELS = {
    "smollm2": ("smollm", "<|im_start|>", "<|im_end|>", False),
    "qwen2.5-coder": ("qwen", None, "<|im_end|>", False),
    "qwen3": ("qwen3", None, "<|im_end|>", False),
    "qwen3-instruct-2507": ("chatml", None, "<|im_end|>", False),
    "deepseek-coder-instruct": ("deepseek-coder", "<\uff5cbegin\u2581of\u2581sentence\uff5c>", "<|EOT|>", False),
    "seed-coder-instruct": ("seed-coder", "<[begin\u2581of\u2581sentence]>", "<[end\u2581of\u2581sentence]>", True),
    "llama3": ("llama3", "<|begin_of_text|>", "<|eot_id|>", True),
}

user = {"role": "user", "content": "Write a CUDA kernel.\nAdd two vectors."}
system = {"role": "system", "content": "You write CUDA."}
history = {"role": "assistant", "content": "```cuda\n__global__ void k();\n```"}
thought = {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nDone."}
spaced = {"role": "user", "content": " \n\t padded \u3000\x1d"}
odd = {"role": "user", "content": "a \"quoted\" {{ jinja }} <|im_end|> \u00e9 \U0001f469"}
DIALOGUES = [[user], [system, user], [user, history, user], [system, user, thought, odd], [spaced],
             [{"role": "user", "content": ""}]]
RESPONSES = ["__global__ void add(float* x) {}\n", "x", "```cuda\ncode\n```",
             "<think>\nFirst, the grid.\n</think>\n\n__global__ void k() {}"]


def render(source, messages, bos, eos, **more):
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(source).render(messages=messages, bos_token=bos or "", eos_token=eos,
                                                  **more)


cases, requests = [], []
for name in MODELS:
    source = (TEMPLATES / f"{name}.jinja").read_text()
    for messages in DIALOGUES:
        for response in [None, *RESPONSES]:
            cases.append((name, source, messages, response))
            requests.append({"jinja": source, "messages": messages, "response": response})
done = subprocess.run([BUILD / "tests" / "template_dump"], stdout=subprocess.PIPE, check=True,
                      input="".join(json.dumps(r) + "\n" for r in requests).encode())
answers = [json.loads(line) for line in done.stdout.splitlines()]
assert len(answers) == len(cases)

wrong = 0


def expect(what, got, want):
    global wrong
    if got != want:
        wrong += 1
        print(f"{what}:\n  got  {got!r}\n  want {want!r}")


for (name, source, messages, response), answer in zip(cases, answers):
    ours, bos, eos, strips = MODELS[name]
    what = f"{name}, {len(messages)} messages, response {response!r}"
    expect(what, answer.get("name", answer), ours)
    if "error" in answer:
        continue
    if response is None:
        expect(what, answer["prompt"], render(source, messages, bos, eos, add_generation_prompt=True))
        continue
    turn = {"role": "assistant", "content": response}
    whole = render(source, [*messages, turn], bos, eos, add_generation_prompt=False)
    # We keep white space of the response that Jinja strips.
    kept = response.strip() if strips else response
    expect(what, answer["prompt"] + kept + answer["tail"], whole)
    if name == "qwen3" and "<think>" not in response:
        expect(what, answer["prompt"],
               render(source, messages, bos, eos, add_generation_prompt=True, enable_thinking=False))

print(f"{len(MODELS)} templates, {len(cases)} renderings, {wrong} differ")
sys.exit(1 if wrong else 0)
