"""This compares the probabilities of cuset-sample --confidence with SmolLM2 with those that transformers gives the
same tokens after the same prompt, and with those of cuset-score where it reads the answer back as the same tokens. In
f32 log p agrees with both within 1e-3. In bf16 the two tools round at different places (cuset-score rounds activations
where the processor has instructions for bf16, cuset-sample never), so they may be as far apart as transformers in bf16
is from transformers in f32, twice."""
import json
import math
import os
import pathlib
import subprocess
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

folder = pathlib.Path(os.environ["CUSET_DEPS"]) / "models/SmolLM2-135M-Instruct"
if not folder.exists():
    print(f"no {folder}")
    sys.exit(77)
binaries = pathlib.Path(os.environ["CUSET_BIN"])
torch.set_num_threads(2)
tokenizer = AutoTokenizer.from_pretrained(folder)
models = {name: AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()
          for name, dtype in {"f32": torch.float32, "bf16": torch.bfloat16}.items()}
failures = []
prompts = ["Write a CUDA kernel that adds two vectors.", "Say hello in French, Japanese and Arabic, with emojis."]


def that(name, right, *details):
    if not right:
        failures.append(name)
        print(f"FAILED: {name}:", *details)


def run(tool, records, *options):
    done = subprocess.run([binaries / tool, "--model", folder, "--device=cpu", "--plain", "-q", *options],
                          input="".join(json.dumps(r) + "\n" for r in records).encode(), capture_output=True)
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    return [json.loads(line) for line in done.stdout.decode().split("\n")[:-1]]


def theirs(dtype, prompt, ids):
    text = tokenizer.apply_chat_template([{"role": "user", "content": prompt}], tokenize=False,
                                         add_generation_prompt=True)
    before = tokenizer(text, add_special_tokens=False).input_ids
    with torch.inference_mode():
        logits = models[dtype](torch.tensor([before + ids])).logits[0, len(before) - 1:-1].double()
    return logits.log_softmax(-1).gather(1, torch.tensor(ids)[:, None])[:, 0].tolist()


for dtype in ("f32", "bf16"):
    tasks = [{"id": i, "prompt": p} for i, p in enumerate(prompts)]
    answers = []
    for options in (["--temperature=0"], ["-n2"], ["--temperature=1.5", "--top-p=0.9", "--draft=0"]):
        answers += run("cuset-sample", tasks, "--confidence", "--max-new-tokens=60", f"--dtype={dtype}", *options)
    scored = run("cuset-score", [{"prompt": prompts[a["task"]], "response": a["response"]} for a in answers],
                 f"--dtype={dtype}")
    apart, rounding, compared, worst = [], [], 0, 0
    for answer, record in zip(answers, scored):
        ids = answer["score"]["id"]
        own = [math.log(c) for c in answer["score"]["confidence"]]
        exact = theirs("f32", prompts[answer["task"]], ids)
        if dtype == "f32":
            for a, b in zip(own, exact, strict=True):
                worst = max(worst, abs(a - b) - 2e-5 * abs(b))
        else:
            rounding += [abs(a - b) for a, b in zip(theirs("bf16", prompts[answer["task"]], ids), exact, strict=True)]
        again = record["score"]["id"]
        same = next((i for i, (a, b) in enumerate(zip(ids, again)) if a != b), min(len(ids), len(again)))
        compared += same
        apart += [abs(a - math.log(b)) for a, b in zip(own[:same], record["score"]["confidence"])]
        that("ends", answer["score"]["end"][:same] == record["score"]["end"][:same])
    print(f"{dtype}: {compared} of {sum(len(a['score']['id']) for a in answers)} tokens read back the same, log p "
          f"apart by at most {max(apart):.2g}, on average {sum(apart) / len(apart):.2g}; from transformers {worst:.2g}")
    that(f"{dtype}: most tokens are compared", compared > 150, compared)
    that(f"{dtype}: transformers", worst < 1e-3, worst)
    limit, mean = 1e-3, 1e-4
    if dtype == "bf16":
        limit, mean = 2 * max(rounding), 2 * sum(rounding) / len(rounding)
        print(f"transformers' rounding: at most {max(rounding):.2g}, on average {sum(rounding) / len(rounding):.2g}")
    that(f"{dtype}: cuset-score", max(apart) < limit and sum(apart) / len(apart) < mean, max(apart))
print(f"{len(failures)} failed")
sys.exit(bool(failures))
