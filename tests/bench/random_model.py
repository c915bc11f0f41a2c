#!/usr/bin/env python3
"""This writes a Llama model of random bfloat16 weights in the sizes of real ones, for measurements of
memory and speed: too large for CI, and without a trained model to download.

    python3 tests/bench/random_model.py SIZE FOLDER --like DIR

SIZE is a name in SIZES. The tokenizer, its settings and the vocabulary's size come from DIR, such as
SmolLM2's folder. All layers have the same weights: what is measured does not depend on them.
"""
import argparse
import json
import pathlib
import shutil
import struct

import numpy

# hidden, intermediate, layers, heads, heads of keys and values
SIZES = {
    "1.5b": (2048, 5632, 26, 16, 16),
    "7b": (4096, 11008, 32, 32, 32),
}


def tensors(hidden, inner, layers, heads, kv_heads, vocab):
    """Yields name, shape and a key: tensors of one key have the same bytes."""
    width = hidden // heads
    yield "model.embed_tokens.weight", (vocab, hidden), "embedding"
    for i in range(layers):
        for name, shape in [("input_layernorm", (hidden,)), ("post_attention_layernorm", (hidden,)),
                            ("self_attn.q_proj", (heads * width, hidden)),
                            ("self_attn.k_proj", (kv_heads * width, hidden)),
                            ("self_attn.v_proj", (kv_heads * width, hidden)),
                            ("self_attn.o_proj", (hidden, heads * width)),
                            ("mlp.gate_proj", (inner, hidden)), ("mlp.up_proj", (inner, hidden)),
                            ("mlp.down_proj", (hidden, inner))]:
            yield f"model.layers.{i}.{name}.weight", shape, name
    yield "model.norm.weight", (hidden,), "norm"
    yield "lm_head.weight", (vocab, hidden), "head"


def values(shape, random):
    """Norms are ones; matrices are scaled so that activations neither grow nor vanish."""
    if len(shape) == 1:
        x = numpy.ones(shape, numpy.float32)
    else:
        x = random.standard_normal(shape, numpy.float32) * numpy.float32(0.7 / shape[1] ** 0.5)
    return (x.view(numpy.uint32) >> 16).astype("<u2").tobytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("size", choices=SIZES)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--like", type=pathlib.Path, required=True, metavar="DIR")
    options = parser.parse_args()
    hidden, inner, layers, heads, kv_heads = SIZES[options.size]
    config = json.loads((options.like / "config.json").read_text())
    config.update(hidden_size=hidden, intermediate_size=inner, num_hidden_layers=layers,
                  num_attention_heads=heads, num_key_value_heads=kv_heads, tie_word_embeddings=False)
    config.pop("head_dim", None)
    options.folder.mkdir(parents=True)
    for file in options.like.glob("*.json"):
        if not file.name.startswith(("config", "model")):
            shutil.copy(file, options.folder)
    for file in options.like.glob("*.jinja"):
        shutil.copy(file, options.folder)
    (options.folder / "config.json").write_text(json.dumps(config))

    listed = list(tensors(hidden, inner, layers, heads, kv_heads, config["vocab_size"]))
    header, end = {}, 0
    for name, shape, _ in listed:
        begin, end = end, end + 2 * int(numpy.prod(shape))
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    random, made = numpy.random.default_rng(1), {}
    with open(options.folder / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, shape, key in listed:
            if key not in made:
                made[key] = values(shape, random)
            file.write(made[key])
    print(f"{options.folder}: {end / 2e9:.2f} billion weights, {end / 1e9:.2f} GB")


if __name__ == "__main__":
    main()
