"""This makes models whose layers are stored in 4 bits, with the standard library alone, and the same models in float.
cuset-score, cuset-sample and cuset-train do the same with both; cuset-merge writes the second of the first; and what is
wrong in such a folder is said in one line."""

import json
import math
import random
import struct

import _tiny_model as tiny
from _tool import assert_equal, assert_exit, assert_that, built, room, run_tool

score, sample, train, merge = (built(f"cuset-{name}") for name in ("score", "sample", "train", "merge"))
pairs = [{"id": i, "prompt": f"add {i}", "response": f"int x{i} = {i};\n" * (1 + i % 3)} for i in range(6)]
tasks = [{"id": i, "prompt": f"write kernel {i} " * (i % 4 + 1)} for i in range(5)]
nf4 = [-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
       -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
       0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0]
state_name = "model.layers.1.mlp.up_proj.weight.quant_state.bitsandbytes__nf4"
says = {"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4",
                                "dtype": "of no concern", "nested": [{"a": "}"}, "]"]}}


def single(x):
    """Rounded to a float of 32 bits. A product or sum of two such floats in double, rounded, is theirs in float."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def floats(values):
    return "F32", [len(values)], struct.pack(f"<{len(values)}f", *values)


def file_of(stored):
    """Tensors by name: (type, shape, bytes)."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (kind, shape, content) in stored.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensors_of(path):
    content = path.read_bytes()
    length, = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length])
    header.pop("__metadata__", None)
    data = content[8 + length:]
    return {name: (t["dtype"], t["shape"], data[slice(*t["data_offsets"])]) for name, t in header.items()}


def quantised(name, shape, nested, source):
    """A matrix of random codes and scales: its tensors, and its elements in float."""
    count = shape[0] * shape[1]
    blocks = -(-count // 64)
    codes = [source.randrange(16) for _ in range(count)]
    both = codes + [0] * (count % 2)
    made = {name: ("U8", [len(both) // 2, 1], bytes(16 * a + b for a, b in zip(both[::2], both[1::2])))}
    state = {"quant_type": "nf4", "blocksize": 64, "dtype": "float32", "shape": list(shape)}
    if nested:
        bytes_ = [source.randrange(256) for _ in range(blocks)]
        groups = [single(source.uniform(0.05, 0.1)) for _ in range(-(-blocks // 256))]
        values = [single(source.uniform(-1, 1)) for _ in range(256)]
        offset = single(0.3)
        absmax = [single(single(values[b] * groups[i // 256]) + offset) for i, b in enumerate(bytes_)]
        made |= {f"{name}.absmax": ("U8", [blocks], bytes(bytes_)), f"{name}.nested_absmax": floats(groups),
                 f"{name}.nested_quant_map": floats(values)}
        state |= {"nested_blocksize": 256, "nested_dtype": "float32", "nested_offset": offset}
    else:
        absmax = [single(source.uniform(0.1, 0.5)) for _ in range(blocks)]
        made[f"{name}.absmax"] = floats(absmax)
    made[f"{name}.quant_map"] = floats(nf4)
    text = json.dumps(state).encode()
    made[f"{name}.quant_state.bitsandbytes__nf4"] = ("U8", [len(text)], text)
    return made, [single(nf4[c] * absmax[i // 64]) for i, c in enumerate(codes)]


def make(name, nested):
    """Writes the model twice: as it is stored, and in float. The tensors of the first."""
    source, stored, plain = random.Random(7), {}, tiny.tensors()
    for key, (shape, values) in plain.items():
        if "_proj" in key:
            parts, values = quantised(key, shape, nested, source)
            plain[key] = (shape, values)
            stored |= parts
        else:
            stored[key] = ("F32", list(shape), floats(values)[2])
    tiny.write(room / name, tiny.config(**says), weights=file_of(stored))
    tiny.write(room / f"{name}-plain", weights=tiny.safetensors(plain))
    return stored


def scores_of(*words):
    done = run_tool(score, "--plain", "-q", "--device=cpu", "--template=chatml", *words, data=pairs)
    assert_exit(f"{words}", done, 0)
    return [json.loads(line)["score"] for line in done.stdout.splitlines()]


def far(ours, theirs):
    a, b = ([math.log(c) for s in scores for c in s["confidence"]] for scores in (ours, theirs))
    return max(abs(x - y) for x, y in zip(a, b, strict=True))


def answers_of(model, *words):
    done = run_tool(sample, "--model", model, "--template=chatml", "--device=cpu", "--plain", "-q",
                    "--temperature=0", "--max-new-tokens=20", *words, data=tasks)
    assert_exit(f"answers of {words}", done, 0)
    return [json.loads(line)["response"] for line in done.stdout.splitlines()]


def train_on(model, out, *words):
    return run_tool(train, "--model", model, "--template=chatml", "--device=cpu", "-q", "-t2", "--objective=sft",
                    "--lr=0.01", "--batch=2", "--max-steps=4", "--save-every=2", "-o", room / out, *words, data=pairs)


def merged(model, out, *words):
    done = run_tool(merge, "--model", model, "-o", room / out, *words)
    assert_exit(f"merged {out}", done, 0, "largest logit difference")
    return tensors_of(room / out / "model.safetensors")


# Blocks of 64 that cross rows, and rows of whole blocks, with more of them than a group has.
for hidden, inner, nested in (16, 25, False), (128, 192, True):
    tiny.hidden, tiny.inner = hidden, inner
    name = f"{hidden}{'-nested' if nested else ''}"
    folder, plain, tensors = room / name, room / f"{name}-plain", make(name, nested)
    ours, theirs = scores_of("--model", folder), scores_of("--model", plain)
    assert_that(f"{name}: scores", far(ours, theirs) < 1e-4, far(ours, theirs))  # sums in another order
    assert_equal(f"{name}: its name", ours[0]["model"], f"{name}:nf4")
    assert_equal(f"{name}: --quantize nf4", scores_of("--model", folder, "--quantize=nf4"), ours)
    assert_equal(f"{name}: answers", answers_of(folder), answers_of(plain))
    in_float = tensors_of(plain / "model.safetensors")
    assert_equal(f"{name}: written in float", merged(folder, f"{name}-whole"), in_float)
    assert_equal(f"{name}: its config", json.loads((room / f"{name}-whole/config.json").read_text()), tiny.config())

    out = f"{name}-adapter"
    assert_exit(f"{name}: trained", train_on(folder, out), 0)
    settings = json.loads((room / out / "run.json").read_text())["settings"]
    assert_equal(f"{name}: settings", (settings["quantize"], settings["recompute"]), ("nf4", False))
    assert_exit(f"{name}: gone on", train_on(folder, f"{out}-2", f"--resume-from={room / out}/checkpoint-2"), 0)
    adapter = [(room / which / "adapter_model.safetensors").read_bytes() for which in (out, f"{out}-2")]
    assert_that(f"{name}: gone on to the same adapter", adapter[0] == adapter[1])
    assert_equal(f"{name}: merged", merged(folder, f"{name}-merged", "--adapter", room / out),
                 merged(plain, f"{name}-plain-merged", "--adapter", room / out))
    assert_that(f"{name}: merging changed it", tensors_of(room / f"{name}-merged/model.safetensors") != in_float)
    far_off = far(scores_of("--model", folder, "--adapter", room / out),
                  scores_of("--model", room / f"{name}-merged"))
    assert_that(f"{name}: scores of what is merged", far_off < 1e-4, far_off)

# An adapter trained on an ordinary base with --quantize: merged into that base, or into what it was trained on.
assert_exit("trained with --quantize", train_on(plain, "learnt", "--quantize=nf4"), 0)
chosen = ("--adapter", room / "learnt")
apart = scores_of("--model", plain, "--quantize=nf4", *chosen)
merged(plain, "into-itself", *chosen)
for form in "nf4", "int8":
    merged(plain, f"into-{form}", *chosen, f"--quantize={form}")
    quantised_alone = merged(plain, f"alone-{form}", f"--quantize={form}")
    assert_that(f"{form} alone", quantised_alone != tensors_of(plain / "model.safetensors"))
    off = far(scores_of("--model", room / f"alone-{form}"), scores_of("--model", plain, f"--quantize={form}"))
    assert_that(f"{form} alone: scores", off < 1e-4, off)
distances = {into: far(apart, scores_of("--model", room / f"into-{into}")) for into in ("nf4", "itself", "int8")}
assert_that("merged with --quantize", distances["nf4"] < 1e-4 < min(distances["itself"], distances["int8"]), distances)

# The config keeps all other bytes, wherever quantization_config stands.
field = json.dumps(says)[1:-1]
for i, (text, wanted) in enumerate([("{%s, \n\t%s}", "{%s}"), ("{ %s , \n %s\n}\n", "{ %s\n}\n")]):
    others = json.dumps(tiny.config())[1:-1]
    first = text % ((field, others) if i == 0 else (others, field))
    copy = tiny.write(room / f"config-{i}", weights=file_of(tensors))
    (copy / "config.json").write_text(first)
    merged(copy, f"config-{i}-whole")
    assert_equal(f"config {i}", (room / f"config-{i}-whole/config.json").read_text(), wanted % others)


# What is wrong, or does not go together.
def spoil(name, change, config=says):
    copy = dict(tensors)
    change(copy)
    return tiny.write(room / name, tiny.config(**config), weights=file_of(copy))


def with_state(text):
    return lambda stored: stored.update({state_name: ("U8", [len(text)], text)})


up = state_name.rsplit(".", 2)[0]
bad = {
    "absent": (lambda stored: stored.pop(f"{up}.absmax"), 1, f'tensor "{up}.absmax" is missing'),
    "stateless": (lambda stored: stored.pop(state_name), 1, f'tensor "{state_name}" is missing'),
    "cut": (with_state(tensors[state_name][2][:-9]), 1, f'tensor "{state_name}": no JSON: '),
    "turned": (with_state(tensors[state_name][2].replace(b"[192, 128]", b"[128, 192]")), 1, '"shape" is [128, 192]'),
    "wide": (with_state(tensors[state_name][2].replace(b'"blocksize": 64', b'"blocksize": 128')), 4, "blocksize 128"),
    "short": (lambda stored: stored.update({up: ("U8", [3, 1], b"abc")}), 1,
              "3 bytes, but codes of [192, 128] elements"),
}
for name, (change, code, message) in bad.items():
    folder = spoil(name, change)
    others = {sample: (), train: ("--objective=sft", "-o", room / "nothing"), merge: ("-o", room / "nothing")}
    for tool, words in ({score: ()} | (others if name == "absent" else {})).items():
        words = words if tool == merge else (*words, "--device=cpu", "--template=chatml", "-q")
        done = run_tool(tool, "--model", folder, *words, data=tasks if tool == sample else pairs)
        assert_exit(f"{tool.name}: {name}", done, code, message)
    assert_that(f"{name}: nothing is left", not (room / "nothing").exists())
unknown = {"fp4": {"load_in_4bit": True}, "llm.int8": {"load_in_8bit": True}, "awq": {"quant_method": "awq"}}
for kind, config in unknown.items():
    done = run_tool(score, "--model", spoil(kind, dict, {"quantization_config": config}), data=pairs)
    assert_exit(kind, done, 4, f'stored in "{kind}" are not supported')
folder = room / "128-nested"
for tool, words in {score: (), train: ("--objective=sft", "-o", room / "nothing"),
                    merge: ("-o", room / "nothing")}.items():
    words = words if tool == merge else (*words, "--device=cpu", "--template=chatml")
    done = run_tool(tool, "--model", folder, "--quantize=int8", *words, data=pairs)
    assert_exit(f"{tool.name}: another form", done, 2, "is stored in nf4: it cannot be quantised to int8")
assert_exit("all weights", train_on(folder, "full", "--full"), 2, "a quantised base is frozen")
assert_exit("nothing to merge", run_tool(merge, "--model", plain, "-o", room / "nothing"), 2, "no adapter")
for tool, data in ((score, pairs), (sample, tasks)):
    done = run_tool(tool, "--model", folder, "--shard-base", "--device=cpu", "--template=chatml", data=data)
    assert_exit(f"{tool.name}: shared", done, 2, "a quantised base cannot be shared")
