#!/usr/bin/env python3
"""This times training on the CPU. It prints tokens a second and peak memory of training_dump (the
loop of lib/train), of a bare transformers + peft loop, and of LLaMA-Factory where it is installed
(by tests/oracle/llamafactory_losses.py --install), on the same samples, threads and type, as a
ratio. LLaMA-Factory takes the model in the type that it is stored in, so it is there for bf16 only.
A processor without bfloat16 instructions emulates them in LibTorch, so that the loop computes in f32
there (--peer-dtype chooses).

    CUSET_BUILD=build/release CUSET_DEPS=.deps .deps/oracle/bin/python3 tests/bench/train_throughput.py
        [--model DIR] [--tokens 2048] [--steps 3] [--dtype bf16] [--threads 2] [--objective sft]
        [--peer-dtype f32] [--rounds 1] [--only PATTERN] [--json FILE]

Each sample is --tokens long, a third of it prompt; one sample a step; LoRA r = 8 on every linear layer
but the head, dropout 0.05, AdamW. The peers take the loss from the model's own cross-entropy, with
and without gradient checkpointing. The first step is not counted. The programs run in turn, --rounds
times; the rate of each is that of its fastest step, since other work on a shared machine can only
slow a step. Nothing here asserts; it prints.
"""
import argparse
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from statistics import median

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPS = pathlib.Path(os.environ.get("CUSET_DEPS", ROOT / ".deps"))
DRIVER = pathlib.Path(os.environ.get("CUSET_BUILD", ROOT / "build" / "release")) / "tests" / "training_dump"

PEER = r'''
import json, resource, sys, time
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
folder, dtype, threads, checkpointing = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "on"
torch.set_num_threads(threads)
model = AutoModelForCausalLM.from_pretrained(
    folder, dtype={"bf16": torch.bfloat16, "f32": torch.float32}[dtype])
if checkpointing:
    model.gradient_checkpointing_enable()
    model.enable_input_require_grads()
model = get_peft_model(model, LoraConfig(r=8, lora_alpha=16, lora_dropout=0.05, target_modules=[
    "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"])).train()
trained = [p for p in model.parameters() if p.requires_grad]
for p in trained:
    p.data = p.data.float()
optimizer = torch.optim.AdamW(trained, lr=1e-4, weight_decay=0.0)
seconds = []
for sample in json.load(sys.stdin)["samples"]:
    start = time.perf_counter()
    ids = torch.tensor([sample["tokens"]])
    labels = ids.clone()
    labels[:, :sample["prompt"]] = -100
    model(input_ids=ids, labels=labels, use_cache=False).loss.backward()
    torch.nn.utils.clip_grad_norm_(trained, 1.0)
    optimizer.step()
    optimizer.zero_grad()
    seconds.append(time.perf_counter() - start)
print(json.dumps({"seconds": seconds,
                  "peak_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}), file=sys.stderr)
'''

# LLaMA-Factory's own training, from samples that are tokens already (it needs the name of a dataset
# all the same). A callback notes the end of each step; its log has whole seconds only.
FACTORY = r'''
import json, resource, sys, tempfile, time
import torch
from datasets import Dataset
from llamafactory.train.tuner import run_exp
from transformers import TrainerCallback
folder, dtype, threads, checkpointing = sys.argv[1:]
torch.set_num_threads(int(threads))
samples = json.load(sys.stdin)["samples"]
ends = []
class Clock(TrainerCallback):
    def on_step_end(self, *_, **__):
        ends.append(time.perf_counter())
with tempfile.TemporaryDirectory() as room:
    Dataset.from_list([{
        "input_ids": s["tokens"], "attention_mask": [1] * len(s["tokens"]),
        "labels": [-100] * s["prompt"] + s["tokens"][s["prompt"]:]} for s in samples
    ]).save_to_disk(room + "/tokens")
    run_exp({
        "model_name_or_path": folder, "stage": "sft", "do_train": True, "template": "smollm2",
        "dataset": "none", "tokenized_path": room + "/tokens", "finetuning_type": "lora",
        "lora_rank": 8, "lora_alpha": 16, "lora_dropout": 0.05, "lora_target": "all",
        "output_dir": room + "/out",
        "per_device_train_batch_size": 1, "gradient_accumulation_steps": 1, "logging_steps": 1,
        "max_steps": len(samples), "learning_rate": 1e-4, "weight_decay": 0.0, "max_grad_norm": 1.0,
        "bf16": dtype == "bf16", "use_cpu": True,
        "disable_gradient_checkpointing": checkpointing == "off",
        "disable_shuffling": True, "save_strategy": "no", "report_to": "none"}, callbacks=[Clock()])
print(json.dumps({"seconds": [b - a for a, b in zip(ends, ends[1:])],
                  "peak_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}), file=sys.stderr)
'''


def read_samples(model, tokens, count):
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    text = "".join(json.loads(line)["response"]
                   for line in open(ROOT / "examples" / "pairs.jsonl", encoding="utf-8"))
    ids = tokenizer.encode(text).ids
    return [{"tokens": ids[i * tokens:(i + 1) * tokens], "prompt": tokens // 3, "key": i,
             "sensitive": [1, 0] * tokens} for i in range(count)]


def ours(options):
    """A function that returns the seconds of each step but the first, and the peak in KiB."""
    def run(args, samples):
        request = {"samples": samples, "options": options | {
            "dtype": args.dtype, "threads": args.threads, "objective": args.objective, "lr": 1e-4,
            "dropout": 0.05, "steps": len(samples)}}
        with tempfile.TemporaryDirectory() as out:
            # cuset-train bounds the spinning of its threads; the driver does not.
            done = subprocess.run(["/usr/bin/env", DRIVER, args.model, out], text=True,
                                  input=json.dumps(request), capture_output=True,
                                  env={"GOMP_SPINCOUNT": "10000"} | os.environ)
        if done.returncode != 0:
            sys.exit(done.stderr)
        at = [json.loads(line)["seconds"] for line in done.stdout.splitlines()]
        return [b - a for a, b in itertools.pairwise(at)], int(done.stderr.split()[-1])
    return run


def theirs(python, program, dtype, checkpointing, first):
    """The same of a peer, from its step `first` on."""
    def run(args, samples):
        done = subprocess.run(
            [python, "-c", program, args.model, dtype, str(args.threads), checkpointing],
            text=True, input=json.dumps({"samples": samples}), stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, env=os.environ | {
                "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "",
                "OMP_NUM_THREADS": str(args.threads)})
        if done.returncode != 0:
            sys.exit(done.stderr)
        result = json.loads(done.stderr.strip().splitlines()[-1])
        return result["seconds"][first:], result["peak_kb"]
    return run


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=pathlib.Path, default=DEPS / "models/SmolLM2-135M-Instruct")
    parser.add_argument("--tokens", type=int, default=2048)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--peer-dtype", choices=("bf16", "f32"))
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--objective", default="sft")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", help="regular expression of the programs to run")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the best rates")
    args = parser.parse_args()

    samples = read_samples(args.model, args.tokens, args.steps + 1)
    for sample in samples:
        sample["sensitive"] = sample["sensitive"][:args.tokens - sample["prompt"]]
    print(f"{args.steps} steps of {args.tokens} tokens, {args.dtype}, {args.threads} threads")
    programs = {"cuset": ours({}), "cuset, recomputing": ours({"recompute": True})}
    native = "avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text()
    dtype = args.peer_dtype or (args.dtype if native else "f32")
    # 1: it times the first step too.
    peers = [(f"transformers + peft {dtype}", sys.executable, PEER, dtype, 1)]
    factory = DEPS / "llamafactory/bin/python3"
    if args.dtype == "bf16" and args.peer_dtype != "f32" and factory.exists():
        peers.append(("LLaMA-Factory", factory, FACTORY, args.dtype, 0))
    programs |= {f"{name}, checkpointing {at}": theirs(python, program, dtype, at, first)
                 for (name, python, program, dtype, first), at in itertools.product(
                     peers, ("off", "on"))}
    if args.only:
        programs = {name: run for name, run in programs.items() if re.search(args.only, name)}
    seconds = {name: [] for name in programs}
    peaks = {}
    for _ in range(args.rounds):
        for name, run in programs.items():
            steps, peaks[name] = run(args, samples)
            seconds[name] += steps
            print(f"{name:40} {' '.join(f'{step:.2f}' for step in steps)} s", flush=True)
    rates = {name: args.tokens / min(steps) for name, steps in seconds.items()}
    for name, steps in seconds.items():
        print(f"{name:40} {rates[name]:6.1f} tokens/s (median {args.tokens / median(steps):6.1f}), "
              f"peak {peaks[name] / 1024:.0f} MiB")
    best = [max((rate for name, rate in rates.items() if name.startswith("cuset") == own), default=0)
            for own in (True, False)]
    if all(best):
        print(f"ratio {best[0] / best[1]:.2f}")
    if args.json:
        peers = {name: rate for name, rate in rates.items() if not name.startswith("cuset")}
        form = max(peers, key=peers.get, default=None)
        args.json.write_text(json.dumps({
            "cuset": best[0], "peer": peers.get(form), "form": form, "tokens": args.tokens,
            "dtype": args.dtype, "factory": any(name.startswith("LLaMA-Factory") for name in programs)}))


main()
