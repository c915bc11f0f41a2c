"""This compares the figures of cuset-stats with figures computed here from the records, and tests
its output forms and its messages about records that it cannot use."""

import json
import math
import os
import pathlib
import random
import xml.etree.ElementTree as ElementTree

from _tool import built, case, fail, json_lines as lines, room, run_tool

tool = built("cuset-stats")
os.chdir(room)
seed = int(os.environ.get("CUSET_SEED", random.randrange(1 << 32)))
print(f"seed {seed}")
rnd = random.Random(seed)


def run(*arguments, stdin=b"", code=0):
    done = run_tool(tool, *arguments, data=stdin)
    if done.returncode != code:
        fail(f"exit code {done.returncode}, not {code}: {arguments}: {done.stderr.decode()}")
    return done.stdout.decode(), done.stderr.decode()


def record(number, tokens, ties):
    """Tokens of 0 to 3 bytes, a few spans that may overlap, confidences with six digits."""
    ends, end, confidence = [], 0, []
    for _ in range(tokens):
        end += rnd.randrange(4)
        ends.append(end)
        value = rnd.randrange(11) / 10 if rnd.random() < ties else rnd.random() ** rnd.choice((0.3, 1, 20))
        confidence.append(float(f"{value:.6g}"))
    spans = []
    for _ in range(rnd.randrange(4)):
        begin = rnd.randrange(end + 1)
        spans.append({"kind": rnd.choice(("kernel", "launch")), "name": "k", "begin": begin,
                      "end": min(end, begin + rnd.randrange(60))})
    return {"id": number, "response": "x" * end, "tag": {"spans": spans, "lang": "cuda"},
            "score": {"model": "m", "end": ends, "confidence": confidence}}


def kinds_of(r):
    kinds, begin = [], 0
    for end in r["score"]["end"]:
        touched = {s["kind"] for s in r["tag"]["spans"] if max(begin, s["begin"]) < min(end, s["end"])}
        kinds.append("launch" if "launch" in touched else "kernel" if touched else "neutral")
        begin = end
    return kinds


def windows_of(count, size):
    if count < size:
        return [(0, count)] if count else []
    return [(max(1, t - size // 2) - 1, min(count, t + (size + 1) // 2 - 1)) for t in range(1, count + 1)]


def mean(values):
    return math.fsum(values) / len(values) if values else None


def quantile(values, share):
    place = share * (len(values) - 1)
    low = int(place)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (place - low)


def expected(records, size, threshold=None):
    tokens = {"kernel": [], "launch": [], "neutral": []}
    for r in records:
        for kind, value in zip(kinds_of(r), r["score"]["confidence"], strict=True):
            tokens[kind].append(value)
    tokens["sensitive"] = tokens["kernel"] + tokens["launch"]
    out = {"samples": len(records), "tokens": sum(len(r["score"]["end"]) for r in records)}
    for kind, values in tokens.items():
        values.sort()
        bins = [0] * 50
        for v in values:
            bins[min(49, int(v * 1e8 + 1e-3) // 2_000_000)] += 1
        out[kind] = {"tokens": len(values), "mean": mean(values),
                     "quantiles": {s: quantile(values, float(s)) for s in ("0.05", "0.25", "0.5", "0.75", "0.95")},
                     "density": [50 * b / len(values) for b in bins]}
    threshold = threshold or mean(tokens["neutral"])
    low, on, rates = 0, 0, []
    for r in records:
        c, kinds = r["score"]["confidence"], kinds_of(r)
        spans = windows_of(len(c), size)
        if not spans:
            continue
        means = [math.fsum(c[a:b]) / (b - a) for a, b in spans]
        hits = [any(k != "neutral" for k in kinds[a:b]) for a, b in spans]
        if min(means) < threshold:
            low += 1
            # Means that differ by rounding alone, 16 units in the last place, are equal: the first counts.
            on += hits[next(i for i, m in enumerate(means) if m <= min(means) * (1 + 2**-49))]
            rates.append(sum(hits) / len(hits))
    out["windows"] = {"threshold": threshold, "low_samples": low, "low_share": low / len(records), "low_on_cuda": on,
                      "low_on_cuda_share": on / low if low else None, "low_on_cuda_by_chance": mean(rates)}
    return out


def same(got, wanted, where):
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            same(got[key], value, f"{where}.{key}")
    elif isinstance(wanted, list):
        for i, value in enumerate(wanted):
            same(got[i], value, f"{where}[{i}]")
        if len(got) != len(wanted):
            fail(f"{where} has {len(got)} elements")
    elif wanted is None or got is None:
        if got is not wanted:
            fail(f"{where} is {got}, not {wanted}")
    elif not math.isclose(got, wanted, rel_tol=1e-6 if where.endswith("chance") else 1e-12, abs_tol=1e-15):
        fail(f"{where} is {got}, not {wanted}")


def whole_figures():
    for size, ties in ((64, 0.3), (5, 0.9), (256, 0)):
        records = [record(i, rnd.randrange(400), ties) for i in range(120)] + [record(999, 0, 0)]
        other = []
        while len({kind for r in other for kind in kinds_of(r)}) < 3:  # no tokens, no figures
            other = [record(i, 50 + rnd.randrange(40), ties) for i in range(9)]
        pathlib.Path("first.jsonl").write_bytes(lines(records))
        pathlib.Path("second.jsonl").write_bytes(lines(other))
        arguments = ("--size", str(size), "--json")
        text, _ = run(*arguments, "first.jsonl", "second.jsonl", "-t3")
        report = json.loads(text)
        if report["size"] != size or [c["input"] for c in report["inputs"]] != ["first.jsonl", "second.jsonl"]:
            fail(f"the report is of {report['size']} and {[c['input'] for c in report['inputs']]}")
        same(report["inputs"][0], expected(records, size), f"size {size}: first")
        same(report["inputs"][1], expected(other, size), f"size {size}: second")
        for column in report["inputs"]:
            for kind in ("sensitive", "neutral", "kernel", "launch"):
                if not math.isclose(sum(column[kind]["density"]) / 50, 1, rel_tol=1e-12):
                    fail(f"the density of {kind} tokens sums to {sum(column[kind]['density']) / 50}")
        fixed = json.loads(run(*arguments, "--threshold", "0.37", "second.jsonl")[0])["inputs"][0]
        same(fixed["windows"], expected(other, size, 0.37)["windows"], f"size {size}: threshold 0.37")
        # Any number of threads, and the same records from a pipe in another order: the same bytes.
        alone, _ = run(*arguments, stdin=lines(records))
        rnd.shuffle(records)
        for shuffled in (run(*arguments, "-t1", stdin=lines(records)), run(*arguments, "-t4", stdin=lines(records))):
            if shuffled[0] != alone:
                fail("the order or the number of threads shows")
        if json.loads(alone)["inputs"][0] != {**report["inputs"][0], "input": "standard input"}:
            fail("a pipe's figures are not the file's")
        # The TSV has the same figures.
        rows = [row.split("\t") for row in run("--size", str(size), "--tsv", "first.jsonl", "second.jsonl")[0].splitlines()]
        table = {row[0]: row[1:] for row in rows}
        first = report["inputs"][0]
        for name, value in {"figure": "first.jsonl", "samples": 121, "kernel_q05": first["kernel"]["quantiles"]["0.05"],
                            "ks_d": first["test"]["d"], "ks_log10_p": first["test"]["log10_p"], "window_size": size,
                            "low_on_cuda_by_chance": first["windows"]["low_on_cuda_by_chance"],
                            "density_neutral_0.98": first["neutral"]["density"][49]}.items():
            if table[name][0] != (value if isinstance(value, str) else f"{value:.15g}"):
                fail(f"TSV: {name} is {table[name][0]}, not {value}")
        if {len(row) for row in rows} != {3}:
            fail("TSV: not three columns everywhere")


def good(**changes):
    return {"id": 1, "response": "0123456789", "tag": {"spans": [{"kind": "kernel", "name": "k", "begin": 2, "end": 6}]},
            "score": {"end": [2, 4, 6, 10], "confidence": [0.9, 0.2, 0.4, 0.8]}, **changes}


def bad_records():
    def score(end, confidence):
        return {"score": {"end": end, "confidence": confidence}}

    def tag(kind, begin, end):
        return {"tag": {"spans": [{"kind": kind, "name": "k", "begin": begin, "end": end}]}}

    untagged, unscored = good(), good()
    del untagged["tag"], unscored["score"]
    for bad, message in (
            (untagged, '"tag" is missing (pipe the records through cuset-tag)'),
            (unscored, '"score" is missing (pipe the records through cuset-score)'),
            (good(**score([2, 11], [1, 1])), '"score.end" reaches past the response: scored from other text?'),
            (good(**score([2, 4, 6], [1, 1])), '"score": "end" and "confidence" differ in length'),
            (good(**score([2], [1.5])), '"score.confidence" lies outside [0, 1]'),
            (good(**tag("kernel", 2, 11)), '"tag.spans" reach past the response: tags of other text?'),
            (good(**tag("macro", 2, 4)), '"tag.spans": kind is neither kernel nor launch'),
            (good(tag=7), '"tag" is not an object with an array of spans (kind, name, begin, end)')):
        out, reported = run(stdin=lines([good(), bad]), code=1)
        if out or reported != f"cuset-stats: standard input:2: {message}\n":
            fail(f"of {message}: {reported}{out}")
        out, reported = run("--json", "--on-error=skip", "--rejects", "rejects", stdin=lines([good(), bad, good()]), code=3)
        if json.loads(out)["inputs"][0]["samples"] != 2 or pathlib.Path("rejects").read_bytes() != lines([bad]):
            fail(f"{message}: not set aside")


def undefined():
    """A figure without a value is reported, and is no error."""
    one = {"score": {"end": [6], "confidence": [0.25]}, "response": "012345"}
    only_cuda = good(**one, **{"tag": {"spans": [{"kind": "kernel", "name": "k", "begin": 0, "end": 6}]}})
    no_cuda = good(**one, tag={"spans": []})
    for records, words_expected, test, windows in (
            ([], "no records: nothing is defined", None, None),
            ([only_cuda], "no neutral tokens: the test is not defined", None, None),
            ([no_cuda], "no tokens in kernels or launches: the test is not defined", None, 0)):
        out, reported = run("--json", stdin=lines(records))
        column = json.loads(out)["inputs"][0]
        if f"cuset-stats: standard input: {words_expected}\n" not in reported or column["test"] is not test:
            fail(f"{words_expected}: {reported}, {column['test']}")
        if (column["windows"] and column["windows"]["low_samples"]) != windows:
            fail(f"{words_expected}: {column['windows']}")
        if run("-q", "--tsv", stdin=lines(records))[1]:
            fail("-q is not quiet")
        if "nan" in out or "\tNA\n" not in run("--tsv", stdin=lines(records))[0]:
            fail(f"{words_expected}: not null and NA")
        if "nan" in run(stdin=lines(records))[0]:
            fail(f"{words_expected}: nan in the text")
        run("--svg", "undefined.svg", stdin=lines(records))
        drawn = pathlib.Path("undefined.svg").read_text(encoding="utf-8")
        ElementTree.fromstring(drawn)
        if "Kolmogorov-Smirnov: not defined" not in drawn or "nan" in drawn:
            fail(f"{words_expected}: the drawing")
    # Without neutral tokens, and with another threshold.
    out, _ = run("--json", "--threshold=0.3", stdin=lines([only_cuda]))
    if json.loads(out)["inputs"][0]["windows"]["low_on_cuda"] != 1:
        fail("--threshold without neutral tokens")
    # One sample is enough for all figures: the windows of two samples that hold the kernel's
    # tokens.
    column = json.loads(run("--json", "--size=2", stdin=lines([good()]))[0])["inputs"][0]
    if column["test"]["d"] != 1 or column["windows"]["low_on_cuda"] != 1 or column["test"]["at"] != 0.4:
        fail(f"one sample: {column}")


def the_text():
    out, _ = run("--size=2", stdin=lines([good()]))
    wanted = """sensitive tokens by spans, comments where they stand
input           samples  tokens
standard input        1       4

confidence of all tokens of each kind; and, over samples, the mean confidence of the hardest window
tokens          input           count    mean     5 %    25 %    50 %    75 %    95 %
kernel          standard input      2  0.3000  0.2100  0.2500  0.3000  0.3500  0.3900
launch          standard input      0       -       -       -       -       -       -
sensitive       standard input      2  0.3000  0.2100  0.2500  0.3000  0.3500  0.3900
neutral         standard input      2  0.8500  0.8050  0.8250  0.8500  0.8750  0.8950
all             standard input      4  0.5750  0.2300  0.3500  0.6000  0.8250  0.8850
hardest window  standard input      1  0.3000  0.3000  0.3000  0.3000  0.3000  0.3000

mean confidence of all sensitive tokens less that of all neutral ones
input           difference  95 % over samples
standard input     -0.5500                  -

all sensitive against all neutral tokens: Kolmogorov-Smirnov, two-sided, asymptotic
input                D      p  log10 p      at  sensitive below  neutral below
standard input  1.0000  0.270    -0.57  0.4000         100.00 %         0.00 %

low windows: windows of 2 tokens whose mean confidence is below the threshold; of each sample, the hardest counts; by chance: windows drawn from the same samples
input           threshold  samples with one            on CUDA code, of these            by chance
standard input     0.8500            1 of 1  100.00 %                  1 of 1  100.00 %    75.00 %

density of all sensitive and all neutral tokens
"""
    if not out.startswith(wanted):
        fail(f"the text is\n{out}")
    # A p below the smallest double, and a small one.
    far = good(response="x" * 4000, tag={"spans": [{"kind": "kernel", "name": "k", "begin": 0, "end": 2000}]},
               score={"end": list(range(1, 4001)), "confidence": [0.1] * 2000 + [0.9] * 2000})
    out, _ = run(stdin=lines([far]))
    if " 1.0000  5.2e-869  -868.29  0.1000 " not in out:
        fail(f"a p of 2 exp(-2000): {out}")


def the_drawing():
    records = [record(i, 200, 0.2) for i in range(40)]
    hostile = '<script>&"\'\t\xe9\udcff.jsonl'
    pathlib.Path(hostile).write_bytes(lines(records))
    pathlib.Path("plain.jsonl").write_bytes(lines(records[:20]))
    run("--svg", "drawing.svg", hostile, "plain.jsonl")
    drawn = pathlib.Path("drawing.svg").read_bytes()
    tree = ElementTree.fromstring(drawn)
    names = {"s": "http://www.w3.org/2000/svg"}
    if tree.findall(".//s:script", names) or drawn.count(b"http") != 1 or b"href" in drawn or b"url(" in drawn:
        fail("the drawing is not self-contained")
    if b"prefers-color-scheme: dark" not in drawn:
        fail("the drawing has no dark scheme")
    words = [t.text for t in tree.iter("{http://www.w3.org/2000/svg}text")]
    if not any(w.startswith("<script>&\"'") for w in words) or "plain.jsonl" not in words:
        fail(f"the inputs' names: {words}")
    paths = [p for p in tree.iter("{http://www.w3.org/2000/svg}path") if "area" not in p.get("class")]
    if len(paths) != 4 or any(p.get("d").count("H") != 50 for p in paths):
        fail("not two densities of 50 steps for each input")
    # The drawing is inside its frame.
    width, height = float(tree.get("width")), float(tree.get("height"))
    for line in tree.iter("{http://www.w3.org/2000/svg}line"):
        if not all(0 <= float(line.get(a)) <= b for a, b in (("x1", width), ("x2", width), ("y1", height), ("y2", height))):
            fail(f"a line leaves the drawing: {line.attrib}")
    json.loads(run("--json", hostile)[0])
    if len(run("--tsv", hostile)[0].splitlines()[0].split("\t")) != 2:
        fail("a tab in a name breaks the TSV")


def destinations():
    pathlib.Path("in.jsonl").write_bytes(lines([good()]))
    for arguments in (("--tsv", "--json"), ("--svg", "-"), ("--svg", "in.jsonl"), ("-o", "in.jsonl"),
                      ("-o", "x", "--svg", "x"), ("--threshold", "0"), ("--threshold", "1.5"), ("--threshold", "nan"),
                      ("--threshold", "0.5x"), ("--size", "0"),
                      ("-o", "x", "--on-error=skip", "--rejects", "x"), ("--svg", "x", "--on-error=skip", "--rejects", "x")):
        _, reported = run(*arguments, "in.jsonl", code=2)
        if reported.count("\n") != 1:
            fail(f"{arguments}: {reported}")
        if pathlib.Path("x").exists() or pathlib.Path("in.jsonl").read_bytes() != lines([good()]):
            fail(f"{arguments} left or changed a file")
    run("-o", "report.txt", "in.jsonl")
    if pathlib.Path("report.txt").read_text(encoding="utf-8") != run("in.jsonl")[0]:
        fail("-o")
    # An error leaves neither a report nor a drawing.
    run("-o", "none", "--svg", "none.svg", stdin=b"{}\n", code=1)
    if pathlib.Path("none").exists() or pathlib.Path("none.svg").exists():
        fail("half a run leaves files")


for test in (whole_figures, bad_records, undefined, the_text, the_drawing, destinations):
    case(test.__name__)
    test()
