"""This trains an adapter for ten steps on a base in 4 bits, as cuset-train --quantize nf4 does, and with peft on
bitsandbytes.

Both start from the same adapter and take the same samples in the same order; the loss of each step is within 1e-3 of
the other's, and the adapters at the end are within 2e-3, relative to what training has moved them (float sums in
another order; measured: 1.4e-4 and 3e-4). The base is quantised by either, or was stored by transformers in 4 bits, with double
quantisation and without.
"""
import pathlib
import sys
import tempfile

import torch

try:
    import bitsandbytes
except ImportError:
    print("skipped: bitsandbytes is absent")
    raise SystemExit(77) from None
from peft import PeftModel
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

from _checks import check, driver, finish
from _random_models import MODELS, make_model
from _training import distance, make_adapter, many_steps, samples, step_loss

DRIVER = driver("training_dump")
STEPS = 10
torch.set_num_threads(2)


def in_4_bits(folder, nested, dtype):
    how = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=nested,
                             bnb_4bit_compute_dtype=torch.float32)
    return AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, quantization_config=how)


def theirs(base, adapter, data, batch, **settings):
    """Steps of AdamW with a constant learning rate: losses, and the adapter."""
    model = PeftModel.from_pretrained(base, adapter, is_trainable=True)
    # In evaluation, bitsandbytes computes in bfloat16 on some processors; and peft's dropout is left out.
    model.train()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    layers = [m for m in model.modules() if isinstance(m, bitsandbytes.nn.Linear4bit)]
    check("layers are in 4 bits", len(layers) == 7 * len(model.base_model.model.model.layers), len(layers))
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-2, betas=(0.9, 0.999), eps=1e-8, weight_decay=0)
    losses, epoch = [], [data[i:i + batch] for i in range(0, len(data), batch)]
    for step in range(STEPS):
        optimizer.zero_grad()
        loss, _ = step_loss(model, epoch[step % len(epoch)], **settings)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses, {n.replace(".default", ""): p.detach() for n, p in model.named_parameters() if p.requires_grad}


def compare(name, base, adapter, expected, **options):
    losses, reference = expected
    with tempfile.TemporaryDirectory() as room:
        log, trained = many_steps(DRIVER, str(base), pathlib.Path(room) / "out", DATA, adapter=str(adapter),
                                  steps=STEPS, lr=1e-2, schedule="constant", warmup=0, **options)
    off = max(abs(step["loss"] - loss) for step, loss in zip(log, losses, strict=True))
    check(f"{name}: losses of {STEPS} steps", off <= 1e-3, f"{off:.2g}; {losses[0]:.4f} to {losses[-1]:.4f}")
    start = load_file(adapter / "adapter_model.safetensors")
    apart = max((distance(trained[n] - start[n], reference[n] - start[n]), n) for n in reference)
    check(f"{name}: the adapter", apart[0] <= 2e-3, f"{apart[0]:.2g} {apart[1]}")
    return log


# Blocks that cross rows (no whole sixteens, of which bitsandbytes makes something else on AVX-512), and whole ones.
whole = dict(hidden_size=64, intermediate_size=128, num_attention_heads=4, num_key_value_heads=2)
for kind in "llama", "qwen2":
    config, model_class, overrides, *rest = MODELS[kind]
    MODELS[f"{kind}-whole"] = (config, model_class, overrides | whole, *rest)
DATA = samples(5, [(5, 31), (1, 1), (9, 17), (2, 60), (4, 22), (3, 40), (7, 8)])
with tempfile.TemporaryDirectory() as directory:
    top = pathlib.Path(directory)
    for kind, run in {"llama": dict(objective="sft", batch=2), "llama-whole": dict(objective="sft", batch=1),
                      "qwen2-whole": dict(window=16, batch=2)}.items():
        plain = make_model(kind, top)
        start_from = make_adapter(plain, top / f"{kind}-adapter")
        nested = theirs(in_4_bits(plain, True, torch.float32), start_from, DATA, **run)
        log = compare(f"{kind} --quantize nf4", plain, start_from, nested, quantize="nf4", **run)
        unquantised, _ = many_steps(DRIVER, str(plain), top / "out", DATA, adapter=str(start_from), steps=STEPS,
                                    lr=1e-2, schedule="constant", warmup=0, **run)
        moved = max(abs(a["loss"] - b["loss"]) for a, b in zip(log, unquantised))
        check(f"{kind}: the base in float has other losses", moved > 1e-2, f"{moved:.2g}")
        for double in False, True:
            stored = top / f"{kind}-stored-{double}"
            in_4_bits(plain, double, torch.float32).save_pretrained(stored)
            again = AutoModelForCausalLM.from_pretrained(stored, dtype=torch.float32)
            compare(f"{kind} stored {'nested' if double else 'plainly'}", stored, start_from,
                    theirs(again, start_from, DATA, **run), **run)
finish()
