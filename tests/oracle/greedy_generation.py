"""This compares greedy continuations by the cached decoder with transformers'
generate(do_sample=False).

f32, several prompts of different lengths in one batch: equal token for token, unless the two
largest logits are within 1e-4 of one another. After such a place the texts may differ, and the rest
is compared as a continuation of its own, from transformers' text. The models are SmolLM2 (200
tokens of one prompt, 50 of others; 200 of all with CUSET_LONG=1) and a random model of each family
(60), ours in both passes, and copies of one prompt.
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


def theirs(model, prompt, new_tokens):
    """One prompt at a time, so that the comparison includes no padding."""
    ids = torch.tensor([prompt])
    with torch.inference_mode():
        out = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False,
                             max_new_tokens=new_tokens, min_new_tokens=new_tokens,
                             eos_token_id=None, pad_token_id=0)
    return out[0, len(prompt):].tolist()


def compare(what, folder, prompts, expected, *options):
    """`expected` continues each of `prompts`."""
    ties = 0
    starts = [0] * len(prompts)
    while True:
        pending = [i for i in range(len(prompts)) if starts[i] < len(expected[i])]
        if not pending:
            break
        most = max(len(expected[i]) - starts[i] for i in pending)
        replies = ours(folder, [prompts[i] + expected[i][:starts[i]] for i in pending], most,
                       "--dtype", "f32", *options)
        for i, reply in zip(pending, replies):
            wanted = expected[i][starts[i]:]
            tokens = reply["tokens"][:len(wanted)]
            at = next((k for k in range(len(wanted)) if tokens[k] != wanted[k]), None)
            if at is None:
                starts[i] = len(expected[i])
                continue
            place = f"{what}, prompt {i}, token {starts[i] + at}: {tokens[at]}, not {wanted[at]}"
            if reply["gaps"][at] >= NEAR_TIE:
                check(place, False, f"its logit leads by {reply['gaps'][at]:.3g}")
                starts[i] = len(expected[i])
                continue
            print(f"     {place}: a near-tie, {reply['gaps'][at]:.3g} between them")
            ties += 1
            starts[i] += at + 1
    total = sum(len(e) for e in expected)
    if not any(f.startswith(what) for f in failures):
        print(f"ok   {what}: {total} tokens, {ties} near-ties", flush=True)


def check_random(name, parent):
    folder = make_model(name, parent)
    generator = torch.Generator().manual_seed(5)
    prompts = [torch.randint(0, TINY["vocab_size"], (n,), generator=generator).tolist()
               for n in (1, 7, 40, 150)]
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    expected = [theirs(model, p, 60) for p in prompts]
    for path in ("automatic", "operators"):
        compare(f"{name} {path}", folder, prompts, expected, "--path", path)


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
    # transformers needs a tenth of a second for a token, so one answer is long and the others
    # short.
    long = bool(os.environ.get("CUSET_LONG"))
    expected = [theirs(model, p, 200 if i == 0 or long else 50) for i, p in enumerate(prompts)]
    compare("SmolLM2 automatic", folder, prompts, expected)
    compare("SmolLM2 operators", folder, prompts[:2], [e[:25] for e in expected[:2]], "--path",
            "operators")
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
