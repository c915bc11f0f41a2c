"""This makes small random-weight models for the model oracles with transformers.

Sizes are odd on purpose: no dimension is a multiple of a vector's width, so every kernel's remainder
runs. Weights are large enough that logits spread over several units: a model of near-zero weights
would agree with anything.
"""
import json
import os
import pathlib
import shutil

import torch
import transformers
from transformers import (LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config,
                          Qwen3ForCausalLM)

transformers.utils.logging.disable_progress_bar()

TINY = dict(vocab_size=131, hidden_size=54, intermediate_size=77, num_hidden_layers=3,
            num_attention_heads=9, num_key_value_heads=3, max_position_embeddings=512,
            initializer_range=0.25, bos_token_id=1, eos_token_id=2)


def rope(**fields):
    return {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0} | fields}


LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=64, rope_theta=500000.0)

# name: (config class, model class, overrides of TINY, stored type, shards, whether config.json has
# the style of transformers 4)
MODELS = {
    "llama": (LlamaConfig, LlamaForCausalLM, {}, torch.float32, False, False),
    "llama-tied-bf16": (LlamaConfig, LlamaForCausalLM, dict(tie_word_embeddings=True),
                        torch.bfloat16, False, True),
    "llama-linear-rope": (LlamaConfig, LlamaForCausalLM,
                          rope(rope_type="linear", factor=4.0, rope_theta=1e5),
                          torch.float32, True, False),
    "llama-linear-rope-4": (LlamaConfig, LlamaForCausalLM,
                            rope(rope_type="linear", factor=4.0, rope_theta=1e5),
                            torch.bfloat16, True, True),
    "llama-llama3-rope": (LlamaConfig, LlamaForCausalLM, rope(**LLAMA3), torch.float32, False, True),
    "llama-biases-f16": (LlamaConfig, LlamaForCausalLM,
                         dict(attention_bias=True, mlp_bias=True, num_key_value_heads=9),
                         torch.float16, False, False),
    "llama-head-dim": (LlamaConfig, LlamaForCausalLM, dict(head_dim=22, num_key_value_heads=1),
                       torch.float32, False, False),
    "qwen2": (Qwen2Config, Qwen2ForCausalLM, dict(rms_norm_eps=1e-5), torch.float32, False, False),
    "qwen2-tied-bf16": (Qwen2Config, Qwen2ForCausalLM,
                        dict(tie_word_embeddings=True) | rope(rope_theta=1e6), torch.bfloat16, True,
                        False),
    "qwen3": (Qwen3Config, Qwen3ForCausalLM, dict(head_dim=10), torch.float32, False, False),
    "qwen3-wide-head-bf16": (Qwen3Config, Qwen3ForCausalLM,
                             dict(head_dim=34, tie_word_embeddings=True, attention_bias=True),
                             torch.bfloat16, False, True),
}


def to_transformers_4(folder):
    """Rewrites config.json as transformers 4 wrote it: rope_theta and rope_scaling, torch_dtype."""
    path = folder / "config.json"
    config = json.loads(path.read_text())
    parameters = config.pop("rope_parameters")
    config["rope_theta"] = parameters.pop("rope_theta")
    config["torch_dtype"] = config.pop("dtype")
    kind = parameters.pop("rope_type")
    key = "type" if kind == "linear" else "rope_type"  # the older spelling, and the newer
    config["rope_scaling"] = None if kind == "default" else {key: kind} | parameters
    path.write_text(json.dumps(config))


def make_model(name, parent):
    """Writes the model to parent/name and returns that folder."""
    config_class, model_class, overrides, stored, sharded, older = MODELS[name]
    torch.manual_seed(len(name))
    model = model_class(config_class(**(TINY | overrides))).eval()
    with torch.no_grad():  # norms and biases start at 1 and 0, which would hide mistakes
        for key, parameter in model.named_parameters():
            if "norm" in key or key.endswith("bias"):
                parameter += torch.randn_like(parameter) * 0.3
    folder = pathlib.Path(parent) / name
    shutil.rmtree(folder, ignore_errors=True)
    model.to(stored).save_pretrained(folder, max_shard_size="60KB" if sharded else "5GB")
    assert sharded == os.path.exists(folder / "model.safetensors.index.json")
    if older:
        to_transformers_4(folder)
    return folder
