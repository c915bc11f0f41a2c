"""This compares every objective and switch with an independent version: transformers + peft in
double, with the formulas of ARCHITECTURE.md (Method) computed on whole logits.

For each model, objective and norm it compares log p, coefficients and weight of every token, the
loss, and the gradient of every LoRA matrix (in --full, of every weight). They must agree within
1e-5 relative or, if float itself is less exact (sums that cancel), within twice the error of the
same oracle in float. Then come settings that must not change the result: micro-batches, packing,
recomputing activations.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

from _checks import check, driver, finish
from _random_models import make_model
from _training import distance, lora_model, make_adapter, samples, step_loss

DRIVER = driver("loss_dump")
torch.set_num_threads(2)
ROOM = pathlib.Path(tempfile.mkdtemp())


drivers = {}  # of each model, a process that answers step after step: LibTorch takes long to start


def ours(base, micro_batches, **options):
    out = ROOM / "gradients.safetensors"
    if base not in drivers:
        drivers[base] = subprocess.Popen([DRIVER, base, out], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process = drivers[base]
    process.stdin.write(json.dumps({"options": options, "micro_batches": micro_batches}) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line.endswith("}\n"):
        sys.exit(f"loss_dump {base} {options}: {process.wait()}")
    gradients = {name: value.clone() for name, value in load_file(out).items()}
    return json.loads(line), gradients


def theirs(model, batch, **settings):
    """Loss, details and gradients of one step."""
    model.zero_grad()
    total, details = step_loss(model, batch, **settings)
    total.backward()
    gradients = {name.replace(".default", ""): parameter.grad.clone()
                 for name, parameter in model.named_parameters() if parameter.grad is not None}
    return total.item(), details, gradients


def compare(what, mine, gradients, model, settings, tolerance=1e-5, batch=None):
    batch = batch or BATCH
    loss, details, reference = theirs(model, batch, **settings)
    check(f"{what}: loss", abs(mine["loss"] - loss) <= tolerance * abs(loss),
          f"{mine['loss']:.9g} {loss:.9g}")
    worst_p = worst_k = worst_w = 0
    for sample, (log_p, k, weight) in zip(mine["samples"], details, strict=True):
        worst_p = max(worst_p, (torch.tensor(sample["log_p"]).double() - log_p).abs().max().item())
        worst_k = max(worst_k, (torch.tensor(sample["k"]).double() - k).abs().max().item())
        worst_w = max(worst_w, abs(sample["weight"] - weight))
    check(f"{what}: tokens", worst_p <= 5e-5 and worst_k <= 1e-5 and worst_w <= 1e-6,
          f"log p {worst_p:.2g} k {worst_k:.2g} w {worst_w:.2g}")
    check(f"{what}: names", gradients.keys() == reference.keys(),
          str(list(gradients.keys() ^ reference.keys())[:4]))
    worst = max((distance(gradients[n], reference[n]), n) for n in reference if n in gradients)
    detail = f"{worst[0]:.2g} {worst[1]}"
    if worst[0] > tolerance:
        _, _, rounded = theirs(model.float(), batch, **settings)
        model.double()
        noise = max(distance(rounded[n], reference[n]) for n in reference)
        tolerance = max(tolerance, 2 * noise)
        detail += f", float's own error {noise:.2g}"
    check(f"{what}: gradients", worst[0] <= tolerance, detail)


BATCH = samples(3, [(5, 61), (1, 1), (20, 7), (2, 90)])
COMMENTED = [s | {"left_out": [int(t % 20 < 12) for t in range(len(s["sensitive"]))]}
             if len(s["sensitive"]) > 10 else s for s in BATCH]  # two samples without
SPARED = [s | {"droppable": [int(t % 3 == 0) for t in range(len(s["sensitive"]))]} if i % 2 else s
          for i, s in enumerate(BATCH)]  # two samples without
WEIGHTED = [s | {"weight": w} for s, w in zip(BATCH, (0.25, 3.0, 1.0, 0.0), strict=True)]
SETTINGS = {
    "cuset": dict(window=16),
    "cuset lambda 2.5 tau 0.3": dict(window=17, tau=0.3) | {"lambda": 2.5},
    "cuset without confidence mask": dict(window=16, confidence_mask=False),
    "cuset without cuda mask": dict(window=16, cuda_mask=False),
    "cuset without reweighting": dict(reweight=False),
    "cuset soft mask": dict(window=16, mask="soft", tau=0.2),
    "cuset weights squared": dict(window=16, weight_power=2.0),
    "cuset root of weights": dict(window=16, weight_power=0.5, norm="sample"),
    "cuset sum": dict(window=16, norm="sum"),
    "cuset sample": dict(window=16, norm="sample"),
    "sft": dict(objective="sft"),
    "sft sample": dict(objective="sft", norm="sample"),
    "dft": dict(objective="dft"),
    "eaft": dict(objective="eaft", alpha=1.7),
    "asft": dict(objective="asft", beta=0.25),
    "profit": dict(objective="profit", tau=0.05),
}


def lora(name):
    base = make_model(name, ROOM)
    adapter = make_adapter(base, ROOM / f"{name}-adapter")
    model = lora_model(base, adapter, torch.float64)
    for what, settings in SETTINGS.items():
        mine, gradients = ours(str(base), [BATCH], adapter=str(adapter), **settings)
        compare(f"{name} {what}", mine, gradients, model, settings)
    mine, gradients = ours(str(base), [COMMENTED], adapter=str(adapter), window=16)
    compare(f"{name} cuset, tokens out of windows", mine, gradients, model, dict(window=16), batch=COMMENTED)
    spared = dict(window=16, tau=0.3, mask="stubborn")
    mine, gradients = ours(str(base), [SPARED], adapter=str(adapter), **spared)
    compare(f"{name} cuset, tokens that the mask spares", mine, gradients, model, spared, batch=SPARED)
    for what in ("cuset", "cuset sample", "dft", "eaft", "asft"):
        mine, gradients = ours(str(base), [WEIGHTED], adapter=str(adapter), **SETTINGS[what])
        compare(f"{name} {what}, weighted", mine, gradients, model, SETTINGS[what], batch=WEIGHTED)
    return base, adapter


for name in ("llama", "qwen2", "qwen3"):
    base, adapter = lora(name)

# These must not change the result.
one, expected = ours(str(base), [BATCH], adapter=str(adapter), window=16)
for what, batches, options in [
        ("one sample a micro-batch", [[s] for s in BATCH], {}),
        ("two micro-batches", [BATCH[:2], BATCH[2:]], {}),
        ("recomputed", [BATCH], {"recompute": True}),
        ("recomputed one by one", [[s] for s in BATCH], {"recompute": True})]:
    other, gradients = ours(str(base), batches, adapter=str(adapter), window=16, **options)
    worst = max(distance(gradients[n], expected[n]) for n in expected)
    check(f"{what} changes nothing", worst <= 1e-5 and
          abs(other["loss"] - one["loss"]) <= 1e-6 * abs(one["loss"]), f"{worst:.2g}")

# Dropout changes the result if it is on; its masks belong to the samples.
keyed = [s | {"key": 1000 + i} for i, s in enumerate(BATCH)]
dropped, first = ours(str(base), [keyed], adapter=str(adapter), window=16, dropout=0.2)
moved = max(distance(first[n], expected[n]) for n in expected)
check("dropout moves the result", moved > 1e-2, f"{moved:.2g}")
for what, batches, options in [("order", [list(reversed(keyed))], {}),
                               ("micro-batches", [[s] for s in keyed], {}),
                               ("recomputing", [keyed], {"recompute": True})]:
    _, again = ours(str(base), batches, adapter=str(adapter), window=16, dropout=0.2, **options)
    worst = max(distance(again[n], first[n]) for n in first)
    check(f"dropout does not depend on {what}", worst <= 1e-5, f"{worst:.2g}")

# SFT bit for bit: τ = 0⁻, λ = 0, no reweighting.
_, sft = ours(str(base), [BATCH], adapter=str(adapter), objective="sft")
_, same = ours(str(base), [BATCH], adapter=str(adapter), tau=-1.0, reweight=False, **{"lambda": 0.0})
check("cuset with nothing on is sft", all(torch.equal(sft[n], same[n]) for n in sft))
_, profit = ours(str(base), [BATCH], adapter=str(adapter), objective="profit", tau=0.1)
_, mask = ours(str(base), [BATCH], adapter=str(adapter), cuda_mask=False, reweight=False, tau=0.1)
check("the confidence mask alone is profit", all(torch.equal(profit[n], mask[n]) for n in profit))

# Full fine-tuning, with a separate head and a tied one.
for name in ("llama", "qwen2-tied-bf16", "qwen3"):
    base = make_model(name, ROOM)
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float64).eval()
    for what in ("cuset", "sft", "dft", "eaft"):
        settings = SETTINGS[what]
        mine, gradients = ours(str(base), [BATCH], full=True, **settings)
        compare(f"{name} full {what}", mine, gradients, model, settings)
    mine, gradients = ours(str(base), [WEIGHTED], full=True, **SETTINGS["cuset"])
    compare(f"{name} full cuset, weighted", mine, gradients, model, SETTINGS["cuset"], batch=WEIGHTED)

finish()
