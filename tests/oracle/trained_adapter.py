"""peft reads cuset-train's result and gives the same logits as ours; cuset-merge's result is
compared with peft's own merge.

Log-probabilities in f32 are within 1e-4 of peft's. Merged weights rounded to bf16 are equal bit for
bit, except the few that lie between two values, which may become the neighbour; in f32 they are
within 1e-6.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import _tiny_model as tiny
from _checks import check, finish
from _logprobs import ours, theirs, worst

torch.set_num_threads(2)
programs = pathlib.Path(os.environ["CUSET_BIN"])


def run(program, *options):
    done = subprocess.run([programs / program, *map(str, options)], text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{program} ends with {done.returncode}: {done.stderr}")
    return done.stderr


def peft_model(base, adapter):
    return PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32),
                                     adapter).eval()


def merged_by_peft(base, adapter):
    state = peft_model(base, adapter).merge_and_unload().state_dict()
    return {name: value for name, value in state.items() if name != "lm_head.weight"}


if not (programs / "cuset-train").exists():
    print(f"skipped: {programs / 'cuset-train'} is absent")
    sys.exit(77)
with tempfile.TemporaryDirectory() as directory:
    room = pathlib.Path(directory)
    base = tiny.write(room / "base")
    pairs = room / "pairs.jsonl"
    pairs.write_text("".join(json.dumps({"id": str(i), "prompt": f"scale by {i}",
                                         "response": f"int main() {{ f<<<1, {i}>>>(p); }}\n"}) + "\n"
                             for i in range(6)))
    adapter = room / "adapter"
    run("cuset-train", "--model", base, "-o", adapter, "--objective=sft", "--device=cpu", "--rank=4",
        "--alpha=12", "--dropout=0.1", "--lr=0.02", "--epochs=5", "--batch=2", "-q", pairs)
    generator = torch.Generator().manual_seed(3)
    requests = [(torch.randint(0, len(tiny.vocabulary), (n,), generator=generator).tolist(), p)
                for n, p in [(2, 1), (150, 20), (70, 1)]]
    expected = theirs(peft_model(base, adapter), requests)
    mine, _ = ours(base, requests, "--dtype", "f32", "--adapter", adapter)
    check("peft's logits are ours", worst(mine, expected) <= 1e-4, f"{worst(mine, expected):.3g}")
    bare, _ = ours(base, requests, "--dtype", "f32")
    check("training moved them", worst(bare, expected) > 0.1, f"{worst(bare, expected):.3g}")

    told = run("cuset-merge", "--model", base, "--adapter", adapter, "-o", room / "same")
    exact, got = merged_by_peft(base, adapter), load_file(room / "same/model.safetensors")
    check("merged names", set(got) == set(exact), set(got) ^ set(exact))
    error = max((got[name] - exact[name]).abs().max().item() for name in exact)
    check("merged in f32", error <= 1e-6, f"{error:.3g}")
    check("says the difference", "largest logit difference" in told, told)
    mine, _ = ours(room / "same", requests, "--dtype", "f32")
    check("merged logits", worst(mine, expected) <= 1e-4, f"{worst(mine, expected):.3g}")

    # An adapter of some layers, as peft makes most: trained, gone on with and merged.
    some = room / "some"
    run("cuset-train", "--model", base, "-o", some, "--objective=sft", "--device=cpu", "--rank=4",
        "--target=v_proj,q_proj", "--lr=0.05", "--epochs=5", "--batch=2", "-q", pairs)
    names = {name.split(".")[-3] for name in load_file(some / "adapter_model.safetensors")}
    check("the layers asked for", names == {"q_proj", "v_proj"}, names)
    expected = theirs(peft_model(base, some), requests)
    mine, _ = ours(base, requests, "--dtype", "f32", "--adapter", some)
    check("peft's logits with some layers", worst(mine, expected) <= 1e-4)
    check("training them moved them", worst(bare, expected) > 0.05, f"{worst(bare, expected):.3g}")
    run("cuset-merge", "--model", base, "--adapter", some, "-o", room / "some-merged")
    exact, got = merged_by_peft(base, some), load_file(room / "some-merged/model.safetensors")
    error = max((got[name] - exact[name]).abs().max().item() for name in exact)
    check("merged some layers", error <= 1e-6, f"{error:.3g}")
    stable = room / "stable"
    run("cuset-train", "--model", base, "-o", stable, "--objective=sft", "--device=cpu", "--rank=4", "--rslora",
        "--lr=0.02", "--epochs=5", "--batch=2", "-q", pairs)
    expected = theirs(peft_model(base, stable), requests)
    mine, _ = ours(base, requests, "--dtype", "f32", "--adapter", stable)
    check("peft's logits of a rank-stabilised adapter", worst(mine, expected) <= 1e-4, f"{worst(mine, expected):.3g}")
    check("training it moved them", worst(bare, expected) > 0.05, f"{worst(bare, expected):.3g}")
    # One layer of one kind less: peft takes the whole names that are then in its config.
    ragged, tensors = room / "ragged", load_file(some / "adapter_model.safetensors")
    shutil.copytree(some, ragged)
    save_file({name: value for name, value in tensors.items() if "layers.0.self_attn.q_proj" not in name},
              ragged / "adapter_model.safetensors")
    run("cuset-train", "--model", base, "-o", room / "longer", "--objective=sft", "--device=cpu", "--lr=0.05",
        f"--init-adapter={ragged}", "--max-steps=2", "-q", pairs)
    longer = load_file(room / "longer/adapter_model.safetensors")
    check("the layers that it had", set(longer) == set(load_file(ragged / "adapter_model.safetensors")))
    check("they were trained", all((longer[name] != tensors[name]).any() for name in longer))
    expected = theirs(peft_model(base, room / "longer"), requests)
    mine, _ = ours(base, requests, "--dtype", "f32", "--adapter", room / "longer")
    check("peft's logits with whole names", worst(mine, expected) <= 1e-4)

    # Ranks of their own.
    ranks = {"q_proj": 2, "down_proj": 6}
    patterns, made = room / "patterns", {}
    shutil.copytree(adapter, patterns)
    config = json.loads((adapter / "adapter_config.json").read_text())
    (patterns / "adapter_config.json").write_text(json.dumps(config | {"rank_pattern": ranks, "alpha_pattern": {"v_proj": 5}}))
    for name, value in load_file(adapter / "adapter_model.safetensors").items():
        rank = next((r for key, r in ranks.items() if f".{key}." in name), 4)
        shape = (rank, value.shape[1]) if "lora_A" in name else (value.shape[0], rank)
        made[name] = torch.randn(shape, generator=generator) * 0.2
    save_file(made, patterns / "adapter_model.safetensors")
    run("cuset-merge", "--model", base, "--adapter", patterns, "-o", room / "patterns-merged")
    exact, got = merged_by_peft(base, patterns), load_file(room / "patterns-merged/model.safetensors")
    error = max((got[name] - exact[name]).abs().max().item() for name in exact)
    check("merged ranks of their own", error <= 1e-6, f"{error:.3g}")

    # Whole modules, which peft's merge puts in the place of the base's; the base's head and embeddings are one.
    for saved in (["model.norm"], ["lm_head"], ["embed_tokens"], ["embed_tokens", "lm_head"]):
        model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
        model = get_peft_model(model, LoraConfig(r=2, target_modules=["q_proj"], modules_to_save=saved))
        with torch.no_grad():
            for name, value in model.named_parameters():
                if "lora_B" in name or "modules_to_save" in name:
                    value.add_(torch.randn(value.shape, generator=generator) * 0.2)
        whole = room / "-".join(saved)
        model.save_pretrained(whole)
        run("cuset-merge", "--model", base, "--adapter", whole, "-o", f"{whole}-merged")
        expected = theirs(peft_model(base, whole), requests)
        mine, _ = ours(f"{whole}-merged", requests, "--dtype", "f32")
        check(f"merged with {saved} whole", worst(mine, expected) <= 1e-4, f"{worst(mine, expected):.3g}")
        loaded = AutoModelForCausalLM.from_pretrained(f"{whole}-merged", dtype=torch.float32).eval()
        check(f"transformers' logits with {saved} whole", worst(mine, theirs(loaded, requests)) <= 1e-4)

    # A config that ties, and a head that is another: the merged folder says what it holds.
    untied = tiny.write(room / "untied")
    stored = load_file(base / "model.safetensors")
    head = stored["model.embed_tokens.weight"].flip(0).contiguous()
    save_file(stored | {"lm_head.weight": head}, untied / "model.safetensors", metadata={"format": "pt"})
    run("cuset-merge", "--model", untied, "--adapter", adapter, "-o", room / "untied-merged")
    config = json.loads((room / "untied-merged/config.json").read_text())
    check("config of another head", config == tiny.config(tie_word_embeddings=False), config)
    loaded = AutoModelForCausalLM.from_pretrained(room / "untied-merged", dtype=torch.float32)
    mine, _ = ours(untied, requests, "--dtype", "f32", "--adapter", adapter)
    check("transformers' logits of it", worst(mine, theirs(loaded.eval(), requests)) <= 1e-4)
    run("cuset-train", "--model", untied, "-o", room / "untied-full", "--objective=sft", "--device=cpu", "--full",
        "--max-steps=1", "-q", pairs)
    config = json.loads((room / "untied-full/config.json").read_text())
    check("config of all weights", config["tie_word_embeddings"] is False, config)
    check("a head of all weights", "lm_head.weight" in load_file(room / "untied-full/model.safetensors"))

    # The same base stored in bf16: rounded once at the end, or left in f32; the config says which.
    half = tiny.write(room / "half", model_config=tiny.config(torch_dtype="bfloat16", note={"dtype": 1}))
    stored = {name: value.bfloat16() for name, value in load_file(base / "model.safetensors").items()}
    save_file(stored, half / "model.safetensors", metadata={"format": "pt"})
    exact = merged_by_peft(half, adapter)
    run("cuset-merge", "--model", half, "--adapter", adapter, "-o", room / "rounded")
    got = load_file(room / "rounded/model.safetensors")
    total = sum(value.numel() for value in exact.values())
    moved = [(got[name].view(torch.int16).int() - exact[name].bfloat16().view(torch.int16).int()).abs()
             for name in exact]
    check("rounded once", max(int(m.max()) for m in moved) <= 1 and
          sum(int(m.sum()) for m in moved) <= total // 1000, sum(int(m.sum()) for m in moved))
    check("config as it was",
          (room / "rounded/config.json").read_bytes() == (half / "config.json").read_bytes())
    run("cuset-merge", "--model", half, "--adapter", adapter, "-o", room / "wide", "--dtype=f32")
    got = load_file(room / "wide/model.safetensors")
    error = max((got[name] - exact[name]).abs().max().item() for name in exact)
    check("kept in f32", error <= 1e-6 and {v.dtype for v in got.values()} == {torch.float32},
          f"{error:.3g}")
    config = json.loads((room / "wide/config.json").read_text())
    check("config says float32",
          config == json.loads((half / "config.json").read_text()) | {"torch_dtype": "float32"}, config)
    loaded = AutoModelForCausalLM.from_pretrained(room / "wide", dtype="auto")
    check("transformers loads it in float32", loaded.dtype == torch.float32, loaded.dtype)
finish()
