#!/usr/bin/env python3
"""This times sampling on the CPU. It prints the tokens a second of decode_dump (the decoder of
cuset-sample), of transformers' generate, and of llama.cpp where setup.sh --peers has built it, on the
same prompts, weights and threads, as a ratio.

    CUSET_BUILD=build/release CUSET_DEPS=.deps .deps/oracle/bin/python3 tests/bench/sample_throughput.py
        [--model DIR] [--batch 8] [--prompt 300] [--new 128] [--dtype bf16] [--threads 2] [--repeat 3]
        [--peers REGEX] [--json FILE]

All decode greedily, end markers ignored, all prompts in one batch; prompts are pieces of this
repository's own sources, of about --prompt tokens (left-padded for transformers). Prompts and
further tokens are timed apart. The programs run by turns in a process each; the best and the median
of --repeat count. llama.cpp has several forms: weights in f16 and bf16 (the same numbers: f16 is exact
for SmolLM2), with flash attention and without, each sequence with its own part of the cache or not.
It rounds activations and its cache to 16 bits, so its answers drift from ours at near-ties; if they
do not begin alike, other weights were measured, and the ratio is void. Nothing here asserts; it
prints.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPS = pathlib.Path(os.environ.get("CUSET_DEPS", ROOT / ".deps"))
BUILD = pathlib.Path(os.environ.get("CUSET_BUILD", ROOT / "build" / "release"))
DRIVER = BUILD / "tests" / "decode_dump"
BENCH = pathlib.Path(__file__).parent
KEPT_TO = os.environ.get("CUSET_KERNELS", "")
LLAMA = DEPS / ("peers-" + KEPT_TO if KEPT_TO in ("portable", "avx2", "avx512") else "peers") / "bin/python3"

# Answers of the same model agree for more tokens than this, but for near-ties.
ALIKE = 16

PEER = r'''
import json, resource, sys, time
import torch
from transformers import AutoModelForCausalLM
from transformers.generation.stopping_criteria import StoppingCriteria, StoppingCriteriaList
model_dir, dtype, threads, new = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
torch.set_num_threads(threads)
start = time.perf_counter()
model = AutoModelForCausalLM.from_pretrained(
    model_dir, dtype={"bf16": torch.bfloat16, "f32": torch.float32}[dtype]).eval()
load = time.perf_counter() - start
prompts = [json.loads(line)["tokens"] for line in sys.stdin]
longest = max(map(len, prompts))
ids = torch.tensor([[0] * (longest - len(p)) + p for p in prompts])
mask = torch.tensor([[0] * (longest - len(p)) + [1] * len(p) for p in prompts])

class Clock(StoppingCriteria):
    def __call__(self, ids, scores, **kwargs):
        times.append(time.perf_counter())
        return torch.zeros(ids.shape[0], dtype=torch.bool)

times = [time.perf_counter()]
with torch.inference_mode():
    out = model.generate(ids, attention_mask=mask, do_sample=False, max_new_tokens=new,
                         min_new_tokens=new, eos_token_id=None, pad_token_id=0,
                         stopping_criteria=StoppingCriteriaList([Clock()]))
assert out.shape[1] == longest + new and len(times) == new + 1
steps = [b - a for a, b in zip(times[1:], times[2:])]
print(json.dumps({"load": load, "prompt": times[1] - times[0], "steps": steps,
                  "peak_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}), file=sys.stderr)
for answer in out[:, longest:].tolist():
    print(json.dumps({"tokens": answer}))
'''


def make_prompts(model, count, length):
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    sources = sorted((ROOT / "lib" / "model").glob("*.cpp"))
    ids = [i for source in sources for i in tokenizer.encode(source.read_text()).ids]
    # The lengths differ by a few tokens, so that padding is needed.
    prompts, begin = [], 0
    for i in range(count):
        size = max(1, length + 5 * (i - count // 2))
        prompts.append({"tokens": ids[begin:begin + size]})
        begin += size
    return prompts


def run(command, prompts):
    process = subprocess.run(list(map(str, command)),
                             input="".join(json.dumps(p) + "\n" for p in prompts), text=True,
                             capture_output=True)
    if process.returncode != 0:
        sys.exit(process.stderr)
    return json.loads(process.stderr.strip().splitlines()[-1]) | {
        "tokens": [json.loads(line)["tokens"] for line in process.stdout.splitlines()]}


def llama_contenders(model, threads, new):
    """Each form of llama.cpp, or nothing where it is not installed."""
    if not LLAMA.exists():
        print(f"llama.cpp: not measured: {'CUSET_KERNELS=' + KEPT_TO if KEPT_TO else ''} "
              "setup/setup.sh --peers builds it")
        return {}
    forms = {}
    for kind in ("f16", "bf16"):
        file = BUILD / "bench" / f"{model.name}.{kind}.gguf"
        newest = max((model / name).stat().st_mtime for name in ("model.safetensors", "config.json"))
        if not file.exists() or file.stat().st_mtime < newest:
            subprocess.run([DEPS / "tools/bin/python3", BENCH / "gguf_of_model.py", model, file,
                            "--type", kind], check=True)
        for name, options in (("", ()), (", no flash attention", ("--no-flash-attention",)),
                              (", unified", ("--unified",))):
            forms[f"llama.cpp {kind}{name}"] = [LLAMA, BENCH / "llama_decode.py", file, "--new", new,
                                                "--threads", threads, *options]
    return forms


def common_length(a, b):
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=pathlib.Path, default=DEPS / "models/SmolLM2-135M-Instruct")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--prompt", type=int, default=300)
    parser.add_argument("--new", type=int, default=128)
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--path", default="automatic")
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--peers", default="", help="regular expression of the peers to run")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the best rates")
    args = parser.parse_args()

    prompts = make_prompts(args.model, args.batch, args.prompt)
    tokens = sum(len(p["tokens"]) for p in prompts)
    print(f"batch {args.batch}, {tokens} prompt tokens, {args.new} new ones each, {args.dtype}, "
          f"{args.threads} threads")
    contenders = {"cuset": [DRIVER, args.model, "--dtype", args.dtype, "--threads", args.threads,
                            "--path", args.path, "--new", args.new]}
    if not args.no_peer:
        peers = {"transformers": [sys.executable, "-c", PEER, args.model, args.dtype,
                                  args.threads, args.new]}
        peers |= llama_contenders(args.model, args.threads, args.new)
        contenders |= {name: run for name, run in peers.items() if re.search(args.peers, name)}
    results = {name: [] for name in contenders}
    for turn in range(args.repeat):
        for name, command in contenders.items():
            result = run(command, prompts)
            results[name].append(result)
            print(f"  {turn + 1} {name:34} {args.batch * len(result['steps']) / sum(result['steps']):7.1f}"
                  f" tokens/s", flush=True)
    rates = {}
    for name, list_of in results.items():
        decode = [args.batch * len(r["steps"]) / sum(r["steps"]) for r in list_of]
        whole = [args.batch * args.new / (r["prompt"] + sum(r["steps"])) for r in list_of]
        prompt = [tokens / r["prompt"] for r in list_of]
        steps = [s for r in list_of for s in r["steps"]]
        rates[name] = [(max(x), statistics.median(x)) for x in (decode, prompt, whole)]
        print(f"{name:34} further tokens: best {max(decode):.1f}, median "
              f"{statistics.median(decode):.1f} tokens/s (a step: best {1e3 * min(steps):.1f}, median "
              f"{1e3 * statistics.median(steps):.1f} ms); prompts: best {max(prompt):.0f} tokens/s; "
              f"with them: best {max(whole):.1f} new tokens/s; "
              f"peak {max(r['peak_kb'] for r in list_of) / 1024:.0f} MiB  "
              f"{list_of[0].get('compute', '')}")
    agreement = {}
    for name, list_of in results.items():
        lengths = [common_length(a, b) for a, b in zip(results["cuset"][0]["tokens"],
                                                       list_of[0]["tokens"])]
        agreement[name] = statistics.median(lengths)
        if name != "cuset":
            print(f"{name:34} begins as cuset for {', '.join(map(str, lengths))} tokens"
                  f"{'' if agreement[name] >= ALIKE else ': VOID, not the same model'}")
    report = {}
    for family in ("transformers", "llama.cpp"):
        forms = [name for name in rates if name.startswith(family) and agreement[name] >= ALIKE]
        if not forms:
            continue
        best = max(forms, key=lambda name: rates[name][0][0])
        for at, what in enumerate(("further tokens", "prompts", "both")):
            ours, theirs = rates["cuset"][at], max(rates[name][at] for name in forms)
            print(f"ratio to {family}, {what}: best {ours[0] / theirs[0]:.2f}, "
                  f"median {ours[1] / theirs[1]:.2f}")
        report[family] = {"cuset": rates["cuset"][0][0], "peer": rates[best][0][0], "form": best}
    if args.json:
        args.json.write_text(json.dumps(report | {
            "batch": args.batch, "prompt": args.prompt, "new": args.new, "dtype": args.dtype}))


main()
