"""This runs cuset-score on wrong models and records: each gives one line on stderr, the documented
exit code, and nothing half-written. Then come texts that are unusual but right."""

import json
import math
import os
import struct
import subprocess

import _tiny_model as tiny
import _tool
from _tool import assert_that, built, room

score = built("cuset-score")
pair = {"id": "k1", "prompt": "add", "response": "int x = 1;\n"}


def run(folder, records, *options, template="chatml", quiet=True):
    text = records if isinstance(records, bytes) else "".join(
        json.dumps(record) + "\n" for record in records).encode()
    choice = [f"--template={template}"] if template else []
    return subprocess.run([score, "--model", folder, "--device=cpu", "--plain", "-t1",
                           *(["-q"] if quiet else []), *choice, *options], input=text, capture_output=True, check=False)


def assert_exit(name, done, code, *words):
    _tool.assert_exit(name, done, code, *words)
    if name.startswith("model") and code in (1, 2, 4):
        assert_that(f"{name}: no records are written", not done.stdout)


def model(name, **parts):
    return tiny.write(room / name, **parts)


good = model("good")
done = run(good, [pair])
assert_exit("a good model", done, 0)
scored = json.loads(done.stdout)["score"]
assert scored["end"] == [*range(1, 12), 11, 11], scored
assert all(0 < p <= 1 for p in scored["confidence"])

# Models.
for template in ("chatml", None):
    assert_exit("model folder is missing", run(room / "nowhere", [pair], template=template), 1,
                "nowhere: No such file or directory")
(room / "nothing").mkdir()
assert_exit("model folder is empty", run(room / "nothing", [pair], template=None), 1,
            "nothing/config.json: No such file or directory")
assert_exit("model is a file", run(good / "config.json", [pair], template=None), 1, "Not a directory")
assert_exit("model architecture", run(model("arch", model_config=tiny.config(
         architectures=["MambaForCausalLM"], model_type="mamba")), [pair]), 4, "amba")
assert_exit("model activation", run(model("act", model_config=tiny.config(hidden_act="relu")), [pair]),
            4, "relu")
assert_exit("model config is cut", run(model("cut", model_config="{"), [pair]), 1, "config.json")
words = tiny.tokenizer(pre_tokenizer={"type": "Metaspace", "replacement": "_",
                                      "prepend_scheme": "always", "split": True})
assert_exit("model tokenizer chain", run(model("chain", words=words), [pair]), 4, "Metaspace")
assert_exit("model without a template", run(model("plain", template=None), [pair], template=None), 4,
            "--template")
assert_exit("model template name", run(good, [pair], template="vicuna"), 2, "vicuna")
assert_exit("model device", run(good, [pair], "--device=tpu"), 2, "tpu")
if "CUDA" in subprocess.run([score, "-V"], capture_output=True, check=True).stdout.decode():
    cuda = run(good, [pair], "--device=cuda")
    if cuda.returncode != 0:
        assert_exit("model on a GPU that is not there", cuda, 4, "cuda")


def header_edit(name, edit):
    def change(header):
        edit(header)
        return header
    return model(name, weights=tiny.safetensors(tiny.tensors(), change))


norm = "model.norm.weight"
whole = tiny.safetensors(tiny.tensors())
assert_exit("model shape lies", run(header_edit("shape", lambda h: h[norm].update(shape=[17])), [pair]),
            1, norm)
assert_exit("model offsets past the file", run(header_edit(
         "past", lambda h: h[norm].update(data_offsets=[1 << 40, (1 << 40) + 64])), [pair]), 1, norm)
assert_exit("model tensors overlap", run(header_edit(
         "overlap", lambda h: h[norm].update(data_offsets=[0, 64])), [pair]), 1, "model.safetensors")
assert_exit("model lacks a tensor", run(header_edit("lacks", lambda h: h.pop(norm)), [pair]), 1)
assert_exit("model header length lies", run(model(
         "long", weights=struct.pack("<Q", 1 << 60) + whole[8:]), [pair]), 1, "model.safetensors")
assert_exit("model file is cut", run(model("short", weights=whole[:-100]), [pair]), 1,
            "model.safetensors")
assert_exit("model file is empty", run(model("empty", weights=b"\0"), [pair]), 1, "model.safetensors")

shards = model("shards")
(shards / "model.safetensors").unlink()
(shards / "model.safetensors.index.json").write_text(json.dumps(
    {"weight_map": {name: "model-00001-of-00002.safetensors" for name in tiny.tensors()}}))
assert_exit("model shard is missing", run(shards, [pair]), 1, "model-00001-of-00002.safetensors")

spoiled = tiny.tensors()
spoiled["model.layers.1.mlp.up_proj.weight"][1][5] = math.nan
assert_exit("NaN weights", run(model("nan", weights=tiny.safetensors(spoiled)), [pair]), 1,
            "standard input:1:")

# An adapter for another model, and none at all.
adapter = room / "adapter"
adapter.mkdir()
assert_exit("model adapter is empty", run(good, [pair], f"--adapter={adapter}"), 1,
            "adapter_config.json")
(adapter / "adapter_config.json").write_text(json.dumps(
    {"peft_type": "IA3", "target_modules": ["q_proj"]}))
assert_exit("model adapter kind", run(good, [pair], f"--adapter={adapter}"), 4, "IA3")

# Records.
assert_exit("no prompt", run(good, [{"response": "x"}]), 1, "standard input:1:", '"prompt"')
assert_exit("no model", subprocess.run([score, "-q"], input=b"", capture_output=True, check=False,
                                       env={**os.environ, "CUSET_MODEL": ""}), 2, "CUSET_MODEL")
empty = run(good, b"")
assert_exit("empty input", empty, 0)
assert empty.stdout == b""
role = run(good, [{"messages": [{"role": "wizard", "content": "?"},
                                {"role": "user", "content": "?"},
                                {"role": "assistant", "content": "!"}]}])
assert_exit("unknown role", role, 1, "wizard")

odd = ["", "\0", "\ud800x\udc00", "é漢字🚀👩‍👩‍👧", "a" * 5000, "<|im_end|>", "\r\n\t \u2028"]
done = run(good, [{"id": i, "prompt": "?", "response": text} for i, text in enumerate(odd)],
           "--max-tokens=20000")
assert_exit("odd texts", done, 0)
for text, line in zip(odd, done.stdout.decode().splitlines()):
    record = json.loads(line)["score"]
    size = len(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode())
    assert_that(f"odd text {text[:10]!r}", record["end"][-1] == size
                and len(record["end"]) == len(record["confidence"]), record["end"][-1], size)

# A cut is reported in the record and on stderr, there unless -q is given.
long = {"id": "long", "prompt": "?", "response": "b" * 300}
done = run(good, [long], "--max-tokens=100", quiet=False)
assert_exit("cut response", done, 0, "the end of 1 response ", "long")
assert_that("cut response, -q", run(good, [long], "--max-tokens=100").stderr == b"")
record = json.loads(done.stdout)["score"]
assert record["cut"] == 302 - len(record["end"]), record
# The output does not depend on the other records of the batch (f32, to 1e-5 and the sixth digit).
many = [{"id": i, "prompt": "p" * (i % 7 + 1), "response": f"y = {i} * x;\n" * (i % 5 + 1)}
        for i in range(40)]
together = [json.loads(line) for line in run(good, many).stdout.decode().splitlines()]
for i in (0, 13, 39):
    alone = json.loads(run(good, [many[i]]).stdout)["score"]["confidence"]
    for a, b in zip(alone, together[i]["score"]["confidence"]):
        assert_that(f"record {i}", abs(a - b) <= 1.1e-5, f"{a} alone, {b} in a batch")
