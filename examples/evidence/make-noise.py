#!/usr/bin/env python3
"""Write a training set of other host code, of wrong programs or with a rare family, as JSON lines.

usage: make-noise.py [OPTION]... TASKS.jsonl >SET.jsonl

TASKS.jsonl is the split train of make-tasks.py. Tasks stay as they are: only bench.cu changes, and "noise" or
"wrong", which training does not read, tell how. The same seed gives the same bytes.
"""
import argparse
import json
import random
import sys

sys.dont_write_bytecode = True
from generator.mistakes import wrong  # noqa: E402
from generator.noise import KINDS, noisy  # noqa: E402


def chosen(tasks, programs, rare, rare_share):
    """The first `programs` tasks, or of the rare family its share of them and more of the others instead."""
    tasks_of_set = tasks[:programs or len(tasks)]
    if not rare:
        return tasks_of_set
    usual = sum(task["family"] == rare for task in tasks_of_set)
    if not usual:
        sys.exit(f"make-noise.py: no family {rare}")
    its = [task for task in tasks if task["family"] == rare][:max(1, round(usual * rare_share))]
    others = [task for task in tasks if task["family"] != rare][:len(tasks_of_set) - len(its)]
    kept = {task["id"] for task in its + others}
    return [task for task in tasks if task["id"] in kept]


def share_of(tasks, share, seed):
    """The ids of that share of the tasks. A larger share has all that a smaller one has."""
    ids = [task["id"] for task in tasks]
    random.Random(seed).shuffle(ids)
    return set(ids[:round(share * len(ids))])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", metavar="TASKS.jsonl")
    parser.add_argument("--programs", type=int, default=0, help="how many programs the set has; 0: all")
    parser.add_argument("--seed", type=int, default=22)
    parser.add_argument("--noise", default="", help=f"kinds of noise, of {','.join(KINDS)}; or all")
    parser.add_argument("--noise-share", type=float, default=1, help="the share of programs with noise")
    parser.add_argument("--pieces", type=int, default=8, help="the most pieces of noise of a program")
    parser.add_argument("--growth", type=float, default=0.6, help="the most bytes of noise a byte of the program")
    parser.add_argument("--wrong-share", type=float, default=0, help="the share of programs with a mistake")
    parser.add_argument("--rare", default="", metavar="FAMILY", help="a family that is rare")
    parser.add_argument("--rare-share", type=float, default=1 / 12, help="the share of its programs that is left")
    options = parser.parse_args()
    kinds = list(KINDS) if options.noise == "all" else [kind for kind in options.noise.split(",") if kind]
    for kind in kinds:
        if kind not in KINDS:
            parser.error(f"no kind of noise: {kind}")
    with open(options.tasks, encoding="utf-8") as file:
        tasks = chosen([json.loads(line) for line in file], options.programs, options.rare, options.rare_share)
    with_mistake = share_of(tasks, options.wrong_share, f"{options.seed}/wrong")
    with_noise = share_of(tasks, options.noise_share if kinds else 0, f"{options.seed}/noise")
    for task in tasks:
        if task["id"] in with_mistake:
            task["bench.cu"], task["wrong"] = wrong(task["bench.cu"], f"{options.seed}/{task['id']}/wrong")
        if task["id"] in with_noise:
            task["bench.cu"], task["noise"] = noisy(task["bench.cu"], kinds, options.pieces, options.growth,
                                                    f"{options.seed}/{task['id']}/noise")
        print(json.dumps(task))


if __name__ == "__main__":
    main()
