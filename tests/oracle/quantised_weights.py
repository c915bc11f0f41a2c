"""This compares quantised weights with bitsandbytes on the CPU, and a quantised model with transformers
on the weights that bitsandbytes dequantises.

Codes and absmax are the same. bitsandbytes takes the mean of absmax in float, in an order that depends
on the processor, so that the offset may differ in its last bits, and an absmax between two codes gets
the one or the other. Everything after the offset is therefore compared for our offset: codes of blocks
exactly, dequantised elements to some float roundings, or to one rounding to bfloat16.
"""
import os
import pathlib
import subprocess
import tempfile

import numpy
import torch

try:
    import bitsandbytes.functional as peer
except ImportError:
    print("skipped: bitsandbytes is absent")
    raise SystemExit(77) from None
from transformers import AutoModelForCausalLM

from _checks import check, driver, finish
from _logprobs import ours, theirs, worst
from _random_models import make_model

DRIVER = driver("quantise_dump")
SEED = int(os.environ.get("CUSET_SEED") or int.from_bytes(os.urandom(4), "little"))
torch.set_num_threads(2)


class reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, kind, count):
        found = numpy.frombuffer(self.data, kind, count, self.at)
        self.at += found.nbytes
        return torch.from_numpy(found.copy())


def dump(kind, x):
    run = subprocess.run([DRIVER, kind, *map(str, x.shape)], input=x.float().numpy().tobytes(),
                         capture_output=True, check=True)
    return reader(run.stdout)


def check_close(name, found, wanted, limit):
    """`limit` is relative to each element. An absmax is a difference of larger numbers, so that small
    ones are less exact."""
    off = ((found - wanted).abs() - limit * wanted.abs() - 5e-7 * wanted.abs().max()).max().item()
    check(name, off <= 0, f"({off:.3g} over)")


def check_dequantised(name, dumped, wanted):
    """`wanted`: what bitsandbytes gives in float and in bfloat16."""
    exact, half = (dumped.take("<f4", wanted[0].numel()).view(wanted[0].shape) for _ in range(2))
    # The products round in another order than ours.
    check_close(f"{name}: dequantised", exact, wanted[0], 2e-6)
    check_close(f"{name}: dequantised bf16", half, wanted[1].float(), 2.0 ** -7)
    same = (half == wanted[1].float()).float().mean().item()
    check(f"{name}: bf16 mostly the same", same > 0.99, f"({same:.5f})")


def double_quantised(x, offset):
    """The codes and state of bitsandbytes for `x`, whose absmax is quantised after `offset` is taken away."""
    packed, plain = peer.quantize_4bit(x, blocksize=64, quant_type="nf4")
    _, nested = peer.quantize_4bit(x, blocksize=64, quant_type="nf4", compress_statistics=True)
    nested.absmax, nested.state2 = peer.quantize_blockwise(plain.absmax - offset, blocksize=256)
    nested.offset = offset
    return packed, nested


def check_nf4(name, x):
    dumped = dump("nf4", x)
    packed, plain = peer.quantize_4bit(x, blocksize=64, quant_type="nf4")
    blocks = plain.absmax.numel()
    codes = torch.stack([packed.flatten() >> 4, packed.flatten() & 15], 1).flatten()[:x.numel()]
    check(f"{name}: codes", torch.equal(dumped.take("u1", x.numel()), codes))
    check(f"{name}: absmax", torch.equal(dumped.take("<f4", blocks), plain.absmax))
    offset = dumped.take("<f4", 1)
    _, reference = peer.quantize_4bit(x, blocksize=64, quant_type="nf4", compress_statistics=True)
    check_close(f"{name}: offset", offset, reference.offset, 1e-6)
    packed, nested = double_quantised(x, offset.squeeze())
    groups = nested.state2.absmax
    check(f"{name}: codes of absmax", torch.equal(dumped.take("u1", blocks), nested.absmax))
    check(f"{name}: absmax of groups", torch.equal(dumped.take("<f4", groups.numel()), groups))
    wanted = []
    for dtype in torch.float32, torch.bfloat16:
        nested.dtype = dtype
        wanted.append(peer.dequantize_4bit(packed, nested).view(x.shape))
    check_dequantised(name, dumped, wanted)


def check_int8(name, x):
    dumped = dump("int8", x)
    codes, absmax, _ = peer.int8_vectorwise_quant(x.clone())
    check(f"{name}: codes", torch.equal(dumped.take("i1", x.numel()).view(x.shape), codes))
    check(f"{name}: absmax", torch.equal(dumped.take("<f4", len(x)), absmax.flatten()))
    values = peer.int8_vectorwise_dequant(codes, absmax)
    check_dequantised(name, dumped, (values, values.bfloat16()))


def check_matrices():
    random = torch.Generator().manual_seed(SEED)
    for rows, columns in (64, 64), (192, 576), (300, 1536), (7, 9), (1, 1), (33, 100), (5, 63), (70, 54):
        x = torch.randn(rows, columns, generator=random) * torch.randn(rows, 1, generator=random).exp()
        for kind, values in {"f32": x, "bf16": x.bfloat16(), "f16": x.half()}.items():
            check_nf4(f"nf4 {rows} x {columns} {kind}", values)
            check_int8(f"int8 {rows} x {columns} {kind}", values.float())
    x = torch.randn(256, 512, generator=random)
    x[:, 5] *= 1000
    x[3:40] *= 1e-30
    x[100:130] = 0
    x[131, :64] = 0
    check_nf4("nf4 with outliers and zeros", x)
    x[100:130, 0] = 1  # bitsandbytes has no code for a row of zeros: 0 / 0
    check_int8("int8 with outliers", x)


def quantised_by_peer(model, kind):
    """Our weights are quantised as they are stored, which these are too, in float."""
    for name, module in model.model.layers.named_modules():
        if not isinstance(module, torch.nn.Linear):
            continue
        weight = module.weight.data
        if kind == "nf4":
            _, plain = peer.quantize_4bit(weight, blocksize=64, quant_type="nf4")
            offset = plain.absmax.double().mean().float()
            module.weight.data = peer.dequantize_4bit(*double_quantised(weight, offset)).view(weight.shape)
        else:
            codes, absmax, _ = peer.int8_vectorwise_quant(weight.clone())
            module.weight.data = peer.int8_vectorwise_dequant(codes, absmax)
        check(f"{name} moved", not torch.equal(weight, module.weight.data)) if name == "0.mlp.up_proj" else None
    return model


def check_model(name, folder, requests, limit):
    for kind in "nf4", "int8":
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        expected = theirs(quantised_by_peer(model, kind), requests)
        for path in "automatic", "operators":
            mine, _ = ours(folder, requests, "--dtype", "f32", "--path", path, "--quantize", kind)
            off = worst(mine, expected)
            check(f"{name} {kind} {path}", off <= limit, f"{off:.3g} (limit {limit})")


def check_smollm2():
    folder = pathlib.Path(os.environ["CUSET_DEPS"]) / "models" / "SmolLM2-135M-Instruct"
    if not (folder / "model.safetensors").exists():
        print(f"     SmolLM2 left out: {folder} is absent")
        return
    from tokenizers import Tokenizer
    text = (pathlib.Path(os.environ["CUSET_SOURCE"]) / "lib/model/fused_forward.cpp").read_text()
    ids = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text).ids
    check_model("SmolLM2", folder, [(ids[:300], 50), (ids[300:340], 1)], 3e-4)


print(f"seed {SEED}")
check_matrices()
with tempfile.TemporaryDirectory() as room:
    random = torch.Generator().manual_seed(SEED)
    for name in "llama", "qwen2":
        ids = torch.randint(0, 131, (200,), generator=random).tolist()
        check_model(name, make_model(name, pathlib.Path(room)), [(ids, 3), (ids[:17], 16)], 3e-4)
check_smollm2()
finish()
