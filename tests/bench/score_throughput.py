#!/usr/bin/env python3
"""This times scoring on the CPU. It prints tokens a second and peak memory of logprob_dump (the
forward pass of cuset-score) and of a competent transformers loop, on the same pairs, threads and
type, as a ratio.

    CUSET_BUILD=build/release CUSET_DEPS=.deps .deps/oracle/bin/python3 tests/bench/score_throughput.py
        [--model DIR] [--pairs FILE] [--count 24] [--dtype bf16] [--threads 2] [--repeat 3]
        [--json FILE]

The peer is AutoModelForCausalLM under inference_mode, float log-softmax and gather, with single
pairs, batches of padded ones sorted by length, or single pairs whose logits are computed 64 rows at a
time, whichever is faster. A processor without bfloat16 instructions emulates them in LibTorch, so
that its peer for bf16 computes in f32 there (--peer-dtype chooses). The two run by turns and the
best of --repeat counts, so that a busy machine slows both. Each run is a process of its own: peak
memory is that process's.

The products' share is what all products of the model need at the best rate that LibTorch reaches on
this machine with large matrices (in float; where the processor has bfloat16 instructions, in
bfloat16), as a share of all the time that scoring takes. Nothing here asserts; it prints.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPS = pathlib.Path(os.environ.get("CUSET_DEPS", ROOT / ".deps"))
DRIVER = pathlib.Path(os.environ.get("CUSET_BUILD", ROOT / "build" / "release")) / "tests" / "logprob_dump"

PEER = r'''
import json, resource, sys, time
import torch
from transformers import AutoModelForCausalLM
model_dir, dtype = sys.argv[1:3]
threads, batch, chunk = map(int, sys.argv[3:])
torch.set_num_threads(threads)
start = time.perf_counter()
model = AutoModelForCausalLM.from_pretrained(
    model_dir, dtype={"bf16": torch.bfloat16, "f32": torch.float32}[dtype]).eval()
load = time.perf_counter() - start
requests = [json.loads(line) for line in sys.stdin]
start = time.perf_counter()
order = sorted(range(len(requests)), key=lambda i: len(requests[i]["tokens"]))
out = [None] * len(requests)
with torch.inference_mode():
    for first in range(0, len(order), batch):
        part = order[first:first + batch]
        if chunk:  # the logits of `chunk` rows at a time, of the response alone
            [i] = part
            n, prompt = len(requests[i]["tokens"]), requests[i]["prompt"]
            ids = torch.tensor([requests[i]["tokens"]])
            hidden = model.model(ids, use_cache=False).last_hidden_state[0]
            out[i] = torch.cat([
                model.lm_head(hidden[row:min(row + chunk, n - 1)]).float().log_softmax(-1).gather(
                    1, ids[0, row + 1:min(row + chunk, n - 1) + 1, None])[:, 0]
                for row in range(prompt - 1, n - 1, chunk)])
            continue
        longest = max(len(requests[i]["tokens"]) for i in part)
        ids = torch.zeros(len(part), longest, dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, i in enumerate(part):
            tokens = requests[i]["tokens"]
            ids[row, :len(tokens)] = torch.tensor(tokens)
            mask[row, :len(tokens)] = 1
        logits = model(ids, attention_mask=mask if batch > 1 else None, use_cache=False).logits
        for row, i in enumerate(part):
            n, prompt = len(requests[i]["tokens"]), requests[i]["prompt"]
            values = logits[row, prompt - 1:n - 1].float().log_softmax(-1)
            out[i] = values.gather(1, ids[row, prompt:n, None])[:, 0]
run = time.perf_counter() - start
print(json.dumps({"load": load, "run": run, "tokens": sum(len(r["tokens"]) for r in requests),
                  "peak_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}), file=sys.stderr)
'''


RATE = r'''
import sys, time
import torch
torch.set_num_threads(int(sys.argv[1]))
flags = open("/proc/cpuinfo").read()
best = 0.0
for dtype in [torch.float32] + [torch.bfloat16] * ("avx512_bf16" in flags):
    for m, n, k in ((512, 1536, 576), (1024, 1024, 1024), (2048, 2048, 2048), (2048, 4096, 1024)):
        a, b = torch.randn(m, k, dtype=dtype), torch.randn(n, k, dtype=dtype)
        end = time.perf_counter() + 0.5
        while time.perf_counter() < end:
            start = time.perf_counter()
            torch.nn.functional.linear(a, b)
            best = max(best, 2.0 * m * n * k / (time.perf_counter() - start))
print(best)
'''


def product_operations(requests, folder):
    """Multiplications and additions of the layers, causal attention, and the head for responses."""
    config = json.loads((folder / "config.json").read_text())
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    width = config.get("head_dim") or hidden // heads
    queries, keys = heads * width, config["num_key_value_heads"] * width
    layer = hidden * (2 * queries + 2 * keys + 3 * config["intermediate_size"])
    total = 0
    for request in requests:
        n, prompt = len(request["tokens"]), request["prompt"]
        attention = 2 * queries * n * (n + 1) / 2
        total += 2 * config["num_hidden_layers"] * (layer * n + attention)
        total += 2 * hidden * config["vocab_size"] * (n - prompt)
    return total


def read_requests(path, model, count, most):
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    requests = []
    for line in open(path, encoding="utf-8"):
        record = json.loads(line)
        prompt = tokenizer.encode(record.get("level1_prompt") or record["prompt"]).ids
        response = tokenizer.encode(record.get("bench.cu") or record["response"]).ids
        tokens = (prompt + response)[:most]
        if len(tokens) > len(prompt) > 0:
            requests.append({"tokens": tokens, "prompt": len(prompt)})
    # Takes requests evenly from the file, so that a few stand for all.
    step = max(1, len(requests) // count)
    return requests[::step][:count]


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command, requests):
    before = processor_seconds()
    process = subprocess.run(list(map(str, command)),
                             input="".join(json.dumps(r) + "\n" for r in requests), text=True,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if process.returncode != 0:
        sys.exit(process.stderr)
    return (json.loads(process.stderr.strip().splitlines()[-1]) |
            {"processor": processor_seconds() - before})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=pathlib.Path, default=DEPS / "models/SmolLM2-135M-Instruct")
    parser.add_argument("--pairs", type=pathlib.Path, default=ROOT / "examples/pairs.jsonl")
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--max-tokens", type=int, default=4096)
    parser.add_argument("--path", default="automatic")
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--peer-dtype", choices=("bf16", "f32"))
    parser.add_argument("--json", type=pathlib.Path, help="a file for the best rates")
    args = parser.parse_args()

    requests = read_requests(args.pairs, args.model, args.count, args.max_tokens)
    tokens = sum(len(r["tokens"]) for r in requests)
    print(f"{len(requests)} pairs, {tokens} tokens, {args.dtype}, {args.threads} threads")
    ours = [DRIVER, args.model, "--dtype", args.dtype, "--threads", args.threads, "--path",
            args.path]
    contenders = {"cuset": ours}
    if not args.no_peer:
        dtype = args.peer_dtype or (
            args.dtype if "avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text() else "f32")
        for name, batch, chunk in (("batch 1", 1, 0), ("batch 4", 4, 0), ("by 64 rows", 1, 64)):
            contenders[f"transformers {dtype}, {name}"] = [
                sys.executable, "-c", PEER, args.model, dtype, args.threads, batch, chunk]
    best = {}
    for _ in range(args.repeat):
        for name, command in contenders.items():
            result = run(command, requests)
            print(f"  {name:30} {tokens / result['run']:8.0f} tokens/s", flush=True)
            if name not in best or result["run"] < best[name]["run"]:
                best[name] = result
    for name, result in best.items():
        print(f"{name:30} {tokens / result['run']:8.0f} tokens/s, load {result['load']:.2f} s, "
              f"whole process {result['processor']:.1f} processor s, "
              f"peak {result['peak_kb'] / 1024:.0f} MiB  {result.get('compute', '')}")
    if not args.no_peer:
        peer = min(r["run"] for name, r in best.items() if name != "cuset")
        cheapest = min(r["processor"] for name, r in best.items() if name != "cuset")
        print(f"ratio {peer / best['cuset']['run']:.2f}; in processor time, which a busy machine "
              f"disturbs less, {cheapest / best['cuset']['processor']:.2f}")

    rate = float(subprocess.run([sys.executable, "-c", RATE, str(args.threads)], check=True,
                                capture_output=True, text=True).stdout)
    reached = product_operations(requests, args.model) / best["cuset"]["run"]
    print(f"products: {reached / 1e9:.0f} of {rate / 1e9:.0f} GFLOP/s, a share of {reached / rate:.2f}")
    if args.json:
        peers = {name: tokens / r["run"] for name, r in best.items() if name != "cuset"}
        form = max(peers, key=peers.get, default=None)
        args.json.write_text(json.dumps({
            "cuset": tokens / best["cuset"]["run"], "peer": peers.get(form), "form": form,
            "share": reached / rate, "rate": rate / 1e9, "pairs": len(requests), "tokens": tokens,
            "dtype": args.dtype}))

    text = (requests[0]["tokens"] * 4096)[:4096]
    longest = run(ours, [{"tokens": text, "prompt": 64}])
    weights = (args.model / "model.safetensors").stat().st_size / 2**20
    print(f"one sample of 4096 tokens: peak {longest['peak_kb'] / 1024:.0f} MiB, weights "
          f"{weights:.0f} MiB, over them {longest['peak_kb'] / 1024 - weights:.0f} MiB; "
          f"{4096 / longest['run']:.0f} tokens/s")


main()
