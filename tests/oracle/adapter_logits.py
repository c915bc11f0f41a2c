"""This compares log-probabilities with a LoRA adapter with peft's, and tests the adapters that must
be refused.

f32: within 1e-4 of peft. A bf16 base with a float adapter: the error compared with f32 is at most
1.2 times peft's own (root mean square). An adapter that does not change the result would prove
nothing, so each check also requires a change.
"""
import json
import pathlib
import shutil
import tempfile

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

from _checks import check, finish
from _logprobs import ours, refused, root_mean_square, theirs, worst
from _random_models import TINY, make_model

torch.set_num_threads(2)
ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def make_adapter(base, folder, stored=torch.float32, **settings):
    torch.manual_seed(11)
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    config = LoraConfig(**(dict(r=5, lora_alpha=16, lora_dropout=0.05, target_modules=ALL) |
                           settings))
    model = get_peft_model(model, config)
    with torch.no_grad():  # B starts at 0, so the adapter would do nothing
        for key, parameter in model.named_parameters():
            if "lora_B" in key:
                parameter.normal_(0, 0.1)
            if "modules_to_save" in key:
                parameter.add_(torch.randn(parameter.shape) * 0.1)
    model.save_pretrained(folder)
    if stored != torch.float32:
        path = folder / "adapter_model.safetensors"
        save_file({k: v.to(stored).contiguous() for k, v in load_file(path).items()}, path)
    return folder


def compare(name, base, adapter, quick=False):
    generator = torch.Generator().manual_seed(3)
    requests = [(torch.randint(0, TINY["vocab_size"], (n,), generator=generator).tolist(), p)
                for n, p in [(2, 1), (150, 20), (33, 30), (70, 1)]]

    def peft_model(dtype):
        return PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base, dtype=dtype),
                                         adapter).eval()

    expected = theirs(peft_model(torch.float32), requests)
    for path in ("automatic", "operators"):
        mine, _ = ours(base, requests, "--dtype", "f32", "--adapter", adapter, "--path", path)
        error = worst(mine, expected)
        check(f"{name} f32 {path}", error <= 1e-4, f"{error:.3g}")
    bare, _ = ours(base, requests, "--dtype", "f32")
    check(f"{name} moves the result", worst(bare, expected) > 0.1)
    if quick:
        return

    rounded_base = AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16).float()
    exact = theirs(PeftModel.from_pretrained(rounded_base, adapter).eval(), requests)
    noise = root_mean_square(theirs(peft_model(torch.bfloat16), requests), exact)
    for path in ("bfloat16_products", "float_products", "operators"):
        mine, _ = ours(base, requests, "--dtype", "bf16", "--adapter", adapter, "--path", path)
        error = root_mean_square(mine, exact)
        check(f"{name} bf16 {path}", error <= 1.2 * noise, f"{error:.3g} against {noise:.3g}")


def edit(source, target, settings=None, rename=None, drop=None):
    """A copy of an adapter with some settings changed, tensors renamed or one dropped."""
    shutil.copytree(source, target)
    path = target / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | (settings or {})))
    path = target / "adapter_model.safetensors"
    tensors = load_file(path)
    if rename:
        tensors = {k.replace(*rename): v for k, v in tensors.items()}
    if drop:
        del tensors[drop]
    save_file(tensors, path)
    return target


def check_refusals(base, other, good, parent):
    first = "base_model.model.model.layers.0."
    cases = [
        ("dora", dict(settings={"use_dora": True}), 4, "use_dora"),
        ("bias", dict(settings={"bias": "all"}), 4, "bias"),
        ("a saved module without its tensor", dict(settings={"modules_to_save": ["lm_head"]}), 1, "lm_head.weight"),
        ("an update of a saved module", dict(settings={"modules_to_save": ["up_proj"]}), 4, "modules_to_save names"),
        ("pissa", dict(settings={"init_lora_weights": "pissa"}), 4, "pissa"),
        ("another method", dict(settings={"peft_type": "IA3"}), 4, "IA3"),
        ("a setting of a later peft", dict(settings={"use_later": {"x": 1}}), 4, "use_later"),
        ("two settings", dict(settings={"use_dora": True, "bias": "all"}), 4, 'bias "all", use_dora true'),
        ("a rank that the pattern does not have", dict(settings={"rank_pattern": {"q_proj": 4}}), 4, "take [4,"),
        ("a rank that is none", dict(settings={"rank_pattern": {"q_proj": 0}}), 1, "rank_pattern"),
        ("a pattern of another dialect", dict(settings={"target_modules": "(?P<x>.*)q_proj"}), 4, "(?P<x>"),
        ("no tensor that it names", dict(settings={"target_modules": ["lm_head"]}), 1, "names none"),
        ("another rank", dict(settings={"r": 6}), 4, "take [6,"),
        ("no rank", dict(settings={"r": None}), 1, '"r"'),
        ("head", dict(rename=("model.layers.0.mlp.up_proj", "lm_head")), 4, "lm_head"),
        ("layer that is not there", dict(rename=("layers.2.", "layers.7.")), 4, "layers.7."),
        ("embedding", dict(rename=("lora_A", "lora_embedding_A")), 4, "lora_embedding_A"),
        ("half a pair", dict(drop=first + "mlp.up_proj.lora_B.weight"), 1,
         "mlp.up_proj.lora_B.weight"),
    ]
    for number, (what, change, code, names) in enumerate(cases):
        folder = edit(good, parent / f"refused{number}", **change)
        actual, message = refused(base, "--adapter", folder)
        check(f"refuses {what}", actual == code and names in message and message.count("\n") == 0,
              f"({actual}: {message})")
    code, message = refused(other, "--adapter", good)
    check("refuses another model's", code == 4 and "shape" in message, f"({code}: {message})")
    code, message = refused(base, "--adapter", parent / "nowhere")
    check("names a missing folder", code == 1 and "nowhere: No such file" in message, message)


def check_saved_modules(llama, tied, parent):
    """modules_to_save: whole modules in place of the base's, with the ties that peft leaves."""
    for name, base, saved in (("llama", llama, ["lm_head", "embed_tokens"]), ("llama", llama, ["input_layernorm"]),
                              ("more", llama, ["k_proj", "model.norm"]), ("tied", tied, ["lm_head"]),
                              ("tied", tied, ["embed_tokens"]), ("tied", tied, ["embed_tokens", "lm_head"]),
                              ("ensured", tied, ["lm_head"]), ("ensured", tied, ["embed_tokens"])):
        adapter = make_adapter(base, parent / "-".join([name, *saved]), target_modules=["q_proj"], modules_to_save=saved,
                               **(dict(ensure_weight_tying=True) if name == "ensured" else {}))
        kept = [key for key in load_file(adapter / "adapter_model.safetensors") if "lora" not in key]
        check(f"peft saved {saved} of {name}", kept, kept)
        compare(f"{name} with {saved} whole", base, adapter)
    headless = edit(adapter, parent / "headless", settings={"modules_to_save": ["lm_head"]}, drop="base_model.model.lm_head.weight")
    code, message = refused(tied, "--adapter", headless)
    check("refuses a tied head without its tensor", code == 1 and "lm_head.weight" in message, f"({code}: {message})")


def check_left_out(base, good, parent):
    """What the config does not name is left out, as peft does, and told."""
    for number, settings in enumerate((
            dict(layers_to_transform=[0, 2]), dict(layers_to_transform=1, layers_pattern="layers"),
            dict(layers_to_transform=[2], layers_pattern=["h", "model.layers"]), dict(target_modules=None),
            dict(target_modules=["q_proj", "mlp.up_proj"]), dict(exclude_modules=["v_proj"]),
            dict(target_modules=r".*layers\.(0|1)\..*(q|v)_proj"))):
        folder = edit(good, parent / f"left{number}", settings=settings)
        compare(f"left out by {settings}", base, folder, quick=True)
        _, about = ours(base, [([1, 2], 1)], "--adapter", folder)
        check(f"told of {settings}", "left out, as in peft" in " ".join(about["notes"]), about)


with tempfile.TemporaryDirectory() as directory:
    parent = pathlib.Path(directory)
    llama, qwen = make_model("llama", parent), make_model("qwen2", parent)
    good = make_adapter(llama, parent / "all")
    compare("llama all layers", llama, good)
    compare("llama rslora on some, bf16 file", llama,
            make_adapter(llama, parent / "some", stored=torch.bfloat16, use_rslora=True,
                         target_modules=["q_proj", "down_proj"]))
    compare("qwen2 all-linear", qwen,
            make_adapter(qwen, parent / "qwen", target_modules="all-linear", r=8))
    compare("llama with patterns", llama,
            make_adapter(llama, parent / "patterns", r=4, rank_pattern={"layers.1.self_attn.q_proj": 7, "up_proj": 2},
                         alpha_pattern={"q_proj": 3.5}), quick=True)
    check_saved_modules(llama, make_model("qwen2-tied-bf16", parent), parent)
    check_left_out(llama, good, parent)
    check_refusals(llama, make_model("llama-head-dim", parent), good, parent)
finish()
