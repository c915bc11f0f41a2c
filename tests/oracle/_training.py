"""This computes one training step by the formulas of ARCHITECTURE.md (Method) on whole logits, with
transformers + peft, in any precision. The training oracles share it."""
import json
import math
import shutil
import subprocess
import sys

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

from _random_models import TINY

ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def make_adapter(base, folder):
    torch.manual_seed(11)
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32),
                           LoraConfig(r=4, lora_alpha=16, lora_dropout=0.05, target_modules=ALL))
    with torch.no_grad():  # B starts at 0, which leaves A without gradient
        for key, parameter in model.named_parameters():
            if "lora_B" in key:
                parameter.normal_(0, 0.1)
    model.save_pretrained(folder)
    return folder


def samples(seed, lengths):
    """Lengths of prompt and response; confidences near 0 and 1 both occur with these models."""
    generator = torch.Generator().manual_seed(seed)
    out = []
    for prompt, response in lengths:
        tokens = torch.randint(0, TINY["vocab_size"], (prompt + response,), generator=generator)
        sensitive = torch.randint(0, 2, (response,), generator=generator)
        out.append({"tokens": tokens.tolist(), "prompt": prompt, "key": 0,
                    "sensitive": sensitive.tolist()})
    return out


def many_steps(steps_driver, base, out, data, **options):
    """Steps of training_dump into the folder `out`: its log, and the tensors that it has trained."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    run = subprocess.run([steps_driver, base, out], text=True, capture_output=True,
                         input=json.dumps({"options": options, "samples": data}))
    if run.returncode != 0:
        sys.exit(f"training_dump {options}: {run.returncode} {run.stderr}")
    return [json.loads(line) for line in run.stdout.splitlines()], load_file(
        out / f"{'' if options.get('full') else 'adapter_'}model.safetensors")


def window_minimum(c, size):
    """The window formula of ARCHITECTURE.md, counted from 1."""
    count = len(c)
    if count < size:
        return sum(c) / count
    means = []
    for t in range(1, count + 1):
        first, last = max(1, t - size // 2), min(count, t + math.ceil(size / 2) - 1)
        means.append(sum(c[first - 1:last]) / (last - first + 1))
    return min(means)


def step_loss(model, batch, objective="cuset", norm="tokens", tau=0.1, window=256, alpha=1.0,
              beta=0.1, confidence_mask=True, cuda_mask=True, reweight=True, mask="hard", weights="plain",
              weight_power=1, **options):
    """The loss of a step, differentiable, and (log p, coefficients, weight) of each sample;
    options["lambda"] is λ. With mask="stubborn" a sample's "droppable" has the tokens that the mask may leave out."""
    lam = options.get("lambda", 1.0)
    total, details = 0, []
    tokens_in_step = sum(len(s["sensitive"]) for s in batch)
    for s in batch:
        ids = torch.tensor([s["tokens"]])
        target = ids[0, s["prompt"]:]
        logits = model(ids).logits[0, s["prompt"] - 1:-1]
        log_all = logits.log_softmax(-1)
        log_p = log_all.gather(1, target[:, None])[:, 0]
        p = log_p.detach().exp()
        weight, divergence = 1.0, 0
        if objective == "cuset":
            k = (p > tau).to(p) if confidence_mask else torch.ones_like(p)
            if mask == "soft":
                k = p / (p + tau)
            if mask == "stubborn":
                k = torch.where(torch.tensor(s.get("droppable", [1] * len(p))) != 0, k, 1.0)
            if cuda_mask:
                k = k + lam * torch.tensor(s["sensitive"]).double()
            if reweight:
                counted = [c for c, out in zip(p.tolist(), s.get("left_out", [0] * len(p)), strict=True) if not out]
                weight = (1 - window_minimum(counted, window)) ** weight_power
            k = weight * k
        elif objective == "sft":
            k = torch.ones_like(p)
        elif objective in ("dft", "asft"):
            k = p
        elif objective == "eaft":
            top = logits.detach().topk(20).values.softmax(-1)
            k = (-(top * top.log()).sum(-1) / 3) ** alpha
        elif objective == "profit":
            k = (p >= tau).to(p)
        loss = (k * -log_p).sum()
        if objective == "asft":
            with torch.no_grad(), model.disable_adapter():
                base = model(ids).logits[0, s["prompt"] - 1:-1].log_softmax(-1)
            divergence = (base.exp() * (base - log_all)).sum()
            loss = loss + beta * divergence
        loss, k = s.get("weight", 1) * loss, s.get("weight", 1) * k
        share = {"tokens": tokens_in_step, "sum": len(batch),
                 "sample": len(batch) * len(target)}[norm]
        total = total + loss / share
        details.append((log_p.detach(), k, weight))
    if weights == "mean1":
        total = total / (sum(weight for _, _, weight in details) / len(batch))
    return total, details


def lora_model(base, adapter, dtype):
    """The peft model with only its adapter trainable and dropout off."""
    model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base, dtype=dtype),
                                      adapter, is_trainable=True).to(dtype).eval()
    for key, parameter in model.named_parameters():
        parameter.requires_grad_("lora_" in key)
    return model


def distance(a, b):
    return ((a.double() - b.double()).norm() / b.double().norm().clamp_min(1e-30)).item()
