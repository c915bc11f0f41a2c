"""This compares log-probabilities of every architecture with transformers.

For random-weight models the whole distribution is compared: after each of a few prefixes, every
token of the vocabulary is a response of one token. f32: within 1e-4 of transformers in f32. bf16:
both are compared with transformers in f32 on the same (bf16) weights, and our error may be at most
1.2 times theirs (root mean square).
"""
import os
import pathlib
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

import _checks
from _logprobs import ours, root_mean_square, theirs, worst
from _random_models import MODELS, TINY, make_model

sys.path.append(os.environ["CUSET_SOURCE"] + "/tests/cli")
from _rotation import third  # noqa: E402

F32_TOLERANCE = 1e-4
BF16_FACTOR = 1.2
torch.set_num_threads(2)


def check(what, value, limit):
    _checks.check(what, value <= limit, f"{value:.3g} (limit {limit:.3g})")


def requests_for(vocab, seed):
    generator = torch.Generator().manual_seed(seed)

    def draw(count):
        return torch.randint(0, vocab, (count,), generator=generator).tolist()

    # Ragged samples. 300 tokens need several blocks of queries; one prompt token is the minimum.
    ragged = [(draw(n), p) for n, p in [(2, 1), (5, 1), (300, 40), (17, 16), (131, 1), (64, 30)]]
    prefix = draw(130)
    whole = [(prefix[:n] + [token], n) for n in (1, 9, 130) for token in range(vocab)]
    return ragged + whole


def check_bf16(name, folder, requests, exact, options=("bfloat16_products", "float_products",
                                                       "operators")):
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).eval()
    noise = root_mean_square(theirs(model, requests), exact)
    for path in options:
        mine, _ = ours(folder, requests, "--dtype", "bf16", "--path", path)
        check(f"{name} bf16 {path}, rms error against {noise:.3g} of transformers bf16",
              root_mean_square(mine, exact), BF16_FACTOR * noise)


def check_random(name, parent):
    folder = make_model(name, parent)
    requests = requests_for(TINY["vocab_size"], 7)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    expected = theirs(model, requests)
    for path in ("operators", "automatic"):
        mine, _ = ours(folder, requests, "--dtype", "f32", "--path", path)
        check(f"{name} f32 {path}", worst(mine, expected), F32_TOLERANCE)
    # Each sample alone in its batch.
    alone, _ = ours(folder, requests[:6], "--dtype", "f32", "--one-by-one")
    # Products of another shape add in another order: 1.4e-5 was seen with MKL on an AMD processor.
    check(f"{name} f32 alone against in a batch", worst(alone, mine[:6]), 2e-5)
    rounded = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).eval().float()
    check_bf16(name, folder, requests, theirs(rounded, requests))


def check_untied(parent):
    """config.json ties the embeddings, and the file has another head (transformers does not tie then);
    with a copy of the embeddings it is tied."""
    folder = make_model("llama-tied-bf16", parent)
    file = folder / "model.safetensors"
    stored = load_file(file)
    embedding = stored["model.embed_tokens.weight"]
    requests = requests_for(TINY["vocab_size"], 8)[:40]
    tied, _ = ours(folder, requests, "--dtype", "f32")
    for name, head, changes in (("copied", embedding.clone(), False),
                                ("other", embedding.flip(0).contiguous(), True)):
        save_file(stored | {"lm_head.weight": head}, file, metadata={"format": "pt"})
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        mine, about = ours(folder, requests, "--dtype", "f32")
        check(f"{name} head in a tied model", worst(mine, theirs(model, requests)), F32_TOLERANCE)
        _checks.check(f"{name} head moves the result", (worst(mine, tied) > 0.1) == changes)
        _checks.check(f"{name} head is told", bool(about["notes"]) == changes, about["notes"])


def check_smollm2():
    folder = pathlib.Path(os.environ["CUSET_DEPS"]) / "models" / "SmolLM2-135M-Instruct"
    if not (folder / "model.safetensors").exists():
        print(f"     SmolLM2 left out: {folder} is absent")
        return
    from tokenizers import Tokenizer
    text = (pathlib.Path(os.environ["CUSET_SOURCE"]) / "lib/model/fused_forward.cpp").read_text()
    ids = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text).ids
    requests = [(ids[:700], 100), (ids[700:900], 1), (ids[900:1000], 99), (ids[:40], 20)]
    step = 500 if os.environ.get("CUSET_LONG") else 2000
    requests += [(ids[:150] + [token], 150) for token in range(0, 49152, step)]
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    expected = theirs(model, requests)
    mine, _ = ours(folder, requests, "--dtype", "f32")
    check("SmolLM2 f32 log-probabilities", worst(mine, expected), F32_TOLERANCE)
    check("SmolLM2 f32 confidences", worst([x.exp() for x in mine], [x.exp() for x in expected]),
          F32_TOLERANCE)
    check_bf16("SmolLM2", folder, requests[:4], expected[:4])


chosen = sys.argv[1:] or third(MODELS, "random models") + ["SmolLM2"]
with tempfile.TemporaryDirectory() as parent:
    for name in chosen:
        if name != "SmolLM2":
            check_random(name, parent)
    check_untied(parent)
if "SmolLM2" in chosen:
    check_smollm2()
_checks.finish()
