#!/usr/bin/env python3
"""Turns a Hugging Face folder of a Llama model into a GGUF file for llama.cpp, without a tokenizer:
who decodes it hands in token ids.

    .deps/tools/bin/python3 tests/bench/gguf_of_model.py FOLDER FILE --type bf16|f16

Matrices become the given type and norms float. bf16 is exact for a bf16 model; with f16 the largest
difference is told. Refuses what it does not know: other architectures, scaled rotary embeddings,
several files. Needs numpy, gguf and safetensors.
"""
import argparse
import json
import os
import pathlib
import sys

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter
from safetensors import deserialize

LAYER_NAMES = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
OTHER_NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def fail(message):
    sys.exit(f"gguf_of_model.py: {message}")


def gguf_name(name):
    stem = name.removesuffix(".weight")
    if stem in OTHER_NAMES:
        return OTHER_NAMES[stem] + ".weight"
    parts = stem.split(".", 3)
    if stem == name or len(parts) != 4 or parts[3] not in LAYER_NAMES:
        fail(f"unknown tensor {name}")
    return f"blk.{parts[2]}.{LAYER_NAMES[parts[3]]}.weight"


def permuted_rows(rows, heads):
    """GGUF stores Llama's q and k with each head's rows interleaved for its rotary embedding:
    Hugging Face's row i of a head becomes row 2i, row i + head_dim / 2 row 2i + 1."""
    out, inner = rows.shape
    return rows.reshape(heads, 2, out // heads // 2, inner).swapaxes(1, 2).reshape(out, inner)


def to_float(tensor):
    data, shape = tensor["data"], tensor["shape"]
    if tensor["dtype"] == "BF16":
        values = (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
    elif tensor["dtype"] in ("F16", "F32"):
        values = np.frombuffer(data, {"F16": np.float16, "F32": np.float32}[tensor["dtype"]])
    else:
        fail(f"tensors of type {tensor['dtype']} are not supported")
    return values.astype(np.float32).reshape(shape)


def to_bfloat16(values):
    """Rounded to nearest even (the weights are finite)."""
    bits = np.ascontiguousarray(values).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--type", choices=("bf16", "f16"), required=True)
    args = parser.parse_args()
    config = json.loads((args.folder / "config.json").read_text())
    if config["architectures"] != ["LlamaForCausalLM"] or config.get("rope_scaling"):
        fail(f"{args.folder}: not a Llama model without scaled rotary embeddings")
    path = args.folder / "model.safetensors"
    if not path.exists():
        fail(f"{path} is absent (several files are not supported)")
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    head_dim = config.get("head_dim") or config["hidden_size"] // heads

    args.file.parent.mkdir(parents=True, exist_ok=True)
    whole = args.file.with_name(f".{args.file.name}.{os.getpid()}")
    writer = GGUFWriter(whole, "llama")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_theta"])
    writer.add_rope_dimension_count(head_dim)
    writer.add_vocab_size(config["vocab_size"])
    writer.add_tokenizer_model("no_vocab")
    largest = 0.0
    for name, tensor in deserialize(path.read_bytes()):
        values, to = to_float(tensor), gguf_name(name)
        if values.ndim == 1:
            writer.add_tensor(to, values)
            continue
        if ".attn_q." in to:
            values = permuted_rows(values, heads)
        elif ".attn_k." in to:
            values = permuted_rows(values, kv_heads)
        if args.type == "bf16":
            writer.add_tensor(to, to_bfloat16(values).view(np.uint8),
                              raw_dtype=GGMLQuantizationType.BF16)
        else:
            half = values.astype(np.float16)
            largest = max(largest, float(np.abs(half.astype(np.float32) - values).max()))
            writer.add_tensor(to, half)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    whole.rename(args.file)
    if args.type == "f16":
        print(f"{args.file}: largest difference of a weight in f16 {largest:.3g}")


main()
