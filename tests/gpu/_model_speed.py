"""This measures scoring and LoRA training of a 7B model (Qwen2.5-Coder's configuration, random
weights) on this GPU at 4096 tokens a sample: tokens a second, share of the measured rate of bf16
products, peak memory over the weights, and what the CuSeT objective costs over plain fine-tuning.
It needs torch for the weights and 32 GB of disk; kernels.sh is for the kernels alone.

    CUSET_BIN=build/cuda/bin CUSET_SOURCE=. python3 tests/gpu/_model_speed.py [--samples 16] [--steps 12]
        [--room DIR] [--layers 28]

Scoring's rate is that of the second half of its samples: two runs, one over half as many, whose times
differ by nothing else. A training step's time is the median of its log's, without the first three.
"""
import argparse
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
from statistics import median

import torch

source = pathlib.Path(os.environ["CUSET_SOURCE"])
tools = pathlib.Path(os.environ["CUSET_BIN"])
sys.path.insert(0, str(source / "tests/cli"))
import _tiny_model as tiny  # noqa: E402

HIDDEN, INNER, HEADS, KV_HEADS, HEAD_DIM, VOCABULARY = 3584, 18944, 28, 4, 128, 152064


def shapes(layers):
    yield "model.embed_tokens.weight", (VOCABULARY, HIDDEN)
    for i in range(layers):
        at = f"model.layers.{i}."
        for name, rows, columns in (
                ("self_attn.q_proj", HEADS * HEAD_DIM, HIDDEN), ("self_attn.k_proj", KV_HEADS * HEAD_DIM, HIDDEN),
                ("self_attn.v_proj", KV_HEADS * HEAD_DIM, HIDDEN), ("self_attn.o_proj", HIDDEN, HEADS * HEAD_DIM),
                ("mlp.gate_proj", INNER, HIDDEN), ("mlp.up_proj", INNER, HIDDEN), ("mlp.down_proj", HIDDEN, INNER)):
            yield f"{at}{name}.weight", (rows, columns)
            if name[-6:] in ("q_proj", "k_proj", "v_proj"):
                yield f"{at}{name}.bias", (rows,)
        yield f"{at}input_layernorm.weight", (HIDDEN,)
        yield f"{at}post_attention_layernorm.weight", (HIDDEN,)
    yield "model.norm.weight", (HIDDEN,)
    yield "lm_head.weight", (VOCABULARY, HIDDEN)


def write_model(folder, layers):
    """Returns the bytes of its weights."""
    tiny.write(folder)
    (folder / "config.json").write_text(json.dumps({
        "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_act": "silu", "hidden_size": HIDDEN,
        "intermediate_size": INNER, "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS,
        "num_hidden_layers": layers, "vocab_size": VOCABULARY, "max_position_embeddings": 32768,
        "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
        "use_sliding_window": False}))
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in shapes(layers):
        size = 2 * torch.Size(shape).numel()
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    torch.manual_seed(42)
    with (folder / "model.safetensors").open("wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for name, shape in shapes(layers):
            w = torch.ones(shape, device="cuda") if "norm" in name else torch.randn(shape, device="cuda") * 0.02
            out.write(w.to(torch.bfloat16).view(torch.int16).cpu().numpy().tobytes())
    return at


def product_rate():
    """FLOP/s of bf16 products of 8192 rows with a layer's largest matrix."""
    a = torch.randn(8192, HIDDEN, dtype=torch.bfloat16, device="cuda")
    b = torch.randn(INNER, HIDDEN, dtype=torch.bfloat16, device="cuda")
    times = []
    for _ in range(40):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        a @ b.t()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return 2 * 8192 * HIDDEN * INNER / median(times) * 1e3


class memory_watch:
    """The largest memory in use on the GPU, in bytes, while a command runs."""

    def __enter__(self):
        self.most, self.over = 0, False
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def look(self):
        while not self.over:
            free, total = torch.cuda.mem_get_info()
            self.most = max(self.most, total - free)
            time.sleep(0.02)

    def __exit__(self, *_):
        self.over = True
        self.thread.join()


def run(*command):
    """Seconds."""
    start = time.perf_counter()
    done = subprocess.run([str(part) for part in command], capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.decode()[-2000:]}")
    return time.perf_counter() - start


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--samples", type=int, default=16)
parser.add_argument("--steps", type=int, default=12)
parser.add_argument("--tokens", type=int, default=4096)
parser.add_argument("--layers", type=int, default=28)
parser.add_argument("--room", type=pathlib.Path)
arguments = parser.parse_args()
room = arguments.room or pathlib.Path(tempfile.mkdtemp())
room.mkdir(exist_ok=True)
rate = product_rate()
print(f"{torch.cuda.get_device_name()}: bf16 products at {rate / 1e12:.0f} TFLOP/s", flush=True)
weights = write_model(room / "model", arguments.layers)
torch.cuda.empty_cache()
before = (lambda free, total: total - free)(*torch.cuda.mem_get_info())

# The vocabulary's tokens are bytes; templates add a few.
length = arguments.tokens
prompt, response = "p" * (length // 3), ("__global__ void f(float* x) { x[threadIdx.x] *= 2; }\n" * length)
response = response[:length - len(prompt) - 64]
for name, count in (("half", arguments.samples), ("all", 2 * arguments.samples)):
    with (room / f"{name}.jsonl").open("w") as out:
        for i in range(count):
            out.write(json.dumps({"id": i, "prompt": prompt, "response": response, "tag": {"spans": [
                {"kind": "kernel", "name": "f", "begin": 28, "end": 52}], "lang": "cuda"}}) + "\n")

per_layer = 2 * HEADS * HEAD_DIM * HIDDEN + 2 * KV_HEADS * HEAD_DIM * HIDDEN + 3 * HIDDEN * INNER
rows = len(response)
attention = 2 * arguments.layers * HEADS * HEAD_DIM * length * length  # forward, causal: QK' and PV
forward = 2 * arguments.layers * per_layer * length + 2 * VOCABULARY * HIDDEN * rows + attention
# Frozen matrices need only the gradient of their inputs; attention's backward pass is 2.5 times its
# forward pass.
backward = 2 * arguments.layers * per_layer * length + 2 * VOCABULARY * HIDDEN * rows + 2.5 * attention

base = [tools / "cuset-score", "--model", room / "model", "--template=chatml", "--device=cuda", "--dtype=bf16", "-q",
        "-o", room / "scores.zst"]
run(*base, room / "half.jsonl")
with memory_watch() as memory:
    half, whole = run(*base, room / "half.jsonl"), run(*base, room / "all.jsonl")
seconds = (whole - half) / arguments.samples
print(f"score: {length / seconds:.0f} tokens/s, {forward / seconds / rate:.1%} of the products' rate, "
      f"{(memory.most - before - weights) / 2**20:.0f} MiB over the weights, {half - arguments.samples * seconds:.1f} s "
      "to begin", flush=True)
medians = {}
for objective in ("sft", "cuset", "sft", "cuset"):
    out = room / "run"
    shutil.rmtree(out, ignore_errors=True)
    with memory_watch() as memory:
        run(tools / "cuset-train", "--model", room / "model", "--template=chatml", "--device=cuda", "--dtype=bf16", "-q",
            f"--objective={objective}", f"--max-steps={arguments.steps}", "-o", out, room / "all.jsonl")
    # The log's throughput is that of the run so far.
    ends = [line["total_tokens"] / line["throughput"]
            for line in map(json.loads, (out / "trainer_log.jsonl").read_text().splitlines())]
    settings = json.loads((out / "run.json").read_text())
    steps = [b - a for a, b in zip(ends[2:], ends[3:])]
    seconds = median(steps)
    medians.setdefault(objective, []).append(seconds)
    print(f"train {objective}: {seconds * 1e3:.0f} ms a step, {length / seconds:.0f} tokens/s, "
          f"{(forward + backward) / seconds / rate:.1%} of the products' rate, "
          f"{(memory.most - before - weights) / 2**20:.0f} MiB over the weights, kernels {settings['settings']['kernels']}",
          flush=True)
print(f"cuset over sft: {min(medians['cuset']) / min(medians['sft']) - 1:+.2%}")
if not arguments.room:
    shutil.rmtree(room)
