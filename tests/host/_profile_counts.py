"""Counts of cuset-run --count beside a GPU profiler's figures of public programs.

usage: _profile_counts.py [--only NAME,…] [--timeout S] [--keep FILE] [--table]

Reads ../shared/data/gpu-profile-dev.csv.zst (kernels of HeCBench on an RTX 3080) and the programs'
sources beside it. Each program runs with the profile's arguments, but for a count of repetitions,
which is 1 where the program's own record has it so. Where 2 changes what a launch does, it was no
such count, and the profile's number is taken (programs that take more than a few seconds are not
asked). --keep FILE: results are written there, a line
a program, and taken from there where they are. Prints, over the kernels that both have, the errors
of FP32 and FP64 operations, and the rank correlations of time and of traffic of the device's memory.
"""
import argparse
import collections
import csv
import io
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

source = pathlib.Path(__file__).resolve().parent.parent.parent
data = source / "../shared/data"


def unpacked(name):
    return subprocess.run(["zstd", "-dc", data / name], capture_output=True, text=True, check=True).stdout


def program_of(record):
    """The program without the wrapper that a task needs, and the wrapper's arguments."""
    text = record["bench.cu"]
    own, wrapper = text.rsplit("#undef main\n", 1)
    words = re.search(r"const char\*\* *\)\) *\{ const char\* v\[\] = \{(.*?)nullptr\}", wrapper)
    arguments = re.findall(r'\(char\*\)"([^"]*)"', words.group(1))[1:]
    return own.replace("#define main program_main\n", "", 1), arguments


def arguments_of(profile, own):
    """The profile's, with 1 in place of a last number that is a round one where the record has 1: mostly it
    counts repetitions."""
    words = profile.split()
    if words and re.fullmatch(r"10{0,5}|1024", words[-1]) and own and own[-1] == "1":
        return words[:-1] + ["1"]
    return words


def counted(text, arguments, timeout):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "program.cu"
        file.write_text(text)
        tool = os.environ.get("CUSET_BIN", str(source / "build/release/bin")) + "/cuset-run"
        done = subprocess.run([tool, "--estimate", "RTX 3080", "--launches", "8", "--nvcc", "none", "--json",
                               "--nvcc-flags", "--extended-lambda --expt-relaxed-constexpr",
                               "--timeout", str(timeout), str(file), "--", *arguments],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, errors="replace")
        return json.loads(done.stderr.splitlines()[-1])


def counted_once(text, profile, own, timeout):
    """The program with its count of repetitions, if it has one, reduced."""
    arguments = arguments_of(profile, own)
    result = counted(text, arguments, timeout)
    if arguments == profile.split() or "kernels" not in result.get("cost", {}) or result["seconds"]["run"] > 5:
        return result
    twice = counted(text, arguments[:-1] + ["2"], timeout)

    def first_launches(of):
        return {(k["kernel"], k["instance"]): k["integer"] / k["launches"] for k in of.get("cost", {}).get("kernels", [])}
    before, after = first_launches(result), first_launches(twice)
    if all(after.get(k, v) == v for k, v in before.items()):
        return result
    return counted(text, profile.split(), timeout)


def kernel_in(name):
    """Of "ns::k<float>" and "void k<4>(int)": k."""
    return re.sub(r"<.*", "", name.split("(")[0]).split("::")[-1].split()[-1]


def words_of(signature):
    """The names and types in it, in whatever order it has them."""
    return sorted(w for w in re.findall(r"\w+", signature) if w not in ("void", "const"))


def shape(text):
    return tuple(int(x) for x in re.findall(r"\d+", text))


def rank_correlation(pairs):
    if len(pairs) < 3:
        return float("nan")

    def ranks(values):
        order = sorted(range(len(values)), key=values.__getitem__)
        result = [0.0] * len(values)
        at = 0
        while at < len(order):
            end = at
            while end < len(order) and values[order[end]] == values[order[at]]:
                end += 1
            for i in order[at:end]:
                result[i] = (at + end - 1) / 2
            at = end
        return result
    return statistics.correlation(*(ranks(side) for side in zip(*pairs)))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--only", default="")
    a.add_argument("--timeout", type=int, default=120)
    a.add_argument("--keep")
    a.add_argument("--table", action="store_true")
    options = a.parse_args()
    records = {r["id"]: r for r in map(json.loads, unpacked("hecbench-dev.jsonl.zst").splitlines())}
    programs = collections.OrderedDict()
    for row in csv.DictReader(io.StringIO(unpacked("gpu-profile-dev.csv.zst"))):
        programs.setdefault((row["program"], row["arguments"]), []).append(row)
    kept = {}
    if options.keep and os.path.exists(options.keep):
        kept = {r["program"]: r for r in map(json.loads, open(options.keep))}
    compared, missing = [], []
    for (name, arguments), rows in programs.items():
        if name not in records or (options.only and not any(o in name for o in options.only.split(","))):
            continue
        if name not in kept:
            text, own = program_of(records[name])
            result = counted_once(text, arguments, own, options.timeout)
            kept[name] = {"program": name, "result": result}
            if options.keep:
                with open(options.keep, "a") as file:
                    file.write(json.dumps(kept[name]) + "\n")
        result = kept[name]["result"]
        if "kernels" not in result.get("cost", {}):
            missing.append((name, (result.get("failure") or "") + " " + result.get("cost", {}).get("not_counted", "") +
                            " " + result.get("diagnostic", "")[:90]))
            continue
        found = collections.defaultdict(list)
        for kernel in result["cost"]["kernels"]:
            if kernel["kernel"].startswith("("):  # of CUDA's libraries, and what is told together
                continue
            key = (kernel_in(kernel["kernel"]), tuple(kernel["grid"]), tuple(kernel["block"]))
            found[key + (kernel["instance"],)].append(kernel)
        measured, instances = collections.OrderedDict(), collections.defaultdict(list)
        for row in rows:
            key = (kernel_in(row["signature"]), shape(row["grid"]), shape(row["block"]))
            measured.setdefault(key + (row["signature"],), []).append(row)
        for key in sorted(found):
            instances[key[:3]].append(key)
        for key, same in measured.items():
            # Where their signatures do not tell, the instances of a template come in one order here and there.
            signatures = [k for k in measured if k[:3] == key[:3]]
            here = instances[key[:3]]
            alike = [k for k in here if any(words_of(e.get("signature", "")) == words_of(key[3]) for e in found[k])]
            if len(alike) == 1:
                here = alike * len(signatures)
            if len(here) != len(signatures):
                missing.append((name, f"{len(here)} instances of {key[0]} with {key[1]} {key[2]}, "
                                      f"and {len(signatures)} there"))
                continue
            key = here[signatures.index(key)]
            launches = sum(k["launches"] for k in found[key])

            def mean(get):
                return sum(get(k) for k in found[key]) / launches

            def median(column):
                return statistics.median(float(r[column] or 0) for r in same)
            compared.append({
                "program": name, "kernel": key[0],
                "functions": sorted({f for k in found[key] for f in k["functions"]}) +
                [w for w in ("div", "rcp", "sqrt")
                 if any(k[p][w] for k in found[key] for p in ("fp32", "fp64"))],
                "not_counted": sorted({w for k in found[key] for w in k["not_counted"]}),
                "fp32": (mean(lambda k: k["sass"]["fp32"]), median("fp32_operations")),
                "fp64": (mean(lambda k: k["sass"]["fp64"]), median("fp64_operations")),
                "integer": (mean(lambda k: k["sass"]["integer"]), median("integer_operations")),
                "dram": (mean(lambda k: k["dram_read"] + k["dram_written"]), median("dram_bytes")),
                "us": (1e6 * mean(lambda k: k["estimate"]["seconds"] * k["launches"]), median("time_ns") / 1e3),
                "bound": found[key][0]["estimate"]["bound"]})
        sys.stdout.flush()
    errors = {True: [], False: []}
    for c in compared:
        c["errors"] = [abs(c[t][0] - c[t][1]) / c[t][1] for t in ("fp32", "fp64") if c[t][1] > 0]
        errors[bool(c["functions"])] += c["errors"]
        for t in ("fp32", "fp64"):
            if c[t][1] == 0 and c[t][0] > 0:
                errors[bool(c["functions"])].append(1.0)
                c["errors"].append(1.0)
        if options.table:
            print("\t".join([c["program"][:18], c["kernel"][:22]] +
                            [f"{c[t][0]:.4g}/{c[t][1]:.4g}" for t in ("fp32", "fp64", "integer", "dram", "us")] +
                            [c["bound"], " ".join(f"{e:.1%}" for e in c["errors"]), ",".join(c["functions"]),
                             ",".join(c["not_counted"])]))
    for name, why in missing:
        print(f"missing: {name}: {why}")
    print(f"{len(compared)} kernels compared, {len(missing)} missing")
    for special, found in errors.items():
        if found:
            print(f"operations of kernels {'with' if special else 'without'} functions and divisions: "
                  f"{len(found)} figures, median error {statistics.median(found):.2%}, "
                  f"{sum(e <= .01 for e in found)} within 1 %, {sum(e <= .05 for e in found)} within 5 %")
    both = errors[True] + errors[False]
    if both:
        print(f"all: median error {statistics.median(both):.2%}")
    print(f"rank correlation of time {rank_correlation([c['us'] for c in compared]):.3f}, "
          f"of memory traffic {rank_correlation([c['dram'] for c in compared]):.3f}")


main()
