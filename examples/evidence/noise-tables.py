#!/usr/bin/env python3
"""Make the tables of the training sets with noise, of all results that are there.

usage: noise-tables.py --results DIR --out DIR --sets SET... --conditions CONDITION... --rare FAMILY

DIR/SET.FORMAT is a table of a set's conditions with differences from sft. DIR/SET.rare.FORMAT has the tasks of the rare
family alone, each as a family of its own, with differences from no-reweight, for the sets clean and rare.
DIR/changes.tsv says how much the difference of a condition from sft in a set is above that in the set clean.
"""
import argparse
import collections
import glob
import json
import os
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
FORMATS = ["text", "markdown", "tsv", "latex"]


def files_of(results, set_, condition, kind="verdicts"):
    return sorted(glob.glob(os.path.join(results, set_, condition, f"*.wide.{kind}.jsonl.zst")))


def records(path):
    text = subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def report(of_condition, baseline, figures, to):
    """Tables in all formats, of condition -> files."""
    options = ["--baseline", baseline] if baseline in of_condition else []
    options += ["--figures", figures] if figures else []
    for format_ in FORMATS:
        subprocess.run(["cuset-report", "--table", *options, "--format", format_,
                        *(f"{condition}={','.join(files)}" for condition, files in of_condition.items()),
                        "-o", f"{to}.{format_}"], check=True)
    with open(f"{to}.text", encoding="utf-8") as file:
        print(f"{os.path.basename(to)}\n\n{file.read()}")


def figures_of(results, set_, to):
    """One file of the figures of all runs of a set, or None."""
    paths = sorted(glob.glob(os.path.join(results, set_, "*", "*.wide.tsv")))
    if not paths:
        return None
    with open(to, "w", encoding="utf-8") as file:
        file.write("condition\tseed\tmeasure\tvalue\n")
        for path in paths:
            with open(path, encoding="utf-8") as one:
                file.write(one.read())
    return to


def of_family(path, family, to):
    """The verdicts on one family's tasks, with each task as a family of its own."""
    os.makedirs(os.path.dirname(to), exist_ok=True)
    with open(to, "w", encoding="utf-8") as file:
        for verdict in records(path):
            if verdict["family"] == family:
                file.write(json.dumps({**verdict, "family": verdict["task"]}) + "\n")
    return to


def rates(paths):
    """(seed, family) -> the share of answers that pass."""
    passed = collections.defaultdict(list)
    for path in paths:
        for verdict in records(path):
            passed[os.path.basename(path).split(".")[0], verdict["family"]].append(not verdict.get("failure"))
    return {key: statistics.mean(its) for key, its in passed.items()}


def quantile(degrees):
    """Student's 0.975 quantile, by the first terms of its expansion in 1 / degrees (Abramowitz and Stegun, 26.7.5)."""
    z = statistics.NormalDist().inv_cdf(0.975)
    return z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)


def change(changed, baseline, clean, clean_baseline):
    """The mean over families of (changed - baseline) - (clean - clean_baseline), its interval, and the count of seeds."""
    shared = set(changed) & set(baseline) & set(clean) & set(clean_baseline)
    of_family_ = collections.defaultdict(list)
    for key in sorted(shared):
        of_family_[key[1]].append(changed[key] - baseline[key] - clean[key] + clean_baseline[key])
    means = [statistics.mean(its) for its in of_family_.values()]
    if len(means) < 2:
        return None
    half = quantile(len(means) - 1) * statistics.stdev(means) / len(means) ** 0.5
    mean = statistics.mean(means)
    return mean, mean - half, mean + half, len({key[0] for key in shared})


def changes(results, sets, conditions, to):
    of = {(set_, condition): rates(files_of(results, set_, condition))
          for set_ in sets for condition in conditions}
    lines = ["set\tcondition\tseeds\tchange\tlow\thigh"]
    for set_ in sets:
        for condition in conditions:
            if set_ == "clean" or condition == "sft":
                continue
            found = change(of[set_, condition], of[set_, "sft"], of["clean", condition], of["clean", "sft"])
            if found:
                lines.append(f"{set_}\t{condition}\t{found[3]}\t{found[0]:.3f}\t{found[1]:.3f}\t{found[2]:.3f}")
    if len(lines) > 1:
        with open(to, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        print("The difference from sft, above that in the set clean\n\n" + "\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--sets", nargs="+", required=True)
    parser.add_argument("--conditions", nargs="+", required=True)
    parser.add_argument("--rare", required=True)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    for set_ in options.sets:
        there = [c for c in options.conditions if files_of(options.results, set_, c)]
        if not there:
            continue
        report({c: files_of(options.results, set_, c) + files_of(options.results, set_, c, "checked") for c in there},
               "sft", figures_of(options.results, set_, os.path.join(options.out, f"{set_}.figures.tsv")),
               os.path.join(options.results, set_))
        if set_ in ("clean", "rare"):
            report({c: [of_family(path, options.rare,
                                  os.path.join(options.out, "rare", set_, c, os.path.basename(path)[:-len(".zst")]))
                        for path in files_of(options.results, set_, c)] for c in there},
                   "no-reweight", None, os.path.join(options.results, f"{set_}.rare"))
    changes(options.results, options.sets, options.conditions, os.path.join(options.results, "changes.tsv"))


if __name__ == "__main__":
    main()
