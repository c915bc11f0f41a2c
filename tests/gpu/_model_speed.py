"""This measures scoring, LoRA training and sampling of a 7B model (Qwen2.5-Coder's configuration, random
weights) on this GPU at 4096 tokens a sample: tokens a second, share of the measured rate of products,
peak memory over the weights, and what the CuSeT objective costs over plain fine-tuning.

    CUSET_BIN=build/cuda/bin CUSET_SOURCE=. python3 tests/gpu/_model_speed.py [--seconds 80] [--room DIR]
        [--device cuda] [--samples 32] [--steps 12] [--layers 28] [--tokens 4096] [--answers 64] [--new 64]

It needs torch for the weights and 17 GB of room (better in memory than on a disk); the model and the
figures (cuset.json) stay where --room names a folder, and _model_peers.py goes on from there. With
--device cpu, a rehearsal, model and samples are tiny.

Every figure is without the time to begin. Scoring's rate is that of all samples but the first ones, by
when their lines come out of the tool. A training step's time is the median of its log's, without the
first three. Answers are sampled in waves, --answers at a time: all of a wave have the same length (of
4 tokens, of 16, of --new), since prompt and answer together reach the tool's limit, and end at once; the
rate is that of the last wave that ended, the reading of its prompt included. Memory is the most that is
in use on the GPU, the context included, looked at every 20 ms.

What has no time left within --seconds is left out. Exit code: 0 if no tool failed, else 1.
"""
import argparse
import contextlib
import errno
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from types import SimpleNamespace

started = time.monotonic()
import torch  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
source = pathlib.Path(os.environ.get("CUSET_SOURCE", HERE.parents[1]))
sys.path[:0] = [str(HERE), str(source / "tests/cli")]
import _tiny_model as tiny  # noqa: E402
from _results import check, left_out, result  # noqa: E402

SHARDS = 8  # files of weights, written side by side
SIZES = {
    "cuda": SimpleNamespace(hidden=3584, inner=18944, heads=28, kv_heads=4, head_dim=128, vocabulary=152064, layers=28,
                            tokens=4096, samples=32, new=64, answers=64, prompt=64, dtype="bf16"),
    "cpu": SimpleNamespace(hidden=64, inner=128, heads=4, kv_heads=2, head_dim=16, vocabulary=512, layers=2,
                           tokens=128, samples=160, new=64, answers=8, prompt=16, dtype="f32")}


class budget:
    """The seconds that are left of a script's time."""

    def __init__(self, seconds):
        self.end = started + seconds

    def left(self):
        return self.end - time.monotonic()

    def share(self):
        """What one run may take: one that hangs leaves time for others."""
        return max(0.7 * self.left(), min(15, self.left()))


@contextlib.contextmanager
def within(seconds):
    """Raises TimeoutError when the time is up: a compiler, or another project's code, may take long."""
    def late(*_):
        raise TimeoutError(f"not done after {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, max(0.1, seconds))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def shapes(size):
    yield "model.embed_tokens.weight", (size.vocabulary, size.hidden)
    queries, keys = size.heads * size.head_dim, size.kv_heads * size.head_dim
    for i in range(size.layers):
        at = f"model.layers.{i}."
        for name, rows, columns in (
                ("self_attn.q_proj", queries, size.hidden), ("self_attn.k_proj", keys, size.hidden),
                ("self_attn.v_proj", keys, size.hidden), ("self_attn.o_proj", size.hidden, queries),
                ("mlp.gate_proj", size.inner, size.hidden), ("mlp.up_proj", size.inner, size.hidden),
                ("mlp.down_proj", size.hidden, size.inner)):
            yield f"{at}{name}.weight", (rows, columns)
            if name[-6:] in ("q_proj", "k_proj", "v_proj"):
                yield f"{at}{name}.bias", (rows,)
        yield f"{at}input_layernorm.weight", (size.hidden,)
        yield f"{at}post_attention_layernorm.weight", (size.hidden,)
    yield "model.norm.weight", (size.hidden,)
    yield "lm_head.weight", (size.vocabulary, size.hidden)


def bytes_of(shape):
    return 2 * torch.Size(shape).numel()


def weight_bytes(size):
    return sum(bytes_of(shape) for _, shape in shapes(size))


def write_shard(path, tensors, pool, time_left):
    """Each tensor is a run of the pool from a place of its own; norms are 1."""
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in tensors:
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [at, at + bytes_of(shape)]}
        at += bytes_of(shape)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb", buffering=0) as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for name, shape in tensors:
            left = bytes_of(shape)
            if "norm" in name:
                out.write(b"\x80\x3f" * (left // 2))
                continue
            at = 2 * random.Random(name).randrange(len(pool) // 2)
            while left > 0:
                if time_left() < 0:
                    raise TimeoutError("the weights are not written yet, and no time is left")
                wrote = out.write(pool[at:at + left])
                left, at = left - wrote, (at + wrote) % len(pool)


def write_model(folder, size, device, time_left):
    """Random weights of a deviation of 0.02, and a tokenizer of bytes. A folder that has the model already
    is kept. The weights repeat a pool of values, whose number is prime, so that no two rows are the same;
    drawing and copying them all would take a minute."""
    config = json.dumps({
        "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_act": "silu",
        "hidden_size": size.hidden, "intermediate_size": size.inner, "num_attention_heads": size.heads,
        "num_key_value_heads": size.kv_heads, "num_hidden_layers": size.layers, "vocab_size": size.vocabulary,
        "max_position_embeddings": 32768, "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "tie_word_embeddings": False,
        "torch_dtype": "bfloat16", "use_sliding_window": False})
    index = folder / "model.safetensors.index.json"
    if index.exists() and (folder / "config.json").read_text() == config:
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(config)
    (folder / "tokenizer.json").write_text(json.dumps(tiny.tokenizer()))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "GPT2Tokenizer"}))
    torch.manual_seed(42)
    values = (1 << 26) - 5 if device == "cuda" else 65521
    pool = memoryview((torch.randn(values, device=device) * 0.02).to(torch.bfloat16).view(torch.int16).cpu().numpy())
    files, at, total = [[] for _ in range(SHARDS)], 0, weight_bytes(size)
    for name, shape in shapes(size):
        files[min(SHARDS - 1, SHARDS * at // total)].append((name, shape))
        at += bytes_of(shape)
    names = [f"model-{i + 1:05}-of-{SHARDS:05}.safetensors" for i in range(SHARDS)]
    with ThreadPoolExecutor(SHARDS) as threads:  # writing needs no interpreter
        for done in [threads.submit(write_shard, folder / name, tensors, pool.cast("B"), time_left)
                     for name, tensors in zip(names, files) if tensors]:
            done.result()
    index.write_text(json.dumps({"metadata": {"total_size": total}, "weight_map": {
        tensor: name for name, tensors in zip(names, files) for tensor, _ in tensors}}))


def product_rate(size, device):
    """FLOP/s of products of 8192 rows with a layer's largest matrix."""
    rows, dtype = (8192, torch.bfloat16) if device == "cuda" else (512, torch.float32)
    a = torch.randn(rows, size.hidden, dtype=dtype, device=device)
    b = torch.randn(size.inner, size.hidden, dtype=dtype, device=device)
    times = []
    for _ in range(40):
        if device == "cuda":
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            a @ b.t()
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end) / 1e3)
        else:
            start = time.perf_counter()
            a @ b.t()
            times.append(time.perf_counter() - start)
    return 2 * rows * size.hidden * size.inner / median(times)


def used_memory(device):
    """Bytes in use on the GPU, or of the machine's memory."""
    if device == "cuda":
        free, total = torch.cuda.mem_get_info()
        return total - free
    lines = dict(line.split(":") for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
    return (int(lines["MemTotal"].split()[0]) - int(lines["MemAvailable"].split()[0])) << 10


class memory_watch:
    """The largest memory in use, in bytes, while a command runs."""

    def __init__(self, device):
        self.device, self.most, self.over = device, 0, False
        self.thread = threading.Thread(target=self.look, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def look(self):
        while not self.over:
            self.most = max(self.most, used_memory(self.device))
            time.sleep(0.02)

    def __exit__(self, *_):
        self.over = True
        self.thread.join()


class tool_failed(Exception):
    """Of ours: that is wrong."""


class out_of_time(Exception):
    """The tool was ended. `lines` is what it had written."""

    def __init__(self, seconds, lines):
        super().__init__(f"ended after {seconds:.0f} s")
        self.lines = lines


def run(seconds, *command):
    """Runs a tool for so many seconds at most. Returns the lines of its output, each with its time."""
    words, lines = [str(word) for word in command], []
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        late = threading.Event()

        def end():
            late.set()
            process.kill()
        timer = threading.Timer(max(0.1, seconds), end)
        timer.start()
        for line in process.stdout:
            lines.append((time.perf_counter(), line))
        code = process.wait()
        timer.cancel()
        if late.is_set():
            raise out_of_time(seconds, lines)
        if code:
            errors.seek(0)
            raise tool_failed(f"exit code {code}: {errors.read().decode(errors='replace').strip()[-400:]}")
    return lines


class measurement:
    def __init__(self, a, room):
        self.size, self.device, self.room, self.time = size_of(a), a.device, room, budget(a.seconds)
        self.steps = a.steps
        self.tools = pathlib.Path(os.environ["CUSET_BIN"])
        self.wrong, self.train_seconds = 0, 0
        self.figures = {"device": a.device, "tokens": self.size.tokens, "new": self.size.new,
                        "answers": self.size.answers, "prompt": self.size.prompt, "train": {}}
        self.base = ["--model", room / "model", f"--device={a.device}", f"--dtype={self.size.dtype}", "-q"]
        if a.device == "cpu":  # sizes for which more threads would only wait for each other
            torch.set_num_threads(1)
            self.base.append("--threads=1")

    def begin(self):
        """The model, the samples, and what a sample's passes cost."""
        size = self.size
        begun = time.monotonic()
        self.rate = product_rate(size, self.device)
        name = torch.cuda.get_device_name() if self.device == "cuda" else "CPU"
        result(f"products of {size.hidden} x {size.inner}, {size.dtype}", self.rate / 1e12, "TFLOP/s", note=name)
        write_model(self.room / "model", size, self.device, self.time.left)
        self.weights = weight_bytes(size) * (2 if size.dtype == "f32" else 1)
        print(f"a model of {self.weights / 1e9:.2f} GB in {time.monotonic() - begun:.1f} s", flush=True)
        if self.device == "cuda":
            torch.cuda.empty_cache()
        self.before = used_memory(self.device)

        # A token is a byte; the template adds 19 around the prompt and 2 behind the response.
        kernel = "__global__ void f(float* x) { x[threadIdx.x] *= 2; }\n"
        prompt = "p" * (size.tokens // 3)
        response = (kernel * size.tokens)[:size.tokens - len(prompt) - 21]
        spans = [{"kind": "kernel", "name": "f", "begin": at + 28, "end": at + 52}
                 for at in range(0, len(response) - 51, len(kernel))]
        with (self.room / "samples.jsonl").open("w") as out:
            for i in range(size.samples):
                out.write(json.dumps({"id": i, "prompt": prompt, "response": response,
                                      "tag": {"spans": spans, "lang": "cuda"}}) + "\n")
        turn = [256, *b"user\n", *prompt.encode(), 257, *b"\n", 256, *b"assistant\n"]
        self.prompt_ids = turn

        queries, keys = size.heads * size.head_dim, size.kv_heads * size.head_dim
        layer = 2 * queries * size.hidden + 2 * keys * size.hidden + 3 * size.hidden * size.inner
        attention = 2 * size.layers * queries * size.tokens**2  # forward, causal: QK' and PV
        products = 2 * size.layers * layer * size.tokens + 2 * size.vocabulary * size.hidden * (len(response) + 2)
        self.forward = products + attention
        # Frozen matrices need only the gradient of their inputs; attention's backward pass is 2.5 times
        # its forward pass.
        self.backward = products + 2.5 * attention

    def part(self, name, expected, function):
        """Whether it could be had."""
        if self.time.left() < (expected if self.device == "cuda" else 1):
            left_out(name, "no time left")
            return False
        try:
            function()
            return True
        except out_of_time as late:
            left_out(name, str(late))
        except tool_failed as failed:
            self.wrong += not check(name, False, str(failed))
        except (ArithmeticError, LookupError, OSError, ValueError) as error:  # mostly of a tool's output
            why = f"{type(error).__name__}: {error}"[:400]
            if isinstance(error, TimeoutError) or getattr(error, "errno", None) == errno.ENOSPC:
                left_out(name, why)
            else:
                self.wrong += not check(name, False, why)
        finally:
            if self.figures["train"] or "score" in self.figures:  # those of this script
                with contextlib.suppress(OSError):
                    (self.room / "cuset.json").write_text(json.dumps(self.figures))
        return False

    def over_weights(self, memory):
        return (memory.most - self.before - self.weights) / 2**20

    def score(self):
        size = self.size
        begun = time.perf_counter()
        with memory_watch(self.device) as memory:
            lines = run(self.time.share(), self.tools / "cuset-score", *self.base, "--template=chatml", "--plain",
                        self.room / "samples.jsonl")
        if len(lines) != size.samples:
            raise ValueError(f"{len(lines)} lines for {size.samples} samples")
        # The first lines are those of one batch, and come at once.
        first, last = lines[0][0], lines[-1][0]
        start = max(i for i, (at, _) in enumerate(lines[:-1]) if at - first <= (last - first) / 20)
        seconds = (last - lines[start][0]) / (len(lines) - 1 - start)
        scored = json.loads(lines[0][1])["score"]
        ids = self.prompt_ids + scored["id"]
        if len(ids) != size.tokens:
            raise ValueError(f"a sample has {len(ids)} tokens")
        self.figures.update(score=len(ids) / seconds, ids=ids, prompt_tokens=len(self.prompt_ids),
                            confidence=scored["confidence"], score_memory=self.over_weights(memory))
        result(f"score, {size.tokens} tokens", len(ids) / seconds, "tokens/s",
               note=f"{len(lines) - 1 - start} samples; {first - begun:.1f} s to the first")
        result("score, share of the products' rate", self.forward / seconds / self.rate, at_least=0.60)
        result("score, memory over the weights", self.over_weights(memory), "MiB", at_most=2048)

    def timed_steps(self, *options):
        """Trains: (seconds of a step, the memory watch, the settings that run.json holds, the first loss)."""
        size = self.size
        out = self.room / "run"
        shutil.rmtree(out, ignore_errors=True)
        begun = time.monotonic()
        with memory_watch(self.device) as memory:
            run(self.time.share(), self.tools / "cuset-train", *self.base, "--template=chatml", *options,
                f"--max-steps={self.steps}", "-o", out, self.room / "samples.jsonl")
        self.train_seconds = max(self.train_seconds, time.monotonic() - begun)
        log = [json.loads(line) for line in (out / "trainer_log.jsonl").read_text().splitlines()]
        ends = [line["total_tokens"] / line["throughput"] for line in log]  # the throughput is the run's so far
        if log[-1]["total_tokens"] != self.steps * size.tokens:
            raise ValueError(f"{log[-1]['total_tokens']} tokens in {self.steps} steps of {size.tokens}")
        return (median(b - a for a, b in zip(ends[2:], ends[3:])), memory,
                json.loads((out / "run.json").read_text())["settings"], log[0]["loss"])

    def train(self, objective, name):
        size = self.size
        seconds, memory, settings, _ = self.timed_steps(f"--objective={objective}")
        had = self.figures["train"].setdefault(objective, [])
        had.append(seconds)
        if len(had) > 1:
            return  # for the difference alone
        kernels = settings["kernels"]
        self.figures[f"{objective}_memory"] = self.over_weights(memory)
        result(f"train {name}, a step of {size.tokens} tokens", seconds * 1e3, "ms", note=f"kernels {kernels}")
        result(f"train {name}", size.tokens / seconds, "tokens/s")
        result(f"train {name}, share of the products' rate", (self.forward + self.backward) / seconds / self.rate,
               at_least=0.55)
        result(f"train {name}, memory over the weights", self.over_weights(memory), "MiB")

    def sample(self):
        size = self.size
        waves = [length for length in (4, 16) if length < size.new] + [size.new]
        limit = size.prompt + size.new
        with (self.room / "tasks.jsonl").open("w") as out:
            for length in waves:
                out.write(json.dumps({"id": f"of {length}", "prompt": "p" * (limit - length)}) + "\n")
        note = ""
        begun = time.perf_counter()
        try:
            lines = run(self.time.share(), self.tools / "cuset-sample", *self.base, "--template=none", "--plain",
                        "-n", size.answers, "--batch", size.answers, "--max-tokens", limit,
                        "--max-new-tokens", limit, self.room / "tasks.jsonl")
        except out_of_time as late:
            lines, note = late.lines, "; longer answers had no time left"
            if len(lines) < 2 * size.answers:
                raise
        ended = len(lines) // size.answers
        last = lines[(ended - 1) * size.answers:ended * size.answers]
        tokens = [json.loads(line)["tokens"] for _, line in last]
        if set(tokens) != {waves[ended - 1]}:
            raise ValueError(f"answers of {sorted(set(tokens))} tokens, not {waves[ended - 1]}")
        seconds = last[-1][0] - lines[(ended - 1) * size.answers - 1][0]
        self.figures["sample"] = sum(tokens) / seconds
        result(f"sample, {size.answers} answers at a time", sum(tokens) / seconds, "tokens/s",
               note=f"{waves[ended - 1]} tokens each, {1e3 * seconds / waves[ended - 1]:.1f} ms a pass; "
                    f"{lines[0][0] - begun:.1f} s to the first{note}")

    def objectives_apart(self):
        name, train = "CuSeT over SFT", self.figures["train"]
        if "sft" in train and "cuset" in train:
            result(name, 100 * (min(train["cuset"]) / min(train["sft"]) - 1), "%", at_most=1,
                   note=f"of {len(train['sft'])} and {len(train['cuset'])} runs")
        else:
            left_out(name, "one of them was not measured")

    def all(self):
        if not self.part("the model", 25, self.begin):
            return
        self.part("score", 8, self.score)
        objectives = (("sft", "SFT"), ("cuset", "CuSeT"))
        both = [self.part(f"train {name}", 10, lambda: self.train(objective, name)) for objective, name in objectives]
        self.part("sample", 8, self.sample)
        # Both once more, in turn, if there is time.
        if all(both) and self.time.left() > 2.4 * self.train_seconds:
            for objective, name in objectives:
                self.part(f"train {name}, again", 1, lambda: self.train(objective, name))
        self.objectives_apart()


def size_of(a):
    size = SimpleNamespace(**vars(SIZES[a.device]))
    for name in ("layers", "tokens", "samples", "new", "answers"):
        if getattr(a, name, None) is not None:
            setattr(size, name, getattr(a, name))
    return size


def options_of(documentation):
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--seconds", type=float, default=80)
    parser.add_argument("--room", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=12)
    for name in ("layers", "tokens", "samples", "new", "answers"):
        parser.add_argument("--" + name, type=int)
    a = parser.parse_args()
    if size_of(a).new < 5 or a.steps < 4 or size_of(a).samples < 2:
        parser.error("--new is at least 5, --steps 4, --samples 2")
    return a


def main(kind=measurement, documentation=__doc__):
    a = options_of(documentation)
    room = a.room or pathlib.Path(tempfile.mkdtemp())
    room.mkdir(parents=True, exist_ok=True)
    try:
        m = kind(a, room)
        m.all()
    finally:
        if not a.room:
            shutil.rmtree(room)
    return 1 if m.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
