"""This runs cuset-train and cuset-score on a GPU, with a small model of random weights: f32 says
what the CPU says, bf16 nearly so, the same bits come again, packing changes nothing, a step never
waits for the host, and the tools say which kernels ran.

    models.py [--device cuda|cpu] [--seconds S]

With --device cpu, a rehearsal, the CPU stands for the GPU too, and what only a GPU has is left out.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import _results

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
options.add_argument("--seconds", type=float, default=600)
options = options.parse_args()
end = time.monotonic() + options.seconds
on_gpu = options.device == "cuda"
source = pathlib.Path(os.environ["CUSET_SOURCE"])
tools = pathlib.Path(os.environ["CUSET_BIN"])
queued_step = pathlib.Path(os.environ["CUSET_BUILD"]) / "tests/queued_step"
if on_gpu and (shutil.which("nvidia-smi") is None or subprocess.run(["nvidia-smi", "-L"], check=False).returncode):
    print("there is no GPU here")
    sys.exit(77)
if on_gpu and not queued_step.exists():
    print("this build has no CUDA support: configure with the preset cuda")
    sys.exit(77)
sys.path.insert(0, str(source / "tests/cli"))
import _tiny_model as tiny  # noqa: E402

tiny.hidden, tiny.layers, tiny.heads, tiny.kv_heads, tiny.inner = 256, 2, 4, 2, 512


class Failed(Exception):
    """A tool that should have worked; what builds on it is left out."""


def that(name, good, detail=""):
    _results.check(name, good, str(detail))


def run(tool, *options, data=None):
    done = subprocess.run([tools / tool, *map(str, options)], input=data, capture_output=True, check=False)
    if done.returncode:
        raise Failed(f"{tool} {' '.join(map(str, options))}: {done.stderr.decode()[-800:]}")
    return done.stdout


def write_data():
    """A model, one of a single layer, and tagged pairs."""
    tiny.write(room / "model")
    tiny.layers = 1
    tiny.write(room / "one-layer")
    code = "__global__ void f(float* x, int n) {{\n{0}}}\nint main() {{ f<<<{1}, 32>>>(p, {1}); }}\n"
    pairs = "".join(json.dumps({"id": f"k{i}", "prompt": f"scale by {i + 2}", "response": code.format(
        f"  x[threadIdx.x + {i}] *= n;\n" * (1 + 7 * i % 23), i + 1)}) + "\n" for i in range(24)).encode()
    (room / "pairs.jsonl").write_bytes(run("cuset-tag", "--plain", data=pairs))


def train(name, *more, device=options.device):
    out = room / name
    run("cuset-train", "--model", room / "model", "-o", out, "--template=chatml", f"--device={device}", "--lr=3e-3",
        "--epochs=4", "--batch=4", "-q", *(["--threads=3"] if device == "cpu" else []), *more, room / "pairs.jsonl")
    log = [json.loads(line) for line in (out / "trainer_log.jsonl").read_text().splitlines()]
    return out, log


def apart(a, b, key):
    """The largest difference between two logs, relative to the value."""
    return max(abs(x[key] - y[key]) / max(1e-3, abs(y[key])) for x, y in zip(a, b, strict=True))


QUANTISED = (("nf4", "f32", 2e-3), ("int8", "f32", 2e-3), ("nf4", "bf16", 3e-2))
OBJECTIVES = ("cuset", "sft", "dft", "eaft", "asft", "profit")
# Forms of cuset's mask and weights.
FORMS = (("--mask=soft", "--weights=mean1", "--weight-power=1.5", "--tau-warmup=5"), ("--mask=stubborn", "--tau=0.05"))


def as_on_the_cpu(objective, *more):
    """A check of that objective. In f32 both sides round products of at most 512 terms (5e-7 relative each),
    over 24 steps whose errors AdamW's quotient can make larger where a gradient is near 0. On one CPU, kernels
    that add up in another order (CUSET_KERNELS) are 5.5e-5 apart at most."""
    def check():
        how = (f"--objective={objective}", "--dtype=f32", *more)
        cpu = train(f"cpu-{objective}{''.join(more[:1])}", *how, device="cpu")[1]
        gpu = train(f"gpu-{objective}{''.join(more[:1])}", *how)[1]
        for key in ("loss", "nll", "mean_confidence", "grad_norm"):
            that(f"{objective}: {key} of GPU and CPU", apart(gpu, cpu, key) < 2e-3, f"{apart(gpu, cpu, key):.2e}")
        if objective in ("cuset", "sft", "eaft"):  # the others follow what the model believes already
            that(f"{objective}: the loss falls", gpu[-1]["nll"] < gpu[0]["nll"], (gpu[0]["nll"], gpu[-1]["nll"]))

    check.__name__ = f"{objective}{' ' if more else ''}{' '.join(more)} as on the CPU"
    return check


def all_weights():
    full = ("--full", "--dtype=f32", "--lr=1e-4")
    cpu = train("cpu-full", *full, device="cpu")[1]
    that("all weights: nll", apart(train("gpu-full", *full)[1], cpu, "nll") < 5e-3)


def bfloat16_near_the_cpu():
    cpu = train("cpu-narrow", "--dtype=bf16", device="cpu")[1]
    narrow = train("gpu-narrow", "--dtype=bf16")[1]
    that("bf16: nll near the CPU's", apart(narrow, cpu, "nll") < 3e-2, f"{apart(narrow, cpu, 'nll'):.2e}")


def on_a_base_in(form, dtype, bound):
    """A check of training on a quantised base. Codes are made on the CPU, and dequantised to the same bits on
    both sides; bounds are those of bases that are not quantised."""
    def check():
        how = (f"--quantize={form}", f"--dtype={dtype}", "--objective=sft")
        cpu = train(f"cpu-{form}-{dtype}", *how, device="cpu")[1]
        gpu = train(f"gpu-{form}-{dtype}", *how)[1]
        that(f"{form} in {dtype}: nll of GPU and CPU", apart(gpu, cpu, "nll") < bound,
             f"{apart(gpu, cpu, 'nll'):.2e}")
        that(f"{form} in {dtype}: the loss falls", gpu[-1]["nll"] < gpu[0]["nll"], (gpu[0]["nll"], gpu[-1]["nll"]))

    check.__name__ = f"a base in {form} as on the CPU, {dtype}"
    return check


def quantised_confidences():
    scores = [json.loads(line)["score"]["confidence"] for device in ("cpu", options.device) for line in run(
        "cuset-score", "--model", room / "model", "--template=chatml", f"--device={device}", "--dtype=f32",
        "--quantize=nf4", "--plain", "-q", room / "pairs.jsonl").decode().splitlines()]
    half = len(scores) // 2
    worst = max(abs(a - b) for x, y in zip(scores[:half], scores[half:], strict=True)
                for a, b in zip(x, y, strict=True))
    that("nf4: confidences of GPU and CPU", worst < 1e-4, f"{worst:.2e}")


def packing():
    """One sample a pass, and all of a step's in one."""
    for dtype, bound in (("f32", 2e-3), ("bf16", 2e-2)):
        alone = train(f"alone-{dtype}", f"--dtype={dtype}", "--batch=1", "--accumulate=4", "--pass-tokens=16")[1]
        packed = train(f"packed-{dtype}", f"--dtype={dtype}")[1]
        that(f"{dtype}: packing", apart(packed, alone, "nll") < bound, f"{apart(packed, alone, 'nll'):.2e}")


def the_same_bits():
    again = [train(f"same-{i}", "--dtype=bf16", "--deterministic")[0] for i in range(3)]
    that("the same bits", len({(out / "adapter_model.safetensors").read_bytes() for out in again}) == 1)


def steps_that_never_wait(dtype):
    def check():
        for ways in (["cuset"], ["eaft"], ["asft"], ["cuset", "recompute"], ["cuset", "full"], ["cuset", "nf4"]):
            done = subprocess.run([queued_step, room / "one-layer", dtype, *ways], capture_output=True, text=True,
                                  check=False)
            that(f"a step of {' '.join(ways)} in {dtype} never waits", done.returncode == 0,
                 (done.stdout + done.stderr).strip()[-400:])

    check.__name__ = f"steps that never wait in {dtype}"
    return check


def confidences():
    """In bf16 a GPU's activations are rounded and the CPU's are not; with random weights, whose attention is
    sharp, single tokens then differ by as much as 0.5 (transformers in either way does): the mean counts."""
    scores = {}
    for device, dtype in (("cpu", "f32"), (options.device, "f32"), ("cpu", "bf16"), (options.device, "bf16")):
        lines = run("cuset-score", "--model", room / "model", "--template=chatml", f"--device={device}",
                    f"--dtype={dtype}", "--plain", "-q", room / "pairs.jsonl").decode().splitlines()
        scores[device, dtype] = [json.loads(line)["score"]["confidence"] for line in lines]
    for dtype, bound, count in (("f32", 1e-4, max), ("bf16", 1e-2, lambda all: sum(all) / len(all))):
        differences = [abs(a - b) for x, y in zip(scores["cpu", dtype], scores[options.device, dtype], strict=True)
                       for a, b in zip(x, y, strict=True)]
        that(f"{dtype}: confidences of GPU and CPU", count(differences) < bound, f"{count(differences):.2e}")


def names_of_kernels():
    """Machine code for this GPU, or the driver's own from PTX."""
    capability = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"],
                                capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()
    wanted = {"7.5": "none", "8.0": "sm_80", "8.6": "sm_80", "8.7": "sm_80", "8.9": "sm_80",
              "9.0": "sm_90a"}.get(capability, "PTX")
    said = json.loads((train("named")[0] / "run.json").read_text())["settings"]["kernels"]
    that("run.json's kernels", said == wanted, (said, wanted))
    that("-V's kernels", f", kernels {wanted}" in run("cuset-score", "-V").decode())


NEVER_WAIT = [steps_that_never_wait(dtype) for dtype in ("f32", "bf16")]
longest = 0.0  # seconds of a check so far


def looked_at(check):
    global longest
    begun = time.monotonic()
    if not on_gpu and check in (*NEVER_WAIT, names_of_kernels):
        _results.left_out(check.__name__, "there is no GPU")
    elif begun + longest > end:
        _results.left_out(check.__name__, "no time is left")
    else:
        try:
            check()
        except Failed as failed:
            that(check.__name__, False, failed)
        longest = max(longest, time.monotonic() - begun)


with tempfile.TemporaryDirectory() as folder:
    room = pathlib.Path(folder)
    write_data()
    # Each run spends some seconds on starting and little on the GPU.
    with concurrent.futures.ThreadPoolExecutor(5 if on_gpu else 1) as several:
        for done in [several.submit(looked_at, check) for check in (
                *NEVER_WAIT, the_same_bits, confidences, names_of_kernels, packing, bfloat16_near_the_cpu,
                quantised_confidences, *(on_a_base_in(*how) for how in QUANTISED), all_weights,
                *map(as_on_the_cpu, OBJECTIVES),
                *(as_on_the_cpu("cuset", *form) for form in FORMS))]:
            done.result()
sys.exit(1 if _results.missed else 0)
