"""This compares greedy continuations by the cached decoder with transformers: after the same tokens
each token must have the largest logit there, which is what generate(do_sample=False) takes.
sample_distribution.py calls generate itself, which needs a tenth of a second for a token.

f32, several prompts of different lengths in one batch: equal token for token, unless the two
largest logits are within 1e-4 of one another. The models are SmolLM2 (200 tokens of one prompt, 50
of others; 200 of all with CUSET_LONG=1) and a random model of each family (60), ours in both
passes, and copies of one prompt.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import torch
from transformers import AutoModelForCausalLM

from _checks import check, driver, failures, finish
from _random_models import TINY, make_model

DRIVER = driver("decode_dump")
NEAR_TIE = 1e-4
torch.set_num_threads(2)


def ours(model, prompts, new_tokens, *options):
    run = subprocess.run([DRIVER, str(model), "--new", str(new_tokens), "--gaps", *options],
                         input="".join(json.dumps({"tokens": p}) + "\n" for p in prompts),
                         text=True, capture_output=True)
    if run.returncode != 0:
        sys.exit(f"decode_dump {model} {options} ends with {run.returncode}: {run.stderr}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def theirs(model, prompt, tokens):
    """The token that is most likely in the place of each of `tokens`; one prompt at a time, so that
    the comparison includes no padding."""
    with torch.inference_mode():
        logits = model(torch.tensor([prompt + tokens]), use_cache=False).logits[0]
    return logits[len(prompt) - 1:-1].argmax(-1).tolist()


def compare(what, folder, model, prompts, counts, *options):
    """`counts`: how many tokens are compared of each prompt's continuation."""
    ties = 0
    replies = ours(folder, prompts, max(counts), "--dtype", "f32", *options)
    for i, (prompt, count, reply) in enumerate(zip(prompts, counts, replies, strict=True)):
        tokens = reply["tokens"][:count]
        assert len(tokens) == count, reply
        for at, wanted in enumerate(theirs(model, prompt, tokens)):
            if tokens[at] == wanted:
                continue
            place = f"{what}, prompt {i}, token {at}: {tokens[at]}, not {wanted}"
            if reply["gaps"][at] >= NEAR_TIE:
                check(place, False, f"its logit leads by {reply['gaps'][at]:.3g}")
                continue
            print(f"     {place}: a near-tie, {reply['gaps'][at]:.3g} between them")
            ties += 1
    if not any(f.startswith(what) for f in failures):
        print(f"ok   {what}: {sum(counts)} tokens, {ties} near-ties", flush=True)


def check_random(name, parent):
    folder = make_model(name, parent)
    generator = torch.Generator().manual_seed(5)
    prompts = [torch.randint(0, TINY["vocab_size"], (n,), generator=generator).tolist()
               for n in (1, 7, 40, 150)]
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    for path in ("automatic", "operators"):
        compare(f"{name} {path}", folder, model, prompts, [60] * len(prompts), "--path", path)


def check_smollm2():
    folder = pathlib.Path(os.environ["CUSET_DEPS"]) / "models" / "SmolLM2-135M-Instruct"
    if not (folder / "model.safetensors").exists():
        print(f"     SmolLM2 left out: {folder} is absent")
        return
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    source = (pathlib.Path(os.environ["CUSET_SOURCE"]) / "lib/model/row_decoder.cpp").read_text()
    texts = ["__global__ void add(const float* a, const float* b, float* c, int n) {\n",
             "<|im_start|>user\nWrite a CUDA kernel that adds two vectors.<|im_end|>\n"
             "<|im_start|>assistant\n",
             "The capital of France is",
             source[:1200]]
    prompts = [tokenizer.encode(text).ids for text in texts]
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    long = bool(os.environ.get("CUSET_LONG"))
    counts = [200 if i == 0 or long else 50 for i in range(len(prompts))]
    compare("SmolLM2 automatic", folder, model, prompts, counts)
    compare("SmolLM2 operators", folder, model, prompts[:2], [25, 25], "--path", "operators")
    copies = ours(folder, prompts[:2], 20, "--dtype", "f32", "--copies", "3")
    single = ours(folder, prompts[:2], 20, "--dtype", "f32")
    same = all(copies[i] == single[i // 3] for i in range(6))
    check("SmolLM2, three copies of a prompt: the same tokens and gaps", same)


chosen = sys.argv[1:] or ["llama-biases-f16", "llama-llama3-rope", "qwen2", "qwen3-wide-head-bf16",
                          "SmolLM2"]
with tempfile.TemporaryDirectory() as parent:
    for name in chosen:
        if name != "SmolLM2":
            check_random(name, parent)
if "SmolLM2" in chosen:
    check_smollm2()
finish()
