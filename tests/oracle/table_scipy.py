"""This compares the figures of cuset-report --table with scipy's and numpy's, on random verdicts: the
estimators with counted draws, intervals with the same resampling written in numpy under another
random generator, the sign test with scipy's, Student's intervals with scipy's."""

import csv
import hashlib
import io
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy
import scipy.stats

tool = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-report"
seed = random.randrange(1 << 32)
print(f"seed {seed}, scipy {scipy.__version__}")
rng = numpy.random.default_rng(seed)
failures = 0
room = tempfile.TemporaryDirectory()
folder = pathlib.Path(room.name)
stages = ["answered", "extracted", "compiled", "ran", "correct"]
kinds = [("correct", None), ("ran", "wrong_output"), ("compiled", "illegal_address"), ("compiled", "out_of_bounds"),
         ("extracted", "syntax_error"), ("answered", "no_code")]


def fail(what):
    global failures
    failures += 1
    print(f"FAILED: {what}")


def near(got, wanted, margin, what):
    if not abs(float(got) - wanted) <= margin:
        fail(f"{what}: {got}, not {wanted} ± {margin}")


def write_verdicts(path, outcomes, families, toolchain="g++"):
    """outcomes[task][sample] = (stage, failure, tokens)"""
    with open(path, "w", encoding="utf-8") as out:
        for t, samples in enumerate(outcomes):
            for s, (stage, why, tokens) in enumerate(samples):
                print(json.dumps({
                    "task": t, "sample": s, "family": families[t], "stage": stage, "failure": why, "diagnostic": "",
                    "seconds": {"compile": 0, "run": 0, "compare": 0}, "tokens": tokens,
                    "key": hashlib.sha256(f"{path}{t}{s}".encode()).hexdigest(),
                    "task_hash": hashlib.sha256(str(t).encode()).hexdigest(), "backend": "host",
                    "toolchain": toolchain}), file=out)


def drawn(tasks, n, weights):
    shares = rng.dirichlet(weights, tasks)
    return [[(*kinds[rng.choice(len(kinds), p=shares[t])], int(rng.integers(50, 900))) for _ in range(n)]
            for t in range(tasks)]


def rate(samples, stage, k):
    """By trying all draws of k samples."""
    passed = [stages.index(s[0]) >= stages.index(stage) for s in samples]
    draws = list(itertools.combinations(passed, k))
    return sum(map(any, draws)) / len(draws)


def bootstrap(values, families, resamples=50_000):
    """values[run, task] -> mean, standard error, the share of resamples below an interval, and the resamples."""
    values = numpy.asarray(values)
    names = sorted(set(families))
    sums = numpy.array([[values[r, [f == name for f in families]].sum() for r in range(len(values))] for name in names])
    counts = numpy.array([families.count(name) for name in names])
    F, S = sums.shape
    which = rng.integers(0, F, (resamples, F))
    runs = rng.integers(0, S, (resamples, max(1, S - 1)))
    total = numpy.zeros(resamples)
    for j in range(runs.shape[1]):
        total += sums[which, runs[:, [j]]].sum(1)
    means = total / (counts[which].sum(1) * runs.shape[1])
    t = scipy.stats.t.ppf(0.975, F - 1)
    tail = scipy.stats.norm.cdf(-numpy.sqrt(F / (F - 1)) * t)
    return values.mean(), means.std(ddof=1) * numpy.sqrt(F / (F - 1)), tail, numpy.sort(means)


def family_means(values, families):
    values = numpy.asarray(values)
    return [values[:, [f == name for f in families]].mean() for name in sorted(set(families))]


def table(*arguments):
    done = subprocess.run([tool, "--table", "--format", "tsv", *arguments], capture_output=True, text=True, cwd=folder,
                          check=False)
    if done.returncode != 0:
        fail(done.stderr)
        return {}
    rows = csv.DictReader(io.StringIO(done.stdout), delimiter="\t")
    return {(r["condition"], r["measure"]): r for r in rows}


def compare_interval(row, keys, wanted, what, is_rate):
    """An end is right if its share of numpy's resamples is; few families have few different means, so that the ends
    themselves jump."""
    mean, error, tail, means = wanted
    near(row[keys[0]], mean, 1e-5 * max(1, abs(mean)), what)
    if error < 1e-12:
        if is_rate and not float(row[keys[2]]) > float(row[keys[1]]):
            fail(what + ": no limits where all families are alike")
        return
    margin = 6 * numpy.sqrt(tail / 10_000)
    for key, sign in ((keys[1], 1), (keys[2], -1)):
        end, sorted_means = sign * float(row[key]), numpy.sort(sign * means)
        near_end = 1e-5 * max(1, abs(end))
        below = numpy.searchsorted(sorted_means, end - near_end) / len(means)
        at_most = numpy.searchsorted(sorted_means, end + near_end) / len(means)
        gap = numpy.searchsorted(sorted_means, end - 0.05 * error) / len(means)
        if not (min(below, gap) <= tail + margin and at_most >= tail - margin):
            fail(f"{what}, {key}: {row[key]} has {below} to {at_most} of the resamples beyond it, not {tail}")


for round_number in range(6):
    families_count = int(rng.integers(6, 30))
    families = [f"f{f}" for f in range(families_count) for _ in range(int(rng.integers(1, 5)))]
    n = int(rng.integers(3, 7))
    runs = {"base": 3, "many": int(rng.integers(2, 5)), "one": 1}
    made = {}
    for name, count in runs.items():
        weights = rng.uniform(0.3, 2, len(kinds))
        made[name] = [drawn(len(families), n, weights) for _ in range(count)]
        for r, outcomes in enumerate(made[name]):
            write_verdicts(folder / f"{name}{r}.jsonl", outcomes, families)
    rows = table("--baseline", "base", *(f"{name}={','.join(f'{name}{r}.jsonl' for r in range(count))}"
                                         for name, count in runs.items()))

    def values_of(name, of):
        return numpy.array([[of(samples) for samples in outcomes] for outcomes in made[name]])

    measures = {f"{word}@{k}": (lambda samples, stage=stage, k=k: rate(samples, stage, k))
                for word, stage in (("pass", "correct"), ("compiled", "compiled"), ("ran", "ran")) for k in (1, 3)}
    measures["tokens"] = lambda samples: numpy.mean([s[2] for s in samples])
    measures["failure:syntax_error"] = lambda samples: numpy.mean([s[1] == "syntax_error" for s in samples])
    measures["failure:all indexing"] = lambda samples: numpy.mean(
        [s[1] in ("illegal_address", "out_of_bounds") for s in samples])
    for measure, of in measures.items():
        base = values_of("base", of)
        for name in runs:
            what = f"round {round_number}, {name}, {measure}"
            row = rows.get((name, measure))
            if row is None:
                fail(f"{what}: no row")
                continue
            values = values_of(name, of)
            compare_interval(row, ("mean", "low", "high"), bootstrap(values, families), what,
                             measure != "tokens")
            if name == "base":
                continue
            paired = min(len(values), len(base))
            apart = values[:paired] - base[:paired]
            wanted = bootstrap(apart, families)
            compare_interval(row, ("difference", "difference_low", "difference_high"), wanted, what + " difference",
                             measure != "tokens")
            means = family_means(apart, families)
            above, below = sum(m > 1e-9 for m in means), sum(m < -1e-9 for m in means)
            if [int(row[k]) for k in ("paired_seeds", "above", "below", "tied")] != [
                    paired, above, below, len(means) - above - below]:
                fail(f"{what}: signs {row}")
            if above + below == 0:
                if row["sign_p"] != "NA":
                    fail(f"{what}: a sign test without a sign")
            else:
                near(row["sign_p"], scipy.stats.binomtest(above, above + below).pvalue, 1e-5, what + " sign test")
            degrees = families_count - 1
            factor = scipy.stats.t.ppf(0.975, degrees) + scipy.stats.t.ppf(0.8, degrees)
            if wanted[1] < 1e-12:
                if row["detectable"] != "NA":
                    fail(f"{what}: power without a spread")
                continue
            near(row["detectable"], factor * wanted[1], 0.06 * factor * wanted[1], what + " power")

# Degenerate sizes: one family, one task, all or none pass.
for name, kind in (("all", kinds[0]), ("none", kinds[1])):
    write_verdicts(folder / f"{name}.jsonl", [[(*kind, 5)] * 4] * 24, [f"f{t // 2}" for t in range(24)])
    write_verdicts(folder / f"{name}_f.jsonl", [[(*kind, 5)] * 4] * 24, ["f"] * 24)
rows = table("--baseline", "none", "none=none.jsonl", "all=all.jsonl", "again=none.jsonl")
limit = scipy.stats.binomtest(0, 12).proportion_ci(method="exact").high
for name, low, high in (("none", 0, limit), ("all", 1 - limit, 1)):
    near(rows[name, "pass@1"]["low"], low, 1e-5, name + " low")
    near(rows[name, "pass@3"]["high"], high, 1e-5, name + " high")
again = rows["again", "pass@1"]
near(again["difference_low"], -limit, 1e-5, "no difference, low")
near(again["difference_high"], limit, 1e-5, "no difference, high")
if (again["sign_p"], again["detectable"], again["tied"]) != ("NA", "NA", "12"):
    fail(f"no difference: {again}")
rows = table("--baseline", "none", "none=none_f.jsonl", "all=all_f.jsonl")
if [rows["all", "pass@1"][k] for k in ("mean", "low", "difference", "difference_low", "sign_p")] != [
        "1", "NA", "1", "NA", "1"]:
    fail(f"one family: {rows['all', 'pass@1']}")

# Figures: Student's interval over seeds, and over paired seeds.
x, y = rng.normal(3, 1, 4), rng.normal(2, 1, 5)
with open(folder / "figures.tsv", "w", encoding="utf-8") as out:
    print("condition\tseed\tmeasure\tvalue", file=out)
    for name, values in (("all", x), ("none", y)):
        for i, value in enumerate(values):
            print(f"{name}\t{i}\tloss\t{value!r}".replace("np.float64(", "").replace(")", ""), file=out)
row = table("--baseline", "none", "--figures", "figures.tsv", "none=none.jsonl", "all=all.jsonl")["all", "loss"]
for values, keys in ((x, ("mean", "low", "high")), (x - y[:4], ("difference", "difference_low", "difference_high"))):
    low, high = scipy.stats.t.interval(0.95, len(values) - 1, values.mean(), scipy.stats.sem(values))
    for key, wanted in zip(keys, (values.mean(), low, high)):
        near(row[key], wanted, 2e-5 * max(1, abs(wanted)), "figures: " + key)

print("all figures agree" if failures == 0 else f"{failures} failures")
sys.exit(failures > 0)
