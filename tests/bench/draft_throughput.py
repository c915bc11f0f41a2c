#!/usr/bin/env python3
"""This times cuset-sample on the CPU with tokens guessed from n-grams (--draft, its default) and
without (--draft 0), and checks that the answers are the same bytes.

    CUSET_BUILD=build/release CUSET_DEPS=.deps python3 tests/bench/draft_throughput.py --tasks FILE
        [--model DIR] [--adapter DIR] [--ask ASK] [--count 4] [--new 256] [--batch 1] [--threads 0] [--repeat 2]
        [--json FILE]

Of FILE's tasks, --count are taken evenly. The two run by turns; the best of --repeat counts, and
the time is the whole program's, prompts and start included. What is asked is what --ask (auto) makes of
the task; an adapter wants the one that it was trained with. Nothing here asserts speed; it prints.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPS = pathlib.Path(os.environ.get("CUSET_DEPS", ROOT / ".deps"))
BUILD = pathlib.Path(os.environ.get("CUSET_BUILD", ROOT / "build" / "release"))
SAMPLE = BUILD / "bin" / "cuset-sample"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=pathlib.Path, default=DEPS / "models/SmolLM2-135M-Instruct")
    parser.add_argument("--adapter", type=pathlib.Path)
    parser.add_argument("--ask", default="auto")
    parser.add_argument("--tasks", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--new", type=int, default=256)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()

    lines = [line for line in args.tasks.read_text(encoding="utf-8").splitlines() if line.strip()]
    step = max(1, len(lines) // args.count)
    seconds, answers = {"with": [], "without": []}, {}
    with tempfile.TemporaryDirectory() as room:
        tasks = pathlib.Path(room) / "tasks.jsonl"
        tasks.write_text("\n".join(lines[::step][:args.count]) + "\n", encoding="utf-8")
        command = [SAMPLE, "-q", "--plain", "--model", args.model, "--ask", args.ask, "--max-new-tokens", args.new,
                   "--batch", args.batch, "-t", args.threads, "-n", 1, tasks]
        if args.adapter:
            command += ["--adapter", args.adapter]
        for _ in range(args.repeat):
            for name, options in (("with", ()), ("without", ("--draft", "0"))):
                start = time.perf_counter()
                run = subprocess.run(list(map(str, [*command, *options])), text=True,
                                     capture_output=True)
                seconds[name].append(time.perf_counter() - start)
                if run.returncode != 0:
                    sys.exit(run.stderr)
                answers[name] = [json.loads(line) for line in run.stdout.splitlines()]
    if [a["response"] for a in answers["with"]] != [a["response"] for a in answers["without"]]:
        sys.exit("draft_throughput.py: the answers differ")
    tokens = sum(a["tokens"] for a in answers["with"])
    rates = {name: tokens / min(times) for name, times in seconds.items()}
    print(f"{args.count} tasks, {tokens} tokens, {args.batch} at a time: with drafts "
          f"{rates['with']:.1f} tokens/s, without {rates['without']:.1f}, ratio "
          f"{rates['with'] / rates['without']:.2f}")
    if args.json:
        args.json.write_text(json.dumps({
            "cuset": rates["with"], "peer": rates["without"], "form": "--draft 0",
            "tasks": args.count, "batch": args.batch, "tokens": tokens,
            "adapter": args.adapter is not None}))


main()
