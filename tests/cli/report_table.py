"""This tests cuset-report --table from the command line: what it prints first, its forms and their escapes, the drawing,
and what it refuses. The verdicts are the tool's own, of programs that need no compiler to fail. The figures are
compared with scipy's in tests/oracle/table_scipy.py."""

import csv
import io
import json
import re
import xml.etree.ElementTree as xml

from _eval import (assert_that, candidate, need_sandbox, room, run, run_report, runs_here, task, write,
                   write_candidates, write_tasks)

need_sandbox()
right, wrong = "load(); twice(); store();", "load(); store();"
tasks = write_tasks(room / "tasks.jsonl", *(task(i, family=f"big{i // 2}") for i in range(6)))


def judge(name, passing):
    """Two samples a task, of which `passing` says whether they pass, or that there is no code."""
    made = write_candidates(room / f"{name}-c.jsonl", *(
        candidate(t, s, {"+": right, "-": wrong, "0": "I do not know"}[passing[t]], tokens=10 + t)
        for t in range(6) for s in range(2)))
    done = runs_here("--tasks", tasks, "--verdicts", room / f"{name}.jsonl", made)
    assert_that("judged: " + name, done.returncode == 0, done)
    return room / f"{name}.jsonl"


a1, a2, b1, b2 = (judge(*words) for words in (("a1", "++++--"), ("a2", "+++--0"), ("b1", "+---00"), ("b2", "--+-00")))


def table(*words, code=0, message=()):
    done = run_report("--table", *words)
    assert_that(f"{words}: exit code", done.returncode == code, done)
    for word in message:
        assert_that(f"{words}: says {word}", word in (done.stderr if code else done.stdout).decode(), done)
    return done.stdout.decode()


# The first line stands on its own, and families are the tasks' field.
text = table("--tasks", tasks, "--baseline", "b", f"a={a1},{a2}", f"b={b1},{b2}")
assert_that("first line", text.splitlines()[0] == "counted     2 conditions on the same 6 tasks of 3 families (field family), "
            "2 samples a task and seed, 2 seeds a condition: 48 answers", text)
for words in ("a              2       24  0.5833 [", "pass@1, difference from b", "sign test", "power ", "95 % interval",
              "no_code", "wrong_output", "tokens"):
    assert_that("report: " + words, words in text, text)
assert_that("names of tasks", "of 6 families (field task_name)" in table(f"a={a1},{a2}"))
assert_that("each task a family", "of 6 families (field id)" in table("--tasks", tasks, "--family", "id", f"a={a1}"))
assert_that("the same twice", text == table("--tasks", tasks, "--baseline", "b", f"a={a1},{a2}", f"b={b1},{b2}"))
one = table(f"a={a1}")
assert_that("without a baseline", "difference" not in one and "power" not in one, one)

# "task data" is the same in all reports on the same tasks, whatever their order.
backwards = write(room / "backwards.jsonl", "".join(reversed(open(tasks, encoding="utf-8").readlines())))
shown = [re.search("task data +([0-9a-f]{64})", out.decode()).group(1) for out in (
    run_report("--tasks", tasks, a1).stdout, run_report("--tasks", backwards, a1).stdout,
    run_report("--compare", a1, b1).stdout, run_report("--table", f"a={a1}").stdout)]
assert_that("task data", len(set(shown)) == 1, shown)
rate = re.search(r"pass@1 unbiased +(.*)", run_report("--tasks", tasks, a1).stdout.decode()).group(1)
assert_that("one estimate in both reports", rate.split() == ["0.6667", *re.search(
    r"a +1 +12 +0\.6667 (\[.*?\])", one).group(1).split()], (rate, one))

# The k of Pass@k.
rows = {r["measure"]: r for r in csv.DictReader(io.StringIO(table("--format", "tsv", "-k", "2,1,2", f"a={a1}")), delimiter="\t")}
assert_that("k", {"pass@1", "pass@2", "ran@2"} <= set(rows) and "pass@3" not in rows, rows)
mixed = write(room / "mixed.jsonl", "".join(
    line for sample, file in enumerate((a1, b1)) for line in open(file, encoding="utf-8") if json.loads(line)["sample"] == sample))
rows = {r["measure"]: float(r["mean"]) for r in csv.DictReader(io.StringIO(
    table("--format", "tsv", "-k", "2", f"a={mixed}")), delimiter="\t") if r["measure"] == "pass@2"}
solved = {json.loads(line)["task"] for line in open(mixed, encoding="utf-8") if json.loads(line)["stage"] == "correct"}
assert_that("pass@2", abs(rows["pass@2"] - len(solved) / 6) < 1e-6, (rows, solved))
shown = run_report("--tasks", tasks, "--pass-at=2", a1)
assert_that("Pass@2", b"Pass@2" in shown.stdout and b"Pass@1 " not in shown.stdout and not shown.stderr, shown)
assert_that("Pass@2 of both", b"Pass@2" in run_report("--compare", "-k2", a1, b1).stdout)
for words in (["--tasks", tasks, a1], ["--compare", a1, b1], ["--table", f"a={a1}"]):
    done = run_report("-k", "1,5", *words)
    assert_that(f"too large {words}", done.returncode == 0 and b"--pass-at 5: there are 2 samples" in done.stderr, done)
for bad in ("0", "1,,2", "1,", "x", "1.5", "10001", ",1"):
    done = run_report("--compare", "-k", bad, a1, b1)
    assert_that(f"-k {bad}", done.returncode == 2 and b"--pass-at: '" in done.stderr, done)
done = runs_here("--tasks", tasks, "-k1x", "--verdicts", room / "never.jsonl", room / "a1-c.jsonl")
assert_that("-k before anything is judged", done.returncode == 2 and b"'1x'" in done.stderr
            and not (room / "never.jsonl").exists(), done)
assert_that("-k and tasks", runs_here("--tasks", tasks, "-k1", "--check-tasks").returncode == 2)
assert_that("-k 1,", b"--pass-at: '' is" in run_report("--compare", "-k1,", a1, b1).stderr)
assert_that("-k of no report", b"--pass-at is for" in run_report("--turns", "-k1", a1, b1).stderr)

# An interval that is wider than all that was seen has its reason beside it.
all_pass, none = judge("all", "++++++"), judge("none", "------")
assert_that("no spread", "lie beyond all that was seen" in table("--baseline=b", f"a={all_pass}", f"b={none}"))
shown = table("--tasks", tasks, "--baseline=b", f"a={a2}", f"b={a2}")
assert_that("no spread of differences alone", "lie beyond all that was seen" in shown and "0.0000 [" in shown, shown)

# Forms: cells come out as they went in, whatever is in a name.
nasty = "x|y_*[z]`<b>&%$#{}~^\\--check"
markdown = table("--format", "markdown", f"{nasty}={a1}")
row = next(line for line in markdown.splitlines() if line.startswith("| x"))
cells = re.split(r"(?<!\\)\|", row)[1:-1]
assert_that("Markdown", re.sub(r"\\(.)", r"\1", cells[0]).strip() == nasty and cells[1].strip() == "1", row)
latex = table("--format", "latex", f"{nasty}={a1}", f"[b]={b1}")
bare = re.sub(r"\\[&%$#_{}]|\\text[a-z]+\{\}|\\\\|\\hline|-\{\}|\{\}\[|\\(begin|end)\{tabular\}(\{[lr]+\})?", "",
              "\n".join(line for line in latex.splitlines() if not line.startswith("%")))
assert_that("LaTeX", not set("\\{}$#_%~^<>|") & set(bare) and "--" not in bare, bare)
assert_that("LaTeX: a row's first [", any(line.startswith("{}[b]") for line in latex.splitlines()), latex)
rows = list(csv.DictReader(io.StringIO(table("--format", "tsv", "--baseline", "b", f"a={a1},{a2}", f"b={b1}")),
                           delimiter="\t"))
first = rows[0]
assert_that("TSV", (first["condition"], first["measure"], first["seeds"], first["answers"], first["baseline"],
                    first["paired_seeds"]) == ("a", "pass@1", "2", "24", "b", "1"), first)
assert_that("TSV: failures", {r["measure"]: r["count"] for r in rows if r["condition"] == "a" and ":" in r["measure"]} ==
            {"failure:wrong_output": "8", "failure:no_code": "2"}, rows)

# The drawing: a panel for each parameter, at the numbers of the names.
figures = write(room / "figures.tsv", "condition\tseed\tmeasure\tvalue\ntau=0.05\t1\tloss\t2.5\ntau=0.1\t1\tloss\t1\n")
drawing = room / "sweep.svg"
table("--plot", drawing, "--measure", "pass@1", "--baseline", "sft", f"sft={b1}", f"tau=0.05={a1}", f"tau=0.1={a2}",
      f"l@64={a1}", f"l@512={b2}", "--figures", figures)
tree = xml.parse(drawing)
spaced = "{http://www.w3.org/2000/svg}"
words = [t.text for t in tree.iter(spaced + "text")]
assert_that("drawing: words", {"tau", "l (logarithmic)", "0.05", "0.1", "64", "512"} <= set(words), words)
assert_that("drawing: points", len(list(tree.iter(spaced + "circle"))) == 4)
assert_that("drawing: intervals", sum(e.get("class") == "interval" for e in tree.iter(spaced + "line")) == 12)
assert_that("drawing: baseline", sum(e.get("class") == "baseline" for e in tree.iter(spaced + "line")) == 2)
table("--plot", drawing, "--measure", "loss", f"tau=0.05={a1}", f"tau=0.1={a2}", "--figures", figures)
assert_that("a figure's scale", {"1", "1.5", "2", "2.5"} <= {t.text for t in xml.parse(drawing).iter(spaced + "text")})

# What is refused, and why.
part = write(room / "part.jsonl", "".join(line for line in open(a1, encoding="utf-8")
                                          if [json.loads(line)[k] for k in ("task", "sample")] != [2, 1]))
few = write(room / "few.jsonl", "".join(line for line in open(a1, encoding="utf-8") if json.loads(line)["task"] != 3))
other = write(room / "other.jsonl", open(a1, encoding="utf-8").read().replace('"toolchain":"', '"toolchain":"x'))
empty = write(room / "empty.jsonl", "")
nobody = write(room / "nobody.jsonl", "".join(
    json.dumps(dict(json.loads(line), stage="answered", failure="evaluator", diagnostic="no numpy")) + "\n"
    for line in open(a1, encoding="utf-8")))
for code, message, words in (
        (2, ["two conditions", "a"], [f"a={a1}", f"a={b1}"]),
        (2, ["stands for two seeds"], [f"a={a1},{a1}"]),
        (2, ["names no condition"], [a1]),
        (2, ["none of the conditions"], ["--baseline", "c", f"a={a1}"]),
        (1, ["condition b (", "lacks 1 of the 6 tasks, task 3"], [f"a={a1}", f"b={few}"]),
        (1, ["lacks 1 of the 12"], [f"a={a1}", f"b={part}"]),
        (2, ["several settings"], [f"a={a1}", f"b={other}"]),
        (1, ["no verdicts"], [f"a={empty}"]),
        (1, ["could be judged", "no numpy"], [f"a={nobody}"]),
        (2, ["--family needs --tasks"], ["--family", "x", f"a={a1}"]),
        (1, ["tasks.jsonl:1:", "--family needs it"], ["--tasks", tasks, "--family", "x", f"a={a1}"]),
        (2, ["needs conditions"], []),
        (2, ["--format has its forms"], ["--json", f"a={a1}"]),
        (2, ["PARAMETER=NUMBER"], ["--plot", room / "no.svg", f"a={a1}"]),
        (2, ["no such column"], ["--plot", room / "no.svg", "--measure", "loss", f"t=1={a1}"]),
        (2, ["same file"], ["--plot", a1, f"t=1={a1}"]),
        (2, ["same file"], ["-o", a1, f"t=1={a1}"])):
    table(*words, code=code, message=message)
assert_that("nothing is drawn", not (room / "no.svg").exists())
assert_that("options of --table alone", run_report("--tasks", tasks, "--baseline", "a", a1).returncode == 2)
table("-n2", f"a={a1}", f"b={part}", message=["1 answer without a verdict"])
table("--common", f"a={a1}", f"b={few}", message=["the same 5 tasks", "1 task that not all files have"])

# The modes that cuset-eval had are cuset-report's: the same output, and a note that -q leaves out. Options for judging
# did nothing there.
asked = room / "a1-c.jsonl"
scored = write(room / "scored.jsonl", "".join(json.dumps(dict(c, score={
    "model": "m", "end": [len(c["response"])], "id": [0], "confidence": [0.5]})) + "\n" for c in map(json.loads, open(asked))))
for mode, words in (("--report", ["--tasks", tasks, "--json", a1]), ("--compare", [a1, b1]),
                    ("--table", ["--baseline", "b", f"a={a1}", f"b={b1}"]), ("--by-confidence", ["--verdicts", a1, scored]),
                    ("--show", ["4/1", "--tasks", tasks, "--verdicts", a1, asked])):
    wanted = run_report("-q", *([] if mode == "--report" else [mode]), *words)
    assert_that(f"{mode}: cuset-report", wanted.returncode == 0 and wanted.stdout, wanted)
    for quiet in ([], ["-q"]):
        usual = [] if mode == "--show" else ["--protocol=cuset", "--inputs", 1, mode]
        done = runs_here(*quiet, "--timeout", 20, *usual, mode, *words)
        notes = [line for line in done.stderr.decode().splitlines() if "deprecated" in line]
        assert_that(f"{mode} of cuset-eval", done.returncode == 0 and done.stdout == wanted.stdout, done, wanted)
        assert_that(f"{mode}: the note", notes == [] if quiet else len(notes) == 1 and re.fullmatch(
            f"cuset-eval: {mode}.* is deprecated: use cuset-report.*", notes[0]), done)
assert_that("--table minds no protocol", run("--table", "--protocol", "cudabench", f"a={a1}").returncode == 0)
for words in (["--report", "--compare", a1, b1], ["--table", "--show", "4/1", a1], ["--report", "--check-tasks"]):
    done = run(*words)
    assert_that(f"{words}: two modes", done.returncode == 2 and b"choose one" in done.stderr and not done.stdout, done)
for words in (["--report", "--check"], ["--compare", "--inputs=3"], ["--report", "--protocol", "cudabench"]):
    done = run("--tasks", tasks, *words, a1)
    assert_that(f"{words}: refused", done.returncode == 2 and words[1].split("=")[0].encode() in done.stderr, done)
