"""This has transformers and bitsandbytes store models in 4 bits, and compares what cuset makes of them.

The codes are taken as they are: what cuset-merge writes of such a folder equals what bitsandbytes
dequantises, bit for bit, in float32, float16 and bfloat16. Log-probabilities are within 3e-4 of
transformers' in float, since sums have another order: with weights in float, and of bfloat16 ones
also with weights rounded to it. With an adapter the merged weights are one rounding from peft's
update of them.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import torch
import transformers

try:
    import bitsandbytes
except ImportError:
    print("skipped: bitsandbytes is absent")
    raise SystemExit(77) from None
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import _tiny_model as tiny
from _checks import check, finish
from _logprobs import ours, refused, theirs, worst

torch.set_num_threads(2)
transformers.utils.logging.disable_progress_bar()
MERGE = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-merge"
if not MERGE.exists():
    print(f"skipped: {MERGE} is absent")
    sys.exit(77)


def store(base, folder, dtype, **settings):
    """`base` in 4 bits, of weights in `dtype`; of float16 in shards."""
    how = BitsAndBytesConfig(load_in_4bit=True, **({"bnb_4bit_quant_type": "nf4"} | settings))
    model = AutoModelForCausalLM.from_pretrained(base, dtype=dtype, quantization_config=how)
    model.save_pretrained(folder, max_shard_size="30KB" if dtype == torch.float16 else "5GB")
    check("shards", (folder / "model.safetensors").exists() == (dtype != torch.float16))
    for name in "tokenizer.json", "tokenizer_config.json":
        shutil.copy(base / name, folder)
    return folder


def loaded(folder, wide=False):
    """Layers in 4 bits become plain ones in the type that they had, or `wide` in float."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype="auto")
    for name, module in list(model.named_modules()):
        if isinstance(module, bitsandbytes.nn.Linear4bit):
            plain = torch.nn.Linear(module.in_features, module.out_features, module.bias is not None)
            if wide:
                module.weight.quant_state.dtype = torch.float32
            plain.weight.data = bitsandbytes.functional.dequantize_4bit(module.weight.data, module.weight.quant_state)
            if module.bias is not None:
                plain.bias.data = module.bias.data
            model.set_submodule(name, plain)
    return model.eval()


def merged(base, folder, *words):
    done = subprocess.run([MERGE, "--model", base, "-o", folder, *map(str, words)], text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"cuset-merge {words} ends with {done.returncode}: {done.stderr}")
    return load_file(folder / "model.safetensors")


def check_folder(name, folder, requests):
    model = loaded(folder)
    exact = {key: value for key, value in model.state_dict().items() if key != "lm_head.weight"}
    found = merged(folder, folder.with_name(folder.name + "-whole"))
    check(f"{name}: names", found.keys() == exact.keys(), found.keys() ^ exact.keys())
    check(f"{name}: types", {v.dtype for v in found.values()} == {v.dtype for v in exact.values()})
    off = [key for key in exact if not torch.equal(found[key], exact[key])]
    check(f"{name}: what it is dequantised to, bit for bit", not off, off[:3])
    config = json.loads((folder / "config.json").read_text())
    del config["quantization_config"]
    written = json.loads((folder.with_name(folder.name + "-whole") / "config.json").read_text())
    check(f"{name}: config without quantization_config", written == config)
    expected = theirs(torch.nn.Module.float(model), requests)
    again = AutoModelForCausalLM.from_pretrained(folder.with_name(folder.name + "-whole"), dtype=torch.float32)
    check(f"{name}: transformers loads what is merged", worst(theirs(again.eval(), requests), expected) <= 1e-5)
    exactly = theirs(torch.nn.Module.float(loaded(folder, wide=True)), requests)
    runs = [("f32", path, exactly) for path in ("float_products", "operators")]
    if found["model.embed_tokens.weight"].dtype == torch.bfloat16:
        runs.append(("auto", "float_products", expected))
    for kind, path, wanted in runs:
        for words in (), ("--quantize", "nf4"):
            mine, _ = ours(folder, requests, "--dtype", kind, "--path", path, *words)
            off = worst(mine, wanted)
            check(f"{name} {kind} {path} {' '.join(words)}", off <= 3e-4, f"{off:.3g}")
    code, told = refused(folder, "--quantize", "int8")
    check(f"{name}: another form is refused", code == 2 and "is stored in nf4" in told and "\n" not in told, told)


def check_adapter(name, folder, room):
    torch.manual_seed(5)
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(folder, dtype="auto"),
                           LoraConfig(r=4, lora_alpha=12, target_modules=["q_proj", "down_proj"]))
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            if "lora_B" in key:
                parameter.normal_(0, 0.1)
    model.save_pretrained(room / "adapter")
    exact = PeftModel.from_pretrained(torch.nn.Module.float(loaded(folder)), room / "adapter")
    exact = exact.merge_and_unload().state_dict()
    wide = merged(folder, room / "wide", "--adapter", room / "adapter", "--dtype=f32")
    # loaded() has rounded the base's weights to their type, which cuset-merge has not.
    kind = loaded(folder).model.layers[0].mlp.up_proj.weight.dtype
    limit = {torch.float32: 1e-6, torch.float16: 2.0 ** -11, torch.bfloat16: 2.0 ** -8}[kind]
    same = merged(folder, room / "same", "--adapter", room / "adapter")
    types = {k: v.dtype for k, v in loaded(folder).state_dict().items() if k != "lm_head.weight"}
    check(f"{name}: types with an adapter", {k: v.dtype for k, v in same.items()} == types)
    check(f"{name}: floats with an adapter", {k: v.dtype for k, v in wide.items()} == dict.fromkeys(types, torch.float32))
    for label, found, more in ("f32", wide, 0), ("auto", same, 1):
        off = max(((value - exact[key]).abs() / (exact[key].abs() + value.abs().max())).max().item()
                  for key, value in ((k, v.float()) for k, v in found.items()))
        check(f"{name}: merged {label}", off <= limit * (1 + more), f"{off:.3g}")
    moved = (wide["model.layers.0.mlp.down_proj.weight"] - loaded(folder).model.layers[0].mlp.down_proj.weight.float())
    check(f"{name}: the adapter is in it", moved.abs().max().item() > 0.05)


CASES = {
    "float32": (torch.float32, {}),
    "float32 nested": (torch.float32, {"bnb_4bit_use_double_quant": True}),
    "bfloat16": (torch.bfloat16, {}),
    "bfloat16 nested": (torch.bfloat16, {"bnb_4bit_use_double_quant": True}),
    "float16 nested": (torch.float16, {"bnb_4bit_use_double_quant": True}),
    "codes in bfloat16": (torch.bfloat16, {"bnb_4bit_quant_storage": torch.bfloat16,
                                           "bnb_4bit_use_double_quant": True}),
    "some layers": (torch.float32, {"bnb_4bit_use_double_quant": True,
                                    "llm_int8_skip_modules": ["lm_head", "model.layers.1.mlp", "v_proj"]}),
}
with tempfile.TemporaryDirectory() as directory:
    top = pathlib.Path(directory)
    random = torch.Generator().manual_seed(3)
    asked = [(torch.randint(0, len(tiny.vocabulary), (n,), generator=random).tolist(), p)
             for n, p in [(150, 20), (30, 1)]]
    # Blocks that cross rows, and rows of whole blocks with more than a group of them. bitsandbytes 0.50 with AVX-512
    # takes wrong scales for rows of whole sixteens that are no whole blocks.
    for kind, (hidden, inner) in {"crossing": (24, 36), "whole": (128, 192)}.items():
        tiny.hidden, tiny.inner = hidden, inner
        plain = tiny.write(top / kind)
        for case, (stored_type, options) in CASES.items():
            place = top / f"{kind}-{case.replace(' ', '-')}"
            place.mkdir()
            check_folder(f"{kind}, {case}", store(plain, place / "model", stored_type, **options), asked)
            if case != "some layers":
                check_adapter(f"{kind}, {case}", place / "model", place)
        fp4 = store(plain, top / f"{kind}-fp4", torch.float32, bnb_4bit_quant_type="fp4")
        exit_code, message = refused(fp4)
        check(f"{kind}: fp4 is refused", exit_code == 4 and '"fp4"' in message and "\n" not in message, message)
finish()
