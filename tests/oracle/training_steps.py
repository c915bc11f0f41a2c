"""This compares twenty steps with torch.optim.AdamW, transformers' schedules and clip_grad_norm_.

The same run in double: loss, learning rate and gradient norm of every step (5e-4 and 1e-3 relative:
DFT's are products of small numbers), and the adapter at the end within 1e-4 relative. The runs
include accumulation, several passes for one step, an incomplete last step of an epoch, weight
decay, and gradients that are clipped or not.
"""
import collections
import itertools
import json
import pathlib
import subprocess
import tempfile

import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, get_scheduler

from _checks import check, driver, finish
from _random_models import make_model
from _training import distance, lora_model, make_adapter, many_steps, samples, step_loss

DRIVER = driver("training_dump")
torch.set_num_threads(2)
ROOM = pathlib.Path(tempfile.mkdtemp())


def stubborn_of(data, visits):
    """For each sample, its tokens that stayed low in an epoch, if their id did so in two samples. A visit is (log p,
    tau) of a sample."""
    low = [[p <= tau and not cuda for p, cuda in zip(of.exp().tolist(), s["sensitive"], strict=True)]
           for s, (of, tau) in zip(data, visits, strict=True)]
    ids = collections.Counter(i for s, flags in zip(data, low, strict=True)
                              for i in {t for t, one in zip(s["tokens"][s["prompt"]:], flags, strict=True) if one})
    return [[one and ids[t] >= 2 for t, one in zip(s["tokens"][s["prompt"]:], flags, strict=True)]
            for s, flags in zip(data, low, strict=True)]


def theirs(model, data, steps=20, lr=1e-2, schedule="cosine", warmup=0.1, batch=1, accumulate=1,
           clip=1.0, weight_decay=0.0, pass_tokens=None, tau=0.1, tau_warmup=0, **settings):
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=lr, betas=(0.9, 0.999), eps=1e-8,
                                  weight_decay=weight_decay)
    rising = int(warmup) if warmup >= 1 else -int(-warmup * steps // 1)
    scheduler = get_scheduler(schedule if schedule != "constant" else "constant_with_warmup",
                              optimizer, num_warmup_steps=rising, num_training_steps=steps)
    log, size = [], batch * accumulate
    droppable = [[False] * len(s["sensitive"]) for s in data]
    seen, left_out, visits = [], 0, 0
    firsts = range(0, len(data), size)
    for step in range(steps):
        optimizer.zero_grad()
        first = firsts[step % len(firsts)]
        if first == 0 and step > 0:
            droppable, seen = stubborn_of(data, seen), []
        here = [s | {"droppable": d} for s, d in zip(data, droppable, strict=True)][first:first + size]
        tau_now = tau * min(1, step / tau_warmup) if tau_warmup else tau
        loss, details = step_loss(model, here, tau=tau_now, **settings)
        seen += [(log_p, tau_now) for log_p, _, _ in details]
        left_out += sum((k == 0).sum().item() for _, k, _ in details)
        visits += sum(len(k) for _, k, _ in details)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(trained, clip if clip > 0 else float("inf"))
        log.append({"step": step + 1, "loss": loss.item(), "norm": norm.item(),
                    "lr": optimizer.param_groups[0]["lr"]})
        optimizer.step()
        scheduler.step()
    # A run that never leaves out a token, or all of them, would not tell the masks apart.
    if settings.get("mask") == "stubborn":
        check("some tokens are stubborn", 20 < left_out < 0.8 * visits, f"{left_out} of {visits}")
    return log, {n.replace(".default", ""): p.detach() for n, p in model.named_parameters()
                 if p.requires_grad}


DATA = samples(5, [(5, 31), (1, 1), (9, 17), (2, 60), (4, 22), (3, 40), (7, 8)])
RUNS = {
    "cuset": dict(window=16),
    "sft linear": dict(objective="sft", schedule="linear", warmup=3, lr=3e-3),
    "cuset batches": dict(window=16, batch=2, accumulate=2, schedule="constant"),
    "dft in small passes": dict(objective="dft", batch=3, pass_tokens=30, clip=0.05),
    "eaft without a clip": dict(objective="eaft", clip=0.0, weight_decay=0.1),
    "asft": dict(objective="asft", batch=2, norm="sample"),
    "weights of mean 1": dict(window=16, batch=3, weights="mean1", weight_power=1.5),
    "soft mask, tau from 0": dict(window=16, batch=2, mask="soft", tau=0.3, tau_warmup=12, weights="mean1"),
    "tau from 0": dict(window=16, batch=2, tau=0.3, tau_warmup=15, reweight=False),
    "stubborn tokens": dict(window=16, batch=3, mask="stubborn", steps=24, lr=1e-3),
    "stubborn tokens, tau from 0": dict(window=16, batch=3, mask="stubborn", steps=24, lr=1e-3, tau_warmup=5,
                                        weights="mean1"),
}
for name, (what, run) in zip(itertools.cycle(["llama", "qwen2", "qwen3"]), RUNS.items()):
    base = make_model(name, ROOM)
    adapter = make_adapter(base, ROOM / f"{name}-adapter")
    start = load_file(adapter / "adapter_model.safetensors")
    log, trained = many_steps(DRIVER, str(base), ROOM / "out", DATA, adapter=str(adapter), **run)
    expected, reference = theirs(lora_model(base, adapter, torch.float64), DATA, **run)
    worst = {key: max(abs(a[key] - b[key]) / max(abs(b[key]), 1e-12) for a, b in
                      zip(log, expected, strict=True)) for key in ("loss", "norm", "lr")}
    check(f"{what}: steps", worst["loss"] <= 5e-4 and worst["norm"] <= 1e-3 and worst["lr"] <= 1e-6,
          str(worst))
    check(f"{what}: names", trained.keys() == reference.keys())
    apart = max((distance(trained[n], reference[n]), n) for n in reference)
    check(f"{what}: adapter", apart[0] <= 1e-4, f"{apart[0]:.2g} {apart[1]}")
    moved = min(distance(trained[n], start[n]) for n in reference)
    check(f"{what}: it was trained", moved > 1e-2, f"{moved:.2g}")

# Full weights: the folder is a model that transformers loads, in the types in which it was stored,
# and the weights equal those of the same run there.
for name in ("qwen2-tied-bf16", "llama-biases-f16"):
    base = make_model(name, ROOM)
    (base / "generation_config.json").write_text("{}")
    many_steps(DRIVER, str(base), ROOM / "out", DATA, full=True, objective="sft", lr=1e-2, steps=5, warmup=0)
    reference = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float64).eval()
    theirs(reference, DATA, objective="sft", lr=1e-2, steps=5, warmup=0)
    written = AutoModelForCausalLM.from_pretrained(ROOM / "out")
    stored = AutoModelForCausalLM.from_pretrained(base)
    check(f"{name} full: types", written.dtype == stored.dtype, str(written.dtype))
    apart = max((distance(p, dict(reference.named_parameters())[n]), n)
                for n, p in written.named_parameters())
    rounding = {torch.bfloat16: 2 ** -8, torch.float16: 2 ** -11}[stored.dtype]
    check(f"{name} full: weights", apart[0] <= rounding, f"{apart[0]:.2g} {apart[1]}")
    moved = max(distance(p, dict(stored.named_parameters())[n])
                for n, p in written.named_parameters())
    check(f"{name} full: it was trained", moved > 4 * rounding, f"{moved:.2g}")

# A learning rate that diverges: the samples of the step are named, and nothing is written.
run = subprocess.run([DRIVER, make_model("llama", ROOM), ROOM / "nothing"], text=True,
                     capture_output=True, input=json.dumps(
                         {"options": {"lr": 1e30, "warmup": 0, "objective": "sft"}, "samples": DATA}))
check("divergence is told", run.returncode == 1 and "is not finite; its samples: " in run.stderr and
      run.stderr.count("\n") == 1, run.stderr)

finish()
