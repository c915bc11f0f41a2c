"""This compares the test, means and quantiles of cuset-stats with scipy's and numpy's, on random
samples with ties and of very different sizes.

scipy.stats.ks_2samp(method="asymp") uses Kolmogorov's exact distribution for one sample of round(n1
n2 / (n1 + n2)) values; cuset-stats uses its limit. D must equal scipy's. p must equal that of the
limit (scipy.special.kolmogorov), and be near ks_2samp's if the samples are large enough for a limit
and p is not far out."""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

import mpmath
import numpy
import scipy.special
import scipy.stats

warnings.simplefilter("ignore")  # scipy divides by zero for a single value
tool = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-stats"
seed = random.randrange(1 << 32)
print(f"seed {seed}, scipy {scipy.__version__}")
rng = numpy.random.default_rng(seed)
failures = 0


def fail(what):
    global failures
    failures += 1
    print(f"FAILED: {what}")


def near(got, wanted, relative, what):
    if not abs(got - wanted) <= relative * abs(wanted):
        fail(f"{what}: {got}, not {wanted}")


def sample(count, shape):
    values = rng.beta(*shape, count)
    if rng.random() < 0.5:
        values = numpy.round(values, rng.integers(1, 4))  # ties
    tiny = rng.random(count) < 0.02
    values[tiny] = 10.0 ** -rng.uniform(0, 40, tiny.sum())
    return [float(f"{v:.6g}") for v in values]


def records(sensitive, neutral):
    """Samples of up to 500 one-byte tokens, with both kinds mixed at random."""
    kinds = numpy.array([True] * len(sensitive) + [False] * len(neutral))
    values = numpy.array(sensitive + neutral)
    order = rng.permutation(len(values))
    kinds, values = kinds[order], values[order]
    at = 0
    while at < len(values):
        count = min(int(rng.integers(1, 500)), len(values) - at)
        here = kinds[at:at + count]
        spans = [{"kind": "kernel" if rng.random() < 0.8 else "launch", "name": "k", "begin": int(i), "end": int(i) + 1}
                 for i in numpy.flatnonzero(here)]
        yield json.dumps({"response": "x" * count, "tag": {"spans": spans},
                          "score": {"end": list(range(1, count + 1)), "confidence": values[at:at + count].tolist()}})
        at += count


def log10_tail(z):
    """log10 P(K > z) of Kolmogorov's distribution, in 400 digits."""
    with mpmath.workdps(400):
        z = mpmath.mpf(z)
        return float(mpmath.log10(2 * mpmath.nsum(lambda k: (-1) ** (int(k) - 1) * mpmath.exp(-2 * k * k * z * z),
                                                  [1, 60], method="direct")))


compared = 0
sizes = [(1, 1), (1, 400), (7, 3), (30, 30), (5, 20_000), (300, 40_000), (5000, 3000), (20_000, 30_000), (60_000, 200)]
for n1, n2 in sizes * 2:
    for second_shape in ((0.4, 0.2), (0.42, 0.2), (0.6, 0.2)):
        first, second = sample(n1, (0.4, 0.2)), sample(n2, second_shape)
        if second_shape == (0.4, 0.2):  # from one distribution, with the same ties
            both = sample(n1 + n2, second_shape)
            first, second = both[:n1], both[n1:]
        elif rng.random() < 0.2:
            second = [float(f"{max(0.0, v - 0.5):.6g}") for v in second]
        done = subprocess.run([tool, "-q", "--json"], input="\n".join(records(first, second)).encode(),
                              stdout=subprocess.PIPE, check=True)
        column = json.loads(done.stdout)["inputs"][0]
        test = column["test"]
        name = f"{n1} against {n2}"
        theirs = scipy.stats.ks_2samp(first, second, method="asymp")
        if abs(test["d"] - theirs.statistic) > 1e-12:
            fail(f"{name}: D is {test['d']}, not {theirs.statistic}")
        at = test["at"]
        near(test["sensitive_at_or_below"], numpy.mean(numpy.array(first) <= at), 1e-12, f"{name}: F1")
        near(test["neutral_at_or_below"], numpy.mean(numpy.array(second) <= at), 1e-12, f"{name}: F2")
        size = n1 * n2 / (n1 + n2)
        z = float(numpy.sqrt(size) * theirs.statistic)
        near(test["z"], z, 1e-12, f"{name}: z")
        near(test["p"], scipy.special.kolmogorov(z), 1e-9, f"{name}: p")
        if 0.2 < z < 25:
            near(test["log10_p"], log10_tail(z), 1e-10, f"{name}: log10 p")
        elif z >= 25:
            near(test["log10_p"], float((mpmath.log(2) - 2 * mpmath.mpf(z) ** 2) / mpmath.log(10)), 1e-10, f"{name}: log10 p")
        if size > 100 and theirs.pvalue > 1e-4:
            compared += 1
            # The next term of the expansion is of the order of 1 / sqrt(size).
            if abs(test["p"] - theirs.pvalue) > 0.6 / numpy.sqrt(size):
                fail(f"{name}: p is {test['p']}, ks_2samp's {theirs.pvalue}")
        for kind, values in (("sensitive", first), ("neutral", second)):
            near(column[kind]["mean"], numpy.mean(values), 1e-11, f"{name}: mean of {kind}")
            for share, value in column[kind]["quantiles"].items():
                near(value, numpy.quantile(values, float(share)), 1e-12, f"{name}: {share} of {kind}")
            density, _ = numpy.histogram(values, numpy.arange(51) / 50, density=True)
            if not numpy.allclose(column[kind]["density"], density, rtol=1e-12):
                fail(f"{name}: density of {kind}")
            near(sum(column[kind]["density"]) / 50, 1, 1e-12, f"{name}: the density's integral")


def by_role_and_pairs():
    """D of each role, the intervals over samples against resampling, and the paired ones against scipy's t interval."""
    roles = ("index", "bound", "memory", "sync", "launch", "transfer", "arithmetic", "host", "comment")
    samples, others = [], []
    for i in range(300):
        count = int(rng.integers(20, 120))
        level = rng.beta(4, 3)
        kinds = rng.choice(len(roles), count, p=[0.1, 0.05, 0.1, 0.05, 0.1, 0.1, 0.2, 0.2, 0.1])
        values = numpy.round(numpy.clip(level + 0.03 * kinds + rng.normal(0, 0.2, count), 0, 1), 4)
        other = numpy.round(numpy.clip(values + rng.normal(0.02, 0.1) + rng.normal(0, 0.1, count), 0, 1), 4)
        samples.append((kinds, values))
        others.append(other)

    def lines(every):
        return "".join(json.dumps({
            "id": i, "response": "x" * len(kinds),
            "tag": {"spans": [], "roles": [[roles[k], j, j + 1] for j, k in enumerate(kinds.tolist())]},
            "score": {"end": list(range(1, len(kinds) + 1)), "confidence": values.tolist()}}) + "\n"
            for i, ((kinds, _), values) in enumerate(zip(samples, every)))

    with tempfile.TemporaryDirectory() as room:
        paths = [pathlib.Path(room, name) for name in ("first", "second")]
        for path, every in zip(paths, ([v for _, v in samples], others)):
            path.write_text(lines(every), encoding="utf-8")
        done = subprocess.run([tool, "-q", "--json", "--by=roles", "--size=16", *paths], stdout=subprocess.PIPE, check=True)
    first, second = json.loads(done.stdout)["inputs"]
    which = rng.integers(0, len(samples), (4000, len(samples)))
    for r, role in enumerate(roles):
        own = numpy.array([(v[k == r].sum(), (k == r).sum()) for k, v in samples])
        rest = numpy.array([(v[k != r].sum(), (k != r).sum()) for k, v in samples])
        column = first["roles"][role]
        theirs = scipy.stats.ks_2samp(numpy.concatenate([v[k == r] for k, v in samples]),
                                      numpy.concatenate([v[k != r] for k, v in samples]), method="asymp").statistic
        near(column["d"], theirs, 1e-12, f"D of {role}")
        near(column["difference"]["mean"], own[:, 0].sum() / own[:, 1].sum() - rest[:, 0].sum() / rest[:, 1].sum(), 1e-9,
             f"difference of {role}")
        a, b = own[which].sum(1), rest[which].sum(1)
        spread = numpy.std(a[:, 0] / a[:, 1] - b[:, 0] / b[:, 1])
        near((column["difference"]["high"] - column["difference"]["low"]) / 2 / 1.959963984540054, spread, 0.1,
             f"the spread of {role} over resamples")
    hardest = [[min(values[max(1, t - 8) - 1:min(len(values), t + 7)].mean() for t in range(1, len(values) + 1))
                for values in every] for every in ([v for _, v in samples], others)]
    change = numpy.array(hardest[1]) - hardest[0]
    got = second["from_first"]["hardest_window"]["difference"]
    low, high = scipy.stats.norm.interval(0.95, change.mean(), scipy.stats.sem(change))
    for name, value in (("mean", change.mean()), ("low", low), ("high", high)):
        near(got[name], value, 1e-9, f"the paired hardest windows: {name}")


by_role_and_pairs()
print(f"{len(sizes) * 6} pairs of samples, {compared} with a p to compare with ks_2samp's")
sys.exit(1 if failures or not compared else 0)
