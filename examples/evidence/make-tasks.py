#!/usr/bin/env python3
"""Write the splits of tasks as JSON lines, in CUDABench's schema, and their fingerprints.

usage: make-tasks.py [--seed N] [--parameters N] [--fingerprints] FOLDER

FOLDER gets warm.jsonl, train.jsonl, validation.jsonl, parameters.jsonl and families.jsonl. The same seed
gives the same bytes. With --parameters the split of that name has N programs a family, of which the first 4
are those that it has without. With --fingerprints, standard output gets a line for each split: its name, how
many families and programs it has, and the SHA-256 of its file.
"""
import argparse
import hashlib
import json
import os
import sys

sys.dont_write_bytecode = True
from generator import blocks, grids, maps  # noqa: E402
from generator.program import Draw, record, source, without_names  # noqa: E402

assert blocks and grids  # they enter their families into maps.FAMILIES

# split: the role of its families, programs a family, whether sizes are those that training never has.
SPLITS = {"warm": ("warm", 24, False),  # trains the start of the warm conditions
          "train": ("main", 24, False),
          "validation": ("main", 2, True),  # chooses the learning rates
          "parameters": ("main", 4, True),  # held out: families of train, other parameters
          "families": ("unseen", 3, True)}  # held out: families that no training has


def drawn(family, make, split, programs, held_out, seed, seen):
    """`programs` programs of a family that differ in more than names from all in `seen`."""
    for number in range(programs):
        for attempt in range(1000):
            program = make(Draw(f"{seed}/{family}/{split}/{number}/{attempt}", held_out))
            kind = without_names(source(program))
            if kind not in seen:
                break
        else:
            sys.exit(f"make-tasks.py: {family} has too few different programs for {split}")
        seen.add(kind)
        id_ = f"{split}-{family}-{number}"
        yield record(program, id_, int(hashlib.sha256(f"{seed}/{id_}".encode()).hexdigest()[:6], 16))


def splits(seed, parameters):
    seen = {name: set() for name in maps.FAMILIES}
    for split, (role, programs, held_out) in SPLITS.items():
        if split == "parameters":
            programs = parameters
        made = [list(drawn(name, make, split, programs, held_out, seed, seen[name]))
                for name, (its, make) in maps.FAMILIES.items() if its == role]
        # Family after family in turn, so that a cut of the file still has all.
        yield split, [task for turn in zip(*made) for task in turn]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=22)
    parser.add_argument("--parameters", type=int, default=SPLITS["parameters"][1])
    parser.add_argument("--fingerprints", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    for split, tasks in splits(options.seed, options.parameters):
        text = "".join(json.dumps(task) + "\n" for task in tasks)
        with open(os.path.join(options.folder, split + ".jsonl"), "w", encoding="utf-8", newline="") as file:
            file.write(text)
        if options.fingerprints:
            families = len({task["family"] for task in tasks})
            print(split, families, len(tasks), hashlib.sha256(text.encode()).hexdigest(), sep="\t")


if __name__ == "__main__":
    main()
