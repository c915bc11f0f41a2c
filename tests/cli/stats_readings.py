"""This compares the figures of cuset-stats under each reading (--by, --comments, --windows, --full, --within), by
role and between inputs, and those of --paper, with figures computed here from the records by the definitions."""

import itertools
import json
import math
import os
import pathlib
import random

from _tool import built, case, fail, json_lines as lines, room, run_tool

tool = built("cuset-stats")
os.chdir(room)
seed = int(os.environ.get("CUSET_SEED", random.randrange(1 << 32)))
print(f"seed {seed}")
rnd = random.Random(seed)
roles = ("index", "bound", "memory", "sync", "launch", "transfer", "arithmetic", "host", "comment")
sensitive_roles = roles[:5]


def run(*arguments, stdin=b"", code=0):
    done = run_tool(tool, *arguments, data=stdin)
    if done.returncode != code:
        fail(f"exit code {done.returncode}, not {code}: {arguments}: {done.stderr.decode()}")
    return done.stdout.decode(), done.stderr.decode()


def record(number, tokens):
    text, ends, confidence = "", [], []
    level = rnd.random()
    for _ in range(tokens):
        text += "".join(rnd.choice("ab \n") for _ in range(rnd.randrange(5)))
        ends.append(len(text))
        confidence.append(float(f"{rnd.random() ** (0.2 + 2 * level):.6g}"))
    runs, at = [], rnd.randrange(20)
    while at < len(text):
        end = min(len(text), at + rnd.randrange(1, 12))
        begin, stop = at, end
        while begin < stop and text[begin] in " \n":
            begin += 1
        while begin < stop and text[stop - 1] in " \n":
            stop -= 1
        if begin < stop:
            runs.append([rnd.choice(roles), begin, stop])
        at = end + rnd.choice((0, 0, 0, 7))
    spans = []
    for _ in range(rnd.randrange(3)):
        begin = rnd.randrange(len(text) + 1)
        spans.append({"kind": rnd.choice(("kernel", "launch")), "name": "k", "begin": begin,
                      "end": min(len(text), begin + rnd.randrange(80))})
    return {"id": f"r{number}", "response": text, "tag": {"spans": spans, "lang": "cuda", "roles": runs, "recovered": 0},
            "score": {"model": "m", "end": ends, "confidence": confidence}}


class Token:
    def __init__(self, r, begin, end, confidence):
        self.confidence = confidence
        self.spans = {s["kind"] for s in r["tag"]["spans"] if max(begin, s["begin"]) < min(end, s["end"])}
        visible = [i for i in range(begin, end) if r["response"][i] not in " \n"]
        self.group = "text" if begin == end else "blank"
        if visible:
            self.group = next((role for role, a, b in r["tag"]["roles"] if a <= visible[0] < b), "text")

    def is_sensitive(self, by, comments):
        if self.group == "comment" and comments == "neutral":
            return False
        if by == "spans":
            return bool(self.spans)
        return self.group in sensitive_roles or (self.group == "comment" and "kernel" in self.spans)


def tokens_of(r, comments):
    begins = [0, *r["score"]["end"]]
    tokens = [Token(r, a, b, c) for a, b, c in zip(begins, r["score"]["end"], r["score"]["confidence"])]
    return [t for t in tokens if comments != "drop" or t.group != "comment"]


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values) if values else None


def quantile(values, share):
    values = sorted(values)
    place = share * (len(values) - 1)
    low = int(place)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (place - low)


def largest_distance(first, second):
    if not first or not second:
        return None
    return max(abs(sum(v <= x for v in first) / len(first) - sum(v <= x for v in second) / len(second))
               for x in {*first, *second})


def difference(pairs):
    """pairs: for each sample the values of the first and of the second group. The interval is by the residuals of the
    two ratios, each sample's share of both taken together."""
    n, m = sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs)
    if n == 0 or m == 0:
        return {"mean": None, "low": None, "high": None}
    first, second = math.fsum(itertools.chain(*(a for a, _ in pairs))) / n, math.fsum(itertools.chain(*(b for _, b in pairs))) / m
    out = {"mean": first - second, "low": None, "high": None}
    if min(sum(bool(a) for a, _ in pairs), sum(bool(b) for _, b in pairs)) >= 2:
        parts = [math.fsum(v - first for v in a) / n - math.fsum(v - second for v in b) / m for a, b in pairs]
        half = 1.959963984540054 * math.sqrt(len(pairs) / (len(pairs) - 1) * math.fsum(p * p for p in parts))
        out |= {"low": out["mean"] - half, "high": out["mean"] + half}
    return out


def windows_of(count, size, full):
    if count < size:
        return [(0, count)] if count else []
    if full:
        return [(i, i + size) for i in range(count - size + 1)]
    return [(max(1, t - size // 2) - 1, min(count, t + (size + 1) // 2 - 1)) for t in range(1, count + 1)]


def rate(windows, on):
    return mean(any(on[a:b]) for a, b in windows)


def first_least(windows, means):
    least = min(means)
    return next(w for w, m in zip(windows, means) if m <= least * (1 + 1e-14))


def low_windows(samples, threshold, size, choice, full):
    low = windows = on_cuda = 0
    chances = []
    for tokens, on in samples:
        every = windows_of(len(tokens), size, full)
        means = [mean(t.confidence for t in tokens[a:b]) for a, b in every]
        below = [w for w, m in zip(every, means) if m < threshold]
        if not below:
            continue
        low += 1
        if choice == "hardest":
            below = [first_least(every, means)]
        elif choice == "regions":
            joined = []
            for a, b in below:
                if joined and a <= joined[-1][1]:
                    joined[-1] = (joined[-1][0], b)
                else:
                    joined.append((a, b))
            below = joined
        windows += len(below)
        on_cuda += sum(any(on[a:b]) for a, b in below)
        for a, b in below:
            chances.append(rate(windows_of(len(tokens), b - a, True) if choice == "regions" else every, on))
    return {"low_samples": low, "low_share": low / len(samples), "low_windows": windows, "low_on_cuda": on_cuda,
            "low_on_cuda_share": on_cuda / windows if windows else None, "low_on_cuda_by_chance": mean(chances)}


def low_on_cuda(samples, threshold, size, full):
    low = windows = below = 0
    chances = []
    for tokens, on in samples:
        every = windows_of(len(tokens), size, full)
        is_low = [mean(t.confidence for t in tokens[a:b]) < threshold for a, b in every]
        there = [is_low[i] for i, (a, b) in enumerate(every) if any(on[a:b])]
        low += any(there)
        windows += len(there)
        below += sum(there)
        chances += [mean(is_low)] * len(there)
    return {"low_samples": low, "low_share": low / len(samples), "cuda_windows": windows, "cuda_low": below,
            "cuda_low_share": below / windows if windows else None, "cuda_low_by_chance": mean(chances)}


def expected(records, size, by="spans", comments="sensitive", windows="hardest", full=False, within=False, threshold=None):
    samples = []
    for r in records:
        tokens = tokens_of(r, comments)
        samples.append((tokens, [t.is_sensitive(by, comments) for t in tokens]))
    split = [([t.confidence for t, s in zip(*sample) if s], [t.confidence for t, s in zip(*sample) if not s])
             for sample in samples]
    sensitive, neutral = ([v for s in split for v in s[i]] for i in (0, 1))
    out = {"samples": len(records), "tokens": len(sensitive) + len(neutral), "difference": difference(split), "roles": {},
           "test": {"d": largest_distance(sensitive, neutral)}}
    for name, values in (("sensitive", sensitive), ("neutral", neutral), ("all", sensitive + neutral)):
        out[name] = {"tokens": len(values), "mean": mean(values), "quantiles": {"0.25": quantile(values, 0.25)}}
    for group in (*roles, "blank", "text"):
        parts = [([t.confidence for t in tokens if t.group == group], [t.confidence for t in tokens if t.group != group])
                 for tokens, _ in samples]
        own, rest = ([v for s in parts for v in s[i]] for i in (0, 1))
        if own:
            out["roles"][group] = {
                "tokens": len(own), "mean": mean(own), "quantiles": {"0.05": quantile(own, 0.05), "0.75": quantile(own, 0.75)},
                "not_above_mask": sum(v <= 0.1 for v in own) / len(own), "d": largest_distance(own, rest),
                "difference": difference(parts)}
    threshold = threshold or mean(neutral)
    hardest = []
    for tokens, on in samples:
        every = [w for w in windows_of(len(tokens), size, full) if not within or any(on[slice(*w)])]
        if every:
            hardest.append(min(mean(t.confidence for t in tokens[a:b]) for a, b in every))
    out["hardest_window"] = {"samples": len(hardest), "mean": mean(hardest), "quantiles": {"0.95": quantile(hardest, 0.95)}}
    out["windows"] = {"threshold": threshold}
    out["windows"] |= (low_on_cuda(samples, threshold, size, full) if within
                       else low_windows(samples, threshold, size, windows, full))
    return out


def same(got, wanted, where):
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            if key not in got:
                fail(f"{where} has no {key}")
            else:
                same(got[key], value, f"{where}.{key}")
        if where.endswith("roles") and got.keys() != wanted.keys():
            fail(f"{where} are {list(got)}, not {list(wanted)}")
    elif wanted is None or got is None or isinstance(wanted, str):
        if got != wanted:
            fail(f"{where} is {got}, not {wanted}")
    elif not math.isclose(got, wanted, rel_tol=1e-6 if where.endswith("chance") else 1e-11, abs_tol=1e-12):
        fail(f"{where} is {got}, not {wanted}")


def readings():
    compared = 0
    for by, comments, windows, full in itertools.product(("spans", "roles"), ("sensitive", "neutral", "drop"),
                                                         ("hardest", "all", "regions", "cuda"), (False, True)):
        size = rnd.choice((1, 2, 7, 16, 33))
        records = [record(i, rnd.randrange(60)) for i in range(12)] + [record(99, 0)]
        threshold = rnd.choice((None, None, 0.5))
        choice = ["--within=cuda"] if windows == "cuda" else ["--windows", windows]
        arguments = ["--json", "--by", by, "--comments", comments, *choice, "--size", str(size), *["--full"] * full,
                     *([f"--threshold={threshold}"] if threshold else [])]
        out, _ = run(*arguments, "-t2", stdin=lines(records))
        got = json.loads(out)
        where = " ".join(arguments)
        wanted = expected(records, size, by, comments, windows, full, windows == "cuda", threshold)
        same(got["inputs"][0], wanted, where)
        same(got, {"size": size, "by": by, "comments": comments}, where)
        rnd.shuffle(records)
        if run(*arguments, "-t1", stdin=lines(records))[0] != out:
            fail(f"{where}: the order of the records shows")
        table = dict(row.split("\t") for row in run("--tsv", *arguments[1:], stdin=lines(records))[0].splitlines())
        column = got["inputs"][0]
        shown = {"difference_low": column["difference"]["low"], "hardest_window_mean": column["hardest_window"]["mean"],
                 "all_mean": column["all"]["mean"]}
        for role, figures in column["roles"].items():
            shown |= {f"role_{role}_tokens": figures["tokens"], f"role_{role}_q05": figures["quantiles"]["0.05"],
                      f"role_{role}_not_above_mask": figures["not_above_mask"], f"role_{role}_ks_d": figures["d"],
                      f"role_{role}_difference_high": figures["difference"]["high"]}
        shown |= {k: v for k, v in column["windows"].items() if k != "threshold"}
        for name, value in shown.items():
            if table.get(name) != ("NA" if value is None else f"{value:.15g}"):
                fail(f"{where}: TSV: {name} is {table.get(name)}, not {value}")
        compared += 1
    print(f"{compared} readings")


def paired():
    records = [record(i, 20 + rnd.randrange(40)) for i in range(15)]
    others = json.loads(json.dumps(records))
    for r in others:
        r["score"]["confidence"] = [float(f"{c ** rnd.choice((0.5, 0.9, 1.2)):.6g}") for c in r["score"]["confidence"]]
    rnd.shuffle(others)
    others.append(record(100, 30))                         # no partner
    twice = json.loads(json.dumps(others[0]))              # an id that occurs twice
    twice["score"]["confidence"] = [0.5] * len(twice["score"]["confidence"])
    others.append(twice)
    for name, kept in (("first", records), ("second", others), ("third", records[:4])):
        pathlib.Path(name).write_bytes(lines(kept))
    out, reported = run("--json", "--size=8", "--label", "a", "--label", "b <&>", "--label", "c", "first", "second", "third")
    columns = json.loads(out)["inputs"]
    if [c["input"] for c in columns] != ["a", "b <&>", "c"]:
        fail(f"labels: {[c['input'] for c in columns]}")
    notes = {"b <&>": ["3 samples have no partner of their own id in the first input"]}
    for label, kept in (("a", records), ("b <&>", others), ("c", records[:4])):  # few records may have no spans
        if not any(t.spans for r in kept for t in tokens_of(r, "sensitive")):
            notes.setdefault(label, []).insert(0, "no tokens in kernels or launches: the test is not defined")
    wanted = "".join(f"cuset-stats: {label}: {note}\n" for label in sorted(notes) for note in notes[label])
    if reported != wanted:
        fail(f"what is missing: {reported}, not {wanted}")
    if "from_first" in columns[0]:
        fail("the first input differs from itself")
    whole = {r["id"]: r for r in records}
    for column, members in ((columns[1], [r for r in others[1:] if r["id"] != twice["id"] and r["id"] != "r100"]),
                            (columns[2], records[:4])):
        def parts(keep):
            def of(r):
                tokens = tokens_of(r, "sensitive")
                if keep == "hardest":
                    return [min(mean(t.confidence for t in tokens[a:b]) for a, b in windows_of(len(tokens), 8, False))]
                return [t.confidence for t in tokens if keep is None or bool(t.spans) == keep]
            return [(of(r), of(whole[r["id"]])) for r in members]
        wanted = {"pairs": len(members)}
        for name, keep in (("sensitive", True), ("neutral", False), ("all", None), ("hardest_window", "hardest")):
            pairs = parts(keep)
            wanted[name] = {"first": mean(v for _, b in pairs for v in b), "this": mean(v for a, _ in pairs for v in a),
                            "difference": difference(pairs)}
        same(column["from_first"], wanted, column["input"])
    if columns[2]["from_first"]["all"]["difference"] != {"mean": 0, "low": 0, "high": 0}:
        fail("the same samples differ")
    rows = [row.split("\t") for row in run("-q", "--tsv", "--size=8", "first", "second", "third")[0].splitlines()]
    table = {row[0]: row[1:] for row in rows}
    for name, of in (("paired_samples", lambda p: p["pairs"]), ("paired_all_first", lambda p: p["all"]["first"]),
                     ("paired_hardest_window_difference_low", lambda p: p["hardest_window"]["difference"]["low"])):
        if table[name] != ["NA", *(f"{of(c['from_first']):.15g}" for c in columns[1:])]:
            fail(f"TSV: {name} is {table[name]}")
    text, _ = run("-q", "--size=8", "first", "second", "third")
    change = columns[1]["from_first"]["hardest_window"]["difference"]
    row = next((line for line in text.splitlines() if line.startswith("hardest window   second ")), "")
    if row.split()[-4:] != [f"{change['mean']:+.4f}", f"{change['low']:+.4f}", "to", f"{change['high']:+.4f}"]:
        fail(f"the text's differences: {text}")
    # Records without ids are known by their lines.
    bare = [{k: v for k, v in r.items() if k != "id"} for r in records]
    pathlib.Path("bare").write_bytes(lines(bare))
    if json.loads(run("--json", "bare", "bare")[0])["inputs"][1]["from_first"]["pairs"] != len(bare):
        fail("lines are no keys")


def forms():
    """Markdown and LaTeX have the cells of the text."""
    pathlib.Path("first").write_bytes(lines([record(i, 40) for i in range(5)]))
    for arguments in (("--by=roles",), ("--within=cuda",), ("--paper",)):
        label = "one|two_3"
        text, _ = run(*arguments, "--label", label, "first")
        markdown, _ = run(*arguments, "--label", label, "--markdown", "first")
        latex, _ = run(*arguments, "--label", label, "--latex", "first")
        blocks = [block.splitlines() for block in text.strip("\n").split("\n\n")]
        rows = [line for line in markdown.splitlines() if line.startswith("| ")]
        if len(rows) != sum(len(block) - 1 for block in blocks) or markdown.count("**") != 2 * len(blocks):
            fail(f"{arguments}: Markdown\n{text}\n{markdown}")
        if latex.count("\\begin{tabular}") != len(blocks) or latex.count("\\\\\n") != len(rows):
            fail(f"{arguments}: LaTeX\n{latex}")
        if "one|two" in markdown or "two_3" in latex.replace("% one|two_3", ""):
            fail(f"{arguments}: a label is not escaped")
        shown = [line for block in blocks for line in block[1:]]
        for line, row in zip(shown, rows):
            if "".join(line.split()) != "".join(row.replace("\\", "").replace("| ", "").rstrip("|").split()).replace("one|two", "one|two"):
                fail(f"{arguments}: {line} became {row}")


def paper():
    records = [record(i, rnd.randrange(10, 60)) for i in range(14)]
    for full in (False, True):
        text, _ = run("--paper", "--size=9", *["--full"] * full, stdin=lines(records))
        figure_1, figure_2 = (block.splitlines()[2:] for block in text.strip("\n").split("\n\n"))
        names = {"spans, comments where they stand": ("spans", "sensitive"), "spans, comments neutral": ("spans", "neutral"),
                 "spans, comments dropped": ("spans", "drop"), "roles, comments neutral": ("roles", "neutral"),
                 "roles, comments dropped": ("roles", "drop")}
        if len(figure_1) != 6 or len(figure_2) != 6:
            fail(f"not five readings and the paper: {text}")
        if "4.6e-39" not in figure_1[5] or "surer of CUDA code" not in figure_1[5] or "74.47 %" not in figure_2[5] \
                or "91.18 %" not in figure_2[5]:
            fail(f"the paper's numbers: {figure_1[5]} {figure_2[5]}")
        shares = lambda *values: " ".join("-" if v is None else f"{100 * v:.2f} %" for v in values)
        for first, second, (name, (by, comments)) in zip(figure_1, figure_2, names.items()):
            of = {w: expected(records, 9, by, comments, w, full) for w in ("hardest", "all", "regions")}
            e, w = of["hardest"], of["hardest"]["windows"]
            d = e["difference"]
            direction = ("surer of CUDA code" if d["low"] > 0 else "less sure of CUDA code" if d["high"] < 0
                         else "no clear difference")
            wanted = f"{name} {e['sensitive']['tokens']} {e['sensitive']['mean']:.4f} {e['neutral']['tokens']} " \
                     f"{e['neutral']['mean']:.4f} {d['mean']:+.4f} {d['low']:+.4f} to {d['high']:+.4f} {e['test']['d']:.4f}"
            got = " ".join(first.split())
            if not got.startswith(wanted) or not got.endswith(direction):
                fail(f"Fig. 1: {got}, not {wanted} ... {direction}")
            wanted = f"{name} {w['threshold']:.4f} {w['low_samples']} of 14 {shares(w['low_share'])} " + shares(
                *(of[c]["windows"][k] for c in of for k in ("low_on_cuda_share", "low_on_cuda_by_chance")))
            if " ".join(second.split()) != wanted:
                fail(f"Fig. 2: {' '.join(second.split())}, not {wanted}")


def refusals():
    good = record(1, 20)
    untagged = json.loads(json.dumps(good))
    del untagged["tag"]["roles"], untagged["tag"]["recovered"]
    missing = 'cuset-stats: standard input:1: "tag.roles" is missing (tag the records with cuset-tag --roles)\n'
    for arguments in (["--by=roles"], ["--comments=drop"], ["--comments=neutral"], ["--paper"]):
        if run(*arguments, stdin=lines([untagged]), code=1)[1] != missing:
            fail(f"{arguments}: records without roles")
    run("--windows=all", "--full", "--within=all", stdin=lines([untagged]))
    _, reported = run("--json", stdin=lines([good, untagged]))
    if reported.count("the figures by role are of the 1 samples that have roles") != 1:
        fail(f"samples without roles: {reported}")
    for runs, message in (([["loop", 0, 1]], '"tag.roles": no role is called loop'),
                          ([["host", 0, 1000]], '"tag.roles" reach past the response: tags of other text?')):
        bad = json.loads(json.dumps(good))
        bad["tag"]["roles"] = runs
        if run(stdin=lines([bad]), code=1)[1] != f"cuset-stats: standard input:1: {message}\n":
            fail(message)
    pathlib.Path("in").write_bytes(lines([good]))
    for arguments in (["--paper", "--json"], ["--paper", "--svg", "x"], ["--paper", "--by=roles"], ["--tsv", "--markdown"],
                      ["--markdown", "--latex"], ["--within=cuda", "--windows=all"], ["--label=a", "in", "in"],
                      ["--label=a", "--label=b"], ["--by=words"]):
        _, reported = run(*arguments, *([] if "in" in arguments else ["in"]), code=2)
        if reported.count("\n") != 1:
            fail(f"{arguments}: {reported}")


for test in (readings, paired, forms, paper, refusals):
    case(test.__name__)
    test()
