"""This compares the areas of cuset-report --by-confidence with scipy's Mann-Whitney statistic, their intervals with
Student's t of scipy, and their errors with two other estimates of the same: a jackknife that leaves out one family
after the other, and a bootstrap over families in numpy. How often such intervals hold the true area is counted, too."""

import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy
import scipy.special
import scipy.stats

tool = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-report"
seed = random.randrange(1 << 32)
print(f"seed {seed}, scipy {scipy.__version__}")
rng = numpy.random.default_rng(seed)
room = tempfile.TemporaryDirectory()
folder = pathlib.Path(room.name)
failures = 0


def that(what, right, *details):
    global failures
    if not right:
        failures += 1
        print(f"FAILED: {what}:", *details)


def drawn(families, tasks_each, samples, strength):
    """(task, family, confidence, passed): families differ in hardness, tasks a little, answers most."""
    rows = []
    for family in range(families):
        hard = rng.normal()
        for task in range(tasks_each):
            near = hard + 0.3 * rng.normal()
            for _ in range(samples):
                own = rng.normal()
                passed = rng.random() < 1 / (1 + numpy.exp(near - own))
                shown = strength * (own - near) + rng.normal()
                rows.append((family * tasks_each + task, family, round(1 / (1 + numpy.exp(-shown)), 5), bool(passed)))
    return rows


def measured(rows):
    numbers = {}
    with open(folder / "c", "w", encoding="utf-8") as c, open(folder / "v", "w", encoding="utf-8") as v:
        for task, family, confidence, passed in rows:
            sample = numbers[task] = numbers.get(task, -1) + 1
            print(json.dumps({"task": task, "sample": sample, "response": "xx", "score": {
                "end": [1, 2], "id": [1, 1], "confidence": [confidence, confidence]}}), file=c)
            print(json.dumps({
                "task": task, "sample": sample, "family": str(family), "stage": "correct" if passed else "ran",
                "failure": None if passed else "wrong_output", "diagnostic": "", "tokens": None,
                "seconds": {"compile": 0, "run": 0, "compare": 0},
                "key": hashlib.sha256(f"{task}/{sample}".encode()).hexdigest(),
                "task_hash": hashlib.sha256(str(task).encode()).hexdigest(), "backend": "host", "toolchain": "g"}),
                  file=v)
    done = subprocess.run([tool, "--by-confidence", "--json", "--verdicts", folder / "v", folder / "c"],
                          capture_output=True)
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    return json.loads(done.stdout)["measures"][0]


def area(rows):
    good = [r[2] for r in rows if r[3]]
    bad = [r[2] for r in rows if not r[3]]
    return scipy.stats.mannwhitneyu(good, bad).statistic / (len(good) * len(bad))


def area_of_one_task(rows):
    right = pairs = 0
    for task in {r[0] for r in rows}:
        own = [r for r in rows if r[0] == task]
        count = sum(r[3] for r in own) * sum(not r[3] for r in own)
        if count:
            right, pairs = right + area(own) * count, pairs + count
    return right / pairs


def mixed(rows):
    """Whether some answers passed and some did not."""
    return len({r[3] for r in rows}) == 2


def resampled(rows, names, of_one_task):
    """A function from how often each family of `names` is drawn to the area. The pairs of two families are counted once,
    in matrices: a family that is drawn twice is two families, and its tasks are too."""
    place = {name: i for i, name in enumerate(names)}
    task, family, confidence, passed = (numpy.array(column) for column in zip(*((r[0], place[r[1]], *r[2:]) for r in rows)))
    good, bad = numpy.flatnonzero(passed), numpy.flatnonzero(~passed)
    above = confidence[good][:, None] - confidence[bad]
    counted = task[good][:, None] == task[bad] if of_one_task else numpy.ones_like(above)
    of_families = [numpy.eye(len(names))[family[some]] for some in (good, bad)]
    right, pairs = (of_families[0].T @ (counted * weights) @ of_families[1] for weights in ((numpy.sign(above) + 1) / 2, 1))

    def drawn_area(times):
        # The pairs of one task are in one family, whose copies make no pairs with each other.
        return (times @ numpy.diag(right) / (times @ numpy.diag(pairs)) if of_one_task else
                times @ right @ times / (times @ pairs @ times))
    return drawn_area


def check(what, rows, found, plain):
    wanted = plain(rows)
    that(f"{what}: area", abs(found["auc"] - wanted) < 2e-6, found, wanted)
    if plain is area_of_one_task:  # only tasks with both kinds of answers have a pair
        rows = [r for r in rows if mixed([x for x in rows if x[0] == r[0]])]
    names = sorted({r[1] for r in rows})
    n = len(names)
    drawn_area = resampled(rows, names, plain is area_of_one_task)
    that(f"{what}: resampled", abs(drawn_area(numpy.ones(n)) - wanted) < 1e-12, drawn_area(numpy.ones(n)), wanted)
    left = numpy.array([drawn_area(1 - one) for one in numpy.eye(n)])
    jackknife = numpy.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())
    that(f"{what}: jackknife", abs(found["error"] / jackknife - 1) < 0.1, found["error"], jackknife)
    spread = numpy.std([drawn_area(numpy.bincount(rng.choice(n, n), minlength=n)) for _ in range(300)], ddof=1)
    that(f"{what}: bootstrap", abs(found["error"] / spread - 1) < 0.25, found["error"], spread)
    t = scipy.stats.t.ppf(0.975, n - 1)
    a = found["auc"]
    half = t * found["error"] / (a * (1 - a))
    for end, sign in (("low", -1), ("high", 1)):
        wanted = scipy.special.expit(scipy.special.logit(a) + sign * half)
        that(f"{what}: {end}", abs(found[end] - wanted) < 2e-5, found, wanted)


for shape in ((40, 2, 3, 0.5), (60, 1, 4, 0.0), (30, 3, 4, 1.5)):
    rows = drawn(*shape)
    found = measured(rows)
    check(f"{shape} all", rows, found["all"], area)
    check(f"{shape} of one task", rows, found["of_one_task"], area_of_one_task)

# The share of intervals that hold the area of a large draw: 95 % of 200 within five standard deviations, and what
# few families cost.
truth = {"all": area(drawn(2000, 1, 3, 0.5))}
held = 0
for _ in range(200):
    found = measured(drawn(20, 1, 3, 0.5))["all"]
    held += found["low"] is not None and found["low"] <= truth["all"] <= found["high"]
print(f"{held} of 200 intervals hold the area")
that("coverage", held >= 176, held)
print(f"{failures} failed")
sys.exit(1 if failures else 0)
