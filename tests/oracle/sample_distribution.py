"""This compares cuset-sample with transformers: the greedy answer of SmolLM2 in f32, token for
token through the chat template and the end markers; and the first token of thousands of samples
with the distribution that transformers' own warpers give (chi-square, fixed seed)."""
import collections
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.generation.logits_process import (TemperatureLogitsWarper, TopKLogitsWarper,
                                                    TopPLogitsWarper)

folder = pathlib.Path(os.environ["CUSET_DEPS"]) / "models/SmolLM2-135M-Instruct"
if not folder.exists():
    print(f"no {folder}")
    sys.exit(77)
tool = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-sample"
torch.set_num_threads(2)
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
failures = []


def that(name, right, *details):
    if not right:
        failures.append(name)
        print(f"FAILED: {name}:", *details)


def sample(tasks, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for i, prompt in enumerate(tasks):
            print(json.dumps({"id": i, "prompt": prompt}), file=file)
        file.flush()
        done = subprocess.run([tool, "--model", folder, "--dtype=f32", "--device=cpu", "--plain", "-q",
                               *options, file.name], capture_output=True)
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    return [json.loads(line) for line in done.stdout.decode().split("\n")[:-1]]


def chat(prompt):
    text = tokenizer.apply_chat_template([{"role": "user", "content": prompt}], tokenize=False,
                                         add_generation_prompt=True)
    return tokenizer(text, return_tensors="pt", add_special_tokens=False).input_ids


# Greedy: users' prompts, each to the answer's end or 30 tokens.
prompts = ["Write a CUDA kernel that adds two vectors.", "Say hello in French."]
answers = sample(prompts, "--temperature=0", "--max-new-tokens=30")
for prompt, answer in zip(prompts, answers):
    ids = chat(prompt)
    with torch.inference_mode():
        out = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False,
                             max_new_tokens=30, pad_token_id=0)[0, ids.shape[1]:]
    ended = out[-1].item() == model.generation_config.eos_token_id
    that(prompt, answer["response"] == tokenizer.decode(out, skip_special_tokens=True)
         and answer["tokens"] == len(out) and answer["finish"] == ("stop" if ended else "length"),
         answer, out)
that("some end by themselves", {"stop", "length"} == {a["finish"] for a in answers}, answers)

# Samples of the first token.
text_of = tokenizer.batch_decode([[i] for i in range(model.config.vocab_size)],
                                 skip_special_tokens=True)
draws = 4000
prompt = "Name any animal, colour or number."
with torch.inference_mode():
    logits = model(chat(prompt)).logits[0, -1:].double()
for temperature, top_p, top_k in ((1.0, 1.0, 0), (1.5, 0.9, 0), (1.3, 0.8, 50)):
    scores = TemperatureLogitsWarper(temperature)(None, logits) if temperature != 1 else logits
    if top_k:
        scores = TopKLogitsWarper(top_k)(None, scores)
    if top_p < 1:
        scores = TopPLogitsWarper(top_p)(None, scores)
    wanted = collections.Counter()
    for token, p in enumerate(torch.softmax(scores, -1)[0].tolist()):
        if p > 0:
            wanted[text_of[token]] += p
    counts = collections.Counter(r["response"] for r in sample(
        [prompt], f"-n{draws}", "--max-new-tokens=1", f"--temperature={temperature}",
        f"--top-p={top_p}", f"--top-k={top_k}"))
    that("cut tokens", not set(counts) - set(wanted), set(counts) - set(wanted))
    distance, bins, rest, rest_count = 0.0, 0, 0.0, 0
    for text, p in wanted.items():
        if p * draws < 5:
            rest, rest_count = rest + p * draws, rest_count + counts[text]
        else:
            distance += (counts[text] - p * draws) ** 2 / (p * draws)
            bins += 1
    if rest >= 5:
        distance += (rest_count - rest) ** 2 / rest
        bins += 1
    # Wilson and Hilferty's approximation of the quantile at 1 - 1e-6 (z = 4.75).
    free = bins - 1
    bound = free * (1 - 2 / (9 * free) + 4.75 * math.sqrt(2 / (9 * free))) ** 3
    print(f"temperature {temperature} top_p {top_p} top_k {top_k}: chi-square {distance:.1f}, "
          f"{bins} bins, bound {bound:.1f}")
    that("distribution", distance < bound and bins > 3)
print(f"{len(failures)} failed")
sys.exit(bool(failures))
