"""This writes a Llama model of a few kilobytes with the standard library alone; tests spoil it."""

import json
import pathlib
import random
import struct

hidden, layers, heads, kv_heads, inner = 16, 2, 4, 2, 24
special = ["<|im_start|>", "<|im_end|>"]


def byte_symbols():
    """The printable character for each byte in a byte-level vocabulary."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    spare = iter(range(256, 512))
    return [chr(byte) if byte in kept else chr(next(spare)) for byte in range(256)]


vocabulary = byte_symbols() + special


def config(**changes):
    return {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
        "hidden_size": hidden, "intermediate_size": inner, "num_attention_heads": heads,
        "num_hidden_layers": layers, "num_key_value_heads": kv_heads,
        "vocab_size": len(vocabulary), "max_position_embeddings": 4096, "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0, "tie_word_embeddings": True, "attention_bias": False,
        "mlp_bias": False, "torch_dtype": "float32", **changes}


def tokenizer(**changes):
    added = [{"id": 256 + i, "content": text, "single_word": False, "lstrip": False,
              "rstrip": False, "normalized": False, "special": True}
             for i, text in enumerate(special)]
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
                          "use_regex": True},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True,
                    "use_regex": True},
        "model": {"type": "BPE", "dropout": None, "unk_token": None,
                  "continuing_subword_prefix": None, "end_of_word_suffix": None,
                  "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                  "vocab": {text: i for i, text in enumerate(vocabulary)}, "merges": []},
        **changes}


def tensors(seed=1):
    """name -> (shape, values), in the order of the file."""
    source = random.Random(seed)
    width = hidden // heads
    shapes = {"model.embed_tokens.weight": (len(vocabulary), hidden), "model.norm.weight": (hidden,)}
    for layer in range(layers):
        for name, shape in {
            "input_layernorm": (hidden,), "post_attention_layernorm": (hidden,),
            "self_attn.q_proj": (hidden, hidden), "self_attn.k_proj": (kv_heads * width, hidden),
            "self_attn.v_proj": (kv_heads * width, hidden), "self_attn.o_proj": (hidden, hidden),
            "mlp.gate_proj": (inner, hidden), "mlp.up_proj": (inner, hidden),
            "mlp.down_proj": (hidden, inner)}.items():
            shapes[f"model.layers.{layer}.{name}.weight"] = shape
    made = {}
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) == 2 else 1)
        made[name] = (shape, [source.gauss(0, 0.2) if len(shape) == 2 else 1.0
                              for _ in range(count)])
    return made


def safetensors(stored, edit_header=lambda header: header):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (shape, values) in stored.items():
        packed = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": list(shape),
                        "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(edit_header(header)).encode()
    return struct.pack("<Q", len(text)) + text + data


def write(folder, model_config=None, words=None, weights=None, template="chatml"):
    """Writes the folder; each given argument replaces a good model's value."""
    folder = pathlib.Path(folder)
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(model_config or config()))
    (folder / "tokenizer.json").write_text(json.dumps(words or tokenizer()))
    (folder / "model.safetensors").write_bytes(weights or safetensors(tensors()))
    smollm = ("{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + "
              "message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
              "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
    settings = {"tokenizer_class": "GPT2Tokenizer"}
    if template:
        settings["chat_template"] = smollm
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder
