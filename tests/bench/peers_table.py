"""This prints what peers.sh has measured, in Markdown: peers_table.py RESULTS [FORCED]."""
import datetime
import json
import os
import pathlib
import sys

FEATURES = ("avx2", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16")
KINDS = ("AVX512_BF16", "AMX", "neither")
TARGETS = {  # of the kinds above, in order
    "score": (1.8, 2.5, 2.0),
    "train": (2.5, 4, 3),
    "share": (0.75, 0.6, 0.75),
    "sample": (1.5, 1.5, 1.2),
    "draft": (1.5, 1.5, 1.5),
}

folder, forced = pathlib.Path(sys.argv[1]), sys.argv[2]
processor = {}
for line in open("/proc/cpuinfo", encoding="utf-8"):
    key, _, value = line.partition(":")
    processor.setdefault(key.strip(), value.strip())
flags = processor.get("flags", "").split()
kind = 1 if "amx_bf16" in flags else 0 if "avx512_bf16" in flags else 2


def result(name):
    """What was measured, or why nothing was."""
    path = folder / f"{name}.json"
    if path.exists():
        return json.loads(path.read_text()), None
    why = folder / f"{name}.why"
    return None, why.read_text().strip() if why.exists() else f"peers.sh {name} has not run"


def row(what, name, ours, theirs, ratio):
    target = TARGETS[name][kind]
    verdict = "met" if ratio >= target else "missed"
    print(f"| {what} | {ours} | {theirs} | {ratio:.2f} | ≥ {target}: {verdict} |")


def missing(what, name, why):
    print(f"| {what} | not measured: {why} | | | ≥ {TARGETS[name][kind]} |")


def rate(value):
    return f"{value:.0f} tokens/s"


print(f"{processor.get('model name', 'unknown processor')} (family {processor.get('cpu family')}, "
      f"model {processor.get('model')}; {', '.join(f for f in FEATURES if f in flags)}), "
      f"{len(os.sched_getaffinity(0))} threads, {datetime.date.today()}: targets of "
      f"{KINDS[kind]}{', forced: ' + forced if forced else ''}")
print("\n| what | cuset | peer | ratio | target |\n|---|---|---|---|---|")
score, why = result("score")
if score and score["peer"]:
    row(f"score, {score['pairs']} pairs, {score['tokens']} tokens, {score['dtype']}", "score",
        rate(score["cuset"]), f"{rate(score['peer'])} ({score['form']})",
        score["cuset"] / score["peer"])
else:
    missing("score", "score", why or "no peer")
train, why = result("train")
if train and train["peer"]:
    row(f"train, LoRA r 8, {train['tokens']} tokens, {train['dtype']}", "train",
        rate(train["cuset"]), f"{rate(train['peer'])} ({train['form']}; LLaMA-Factory "
        f"{'ran too' if train['factory'] else 'not measured: not installed, or not in this type'})",
        train["cuset"] / train["peer"])
else:
    missing("train", "train", why or "no peer")
if score:
    row("products' share in scoring", "share", f"{score['share'] * score['rate']:.0f} GFLOP/s",
        f"{score['rate']:.0f} GFLOP/s (LibTorch's best)", score["share"])
else:
    missing("products' share in scoring", "share", "scoring was not")
sample, why = result("sample")
llama = sample.get("llama.cpp") if sample else None
if llama:
    row(f"sample, {sample['batch']} answers at a time after {sample['prompt']} tokens each",
        "sample", rate(llama["cuset"]), f"{rate(llama['peer'])} ({llama['form']})",
        llama["cuset"] / llama["peer"])
else:
    missing("sample against llama.cpp", "sample",
            why or "no llama.cpp (setup/setup.sh --peers), or its answers were other ones")
draft, why = result("draft")
if draft:
    row(f"guessed tokens, {draft['tasks']} tasks, {draft['batch']} at a time, "
        f"{'fine-tuned' if draft['adapter'] else 'not fine-tuned'}", "draft", rate(draft["cuset"]),
        f"{rate(draft['peer'])} ({draft['form']})", draft["cuset"] / draft["peer"])
else:
    missing("guessed tokens", "draft", why)
