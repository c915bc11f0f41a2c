"""cuset-report --html: the page is whole and asks for nothing, its figures are the report's, each candidate stands there
with its verdict and its program, messages stand at their lines, colours are those of the scores, and text of others is
text. Where there is a browser, its script finds candidates."""

import html.parser
import json

import _chromium
from _eval import (assert_that, candidate, need_sandbox, room, run_report, runs_here, task, verdicts,
                   write, write_candidates, write_tasks)
from _tool import assert_equal, assert_exit, case, json_lines

need_sandbox()
hostile_id = "</script><b>&\"'\u202e"
tasks = [task(0, family="maps"), task(1, family="maps"), task(hostile_id, family="<i>grids"), task(3, family="maps")]
task_file = write_tasks(room / "tasks.jsonl", *tasks)
# The tasks' hashes, as the verdicts give them.
runs_here("--compile-only", "--tasks", task_file, "--verdicts", room / "hashes.jsonl", write_candidates(
    room / "bare.jsonl", *(candidate(t["id"], 0, "No.") for t in tasks)))
hashes = {place[0]: v["task_hash"] for place, v in verdicts(room / "hashes.jsonl").items()}
stages = {None: "correct", "wrong_output": "ran", "out_of_bounds": "compiled", "syntax_error": "extracted",
          "crash": "compiled", "evaluator": "compiled"}


def verdict(number, sample, why, diagnostic="", **more):
    return {"task": number, "sample": sample, "family": f"family{number}", "stage": stages[why], "failure": why,
            "diagnostic": diagnostic, "seconds": {"compile": 1, "run": 1, "compare": 0}, "tokens": None,
            "key": "0" * 64, "task_hash": hashes[number], "backend": "host", "toolchain": "g++ <1>", "protocol": "cuset",
            "inputs": 1} | more


def answer(number, sample, program, before="Here it is.\n", **more):
    return {"task": number, "sample": sample, "response": f"{before}```cuda\n{program}```\n"} | more


def scored(record, confidence):
    """Gives each three characters of the answer a token, and the end of the answer one without text."""
    text = record["response"]
    ends = [len(text[:min(i + 3, len(text))].encode()) for i in range(0, len(text), 3)] + [len(text.encode())]
    values = [confidence(i) for i in range(len(ends))]
    return record | {"score": {"model": "m", "end": ends, "id": [1] * len(ends), "confidence": values}}


program = "#include <cstdio>\n__global__ void twice(int* x) {\n\tx[0] *= 2;\n}\n\nint main() { twice<<<1, 1>>>(nullptr); }\n"
hostile = ("// " + "wide" * 40 + "\n// </script></pre></li><img src=x onerror=alert(1)>\n__global__ void f() {} // \x1b[31m \u202e \u00e9 & \"q\" 'r'\r\n"
           "int main() {}\n")
visible = hostile.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e").replace("\r", "\\r")
compiler = ('program.cu(3): error: identifier "y" is <undefined>\n      y[0] *= 2;\n      ^\n\n'
            'program.cu(6): warning #177-D: variable "z" was declared but never referenced\n\n1 error detected in "program.cu".\n')
found = [{"kind": "out_of_bounds", "message": "kernel twice, block (0,0,0), line 3: reads past line 2", "line": 3},
         {"kind": "out_of_bounds", "message": "a second one, line 6", "line": 6},
         {"kind": "note", "message": "a line that is not there: line 99", "line": 99}]
judged = [verdict(0, 0, None), verdict(0, 1, "syntax_error", compiler.split("\n")[0], compiler=compiler),
          verdict(1, 0, "out_of_bounds", found[0]["message"], findings=found, tokens=35),
          verdict(1, 1, "wrong_output", "compare.py: F"),
          verdict(hostile_id, 0, "crash", "<b>\x1b bad & \"worse\"", finish="length"),
          verdict(hostile_id, 1, "wrong_output", "alone"), verdict(3, 0, None)]
grades = [0.95, 0.95, 0.8, 0.6, 0.4, 0.4, 0.2, 0.05, 0.001]
answers = [answer(0, 0, program), answer(0, 1, program), scored(answer(1, 0, program), lambda i: grades[i * i % 9]) | {"tokens": 35},
           answer(1, 1, program, before=""), scored(answer(hostile_id, 0, hostile), lambda i: 0.05), answer(3, 0, program),
           {"task": 3, "sample": 1, "response": "I cannot.\nSorry."}]
verdict_file = write(room / "v.jsonl", json_lines(judged))
answer_file = write(room / "a.jsonl", json_lines(answers))
options = ["--tasks", task_file, "--verdicts", verdict_file]


class Element:
    def __init__(self, tag, given):
        self.tag, self.given, self.inside = tag, dict(given), []
        self.classes = (self.given.get("class") or "").split()

    def all(self, tag=None, name=None):
        for e in self.inside:
            if isinstance(e, Element):
                if tag in (None, e.tag) and (name is None or name in e.classes):
                    yield e
                yield from e.all(tag, name)

    def text(self, without=()):
        return "".join(e if isinstance(e, str) else "" if set(without) & set(e.classes) else e.text(without)
                       for e in self.inside)


class Page(html.parser.HTMLParser):
    """A page in which each element ends, in order."""
    def __init__(self, text):
        super().__init__()
        self.root = Element("", [])
        self.open = [self.root]
        self.faults = []
        self.feed(text)
        self.close()
        if len(self.open) > 1:
            self.faults.append(f"never ends: {[e.tag for e in self.open[1:]]}")

    def handle_starttag(self, tag, attrs):
        e = Element(tag, attrs)
        if len(e.given) != len(attrs):
            self.faults.append(f"<{tag}> has an attribute twice")
        self.open[-1].inside.append(e)
        if tag not in ("meta", "link", "input", "br"):
            self.open.append(e)

    def handle_endtag(self, tag):
        if self.open[-1].tag == tag:
            self.open.pop()
        else:
            self.faults.append(f"</{tag}> in <{self.open[-1].tag}>, {self.getpos()}")

    def handle_data(self, data):
        self.open[-1].inside.append(data)


def page_of(*words, files=(answer_file,), name="page.html"):
    done = run_report("--html", room / name, *options, *words, *files)
    assert_that("it is written", done.returncode == 0 and not done.stdout, done)
    return Page((room / name).read_text(encoding="utf-8"))


def code(e):
    return [[line.text(without=("note",)) for line in block.inside if isinstance(line, Element)]
            for block in e.all("ol", "code") if "plain" not in block.classes]


def notes(e):
    """The notes of each line of the program, by its number."""
    lines = [line for block in e.all("ol", "code") if "plain" not in block.classes for line in block.inside
             if isinstance(line, Element)]
    return {i + 1: said for i, line in enumerate(lines) if (said := [n.text() for n in line.all("div", "note")])}


page = page_of()
shown = {(e.given["data-task"], int(e.given["data-sample"])): e for e in page.root.all("details", "answer")}

case("The page is whole, and asks for nothing")
assert_equal("well-formed", page.faults, [])
assert_that("one script, and nothing from elsewhere", len(list(page.root.all("script"))) == 1 and not list(page.root.all("img"))
            and all(e.given.get("href", "data:").startswith("data:") and not e.given.get("src") for e in page.root.all()))
assert_that("its policy", any("default-src 'none'" in e.given.get("content", "") for e in page.root.all("meta")))
assert_that("closed by default, and without a script a list", all("open" not in e.given for e in shown.values()) and
            "hidden" in next(page.root.all("form")).given)

case("Each candidate stands there with its verdict")
visible_id = hostile_id.replace("\u202e", "\\u202e")
wanted = [("0", 0, "correct", "maps"), ("0", 1, "syntax_error", "maps"), ("1", 0, "out_of_bounds", "maps"),
          ("1", 1, "wrong_output", "maps"), (visible_id, 0, "crash", "<i>grids"), ("3", 0, "correct", "maps"),
          ("3", 1, "no verdict", "maps"), (visible_id, 1, "wrong_output", "<i>grids")]
assert_equal("all of them", [(*place, e.given["data-outcome"], e.given["data-family"]) for place, e in shown.items()], wanted)
marks = {"correct": "passed", "no verdict": "open"}
for number, sample, outcome, _ in wanted:
    badge = next(next(shown[number, sample].all("summary")).all("em"))
    assert_equal("the badge", (badge.text(), badge.classes), (outcome, [marks.get(outcome, "failed")]))
assert_that("the diagnostic", "compare.py: F" in next(shown["1", 1].all("summary")).text())
assert_that("that of an answer that is not there", "alone" in next(shown[visible_id, 1].all("summary")).text()
            and "not among the candidates" in shown[visible_id, 1].text())
assert_that("facts", "after compiled · 35 tokens · mean confidence 0." in shown["1", 0].text()
            and "ended by a limit of tokens" in shown[visible_id, 0].text())
assert_that("all that the compiler said", next(shown["0", 1].all("pre")).text().strip() == compiler.strip())

case("The program has its lines")
for place in (("0", 0), ("0", 1), ("1", 0), ("1", 1), ("3", 0)):
    assert_equal(f"of {place}", code(shown[place]), [program.split("\n")[:-1]])
assert_equal("hostile", code(shown[visible_id, 0]), [visible.split("\n")[:-1]])
assert_equal("none", code(shown["3", 1]), [])
assert_equal("an answer without a program", [e.text() for e in shown["3", 1].all("li")], ["I cannot.", "Sorry."])
assert_that("other text", "Here it is." in next(shown["0", 0].all("details", "other")).text() and not
            list(shown["1", 1].all("details", "other")))

case("Messages stand at their lines")
assert_equal("of the compiler", notes(shown["0", 1]), {
    3: ['error identifier "y" is <undefined>'], 6: ['warning variable "z" was declared but never referenced']})
assert_equal("of the run", notes(shown["1", 0]), {3: ["out_of_bounds " + found[0]["message"]], 6: ["out_of_bounds a second one, line 6"]})
assert_that("where there is no such line", "note a line that is not there: line 99" in shown["1", 0].text())
assert_equal("nothing elsewhere", [notes(shown[p]) for p in (("0", 0), ("1", 1), ("3", 0))], [{}] * 3)

case("Colours are those of the tokens")
for number, sample in (("1", 0), (visible_id, 0)):
    record = next(a for a in answers if str(a["task"]).replace("\u202e", "\\u202e") == number and a["sample"] == sample)
    steps, at = [], 0
    for end, confidence in zip(record["score"]["end"], record["score"]["confidence"]):
        steps += [sum(confidence < edge for edge in (0.9, 0.7, 0.5, 0.3, 0.1, 0.01))] * (end - at)
        at = end
    # The steps of characters, in lines of the answer that hold the program.
    response = record["response"]
    per_character = [steps[len(response[:i].encode())] for i in range(len(response))]
    begin = response.index("```cuda\n") + len("```cuda\n")
    for line in next(b for b in shown[number, sample].all("ol", "code") if "plain" not in b.classes).inside:
        if not isinstance(line, Element):
            continue
        runs = [(int(e.classes[0][1]), e.text()) if isinstance(e, Element) else (0, e) for e in line.inside
                if isinstance(e, str) or "note" not in e.classes]
        source = response[begin:response.index("\n", begin)]
        expected = []
        for i, c in enumerate(source):
            c = {"\x1b": "\\x1b", "\u202e": "\\u202e", "\r": "\\r"}.get(c, c)
            step = per_character[begin + i]
            if expected and expected[-1][0] == step:
                expected[-1] = (step, expected[-1][1] + c)
            else:
                expected.append((step, c))
        assert_equal(f"line {source!r}", runs, expected)
        begin += len(source) + 1
assert_that("only there", not list(shown["0", 0].all("i")) and "scored" in shown["1", 0].classes
            and "scored" not in shown["0", 0].classes)

case("The figures are the report's")
report = json.loads(run_report("--tasks", task_file, "--json", verdict_file).stdout)
tables = {next(s.all("h2")).text(): [[c.text() for c in row.all("td")] for row in s.all("tr")][1:]
          for s in page.root.all("section")}
names = {"answered": "answers"}
assert_equal("the funnel", {row[0]: int(row[1]) for row in tables["How far the candidates came"]},
             {names.get(k, k): v for k, v in report["funnel"].items()})
assert_equal("the rates", [(float(row[1]), tuple(map(float, row[2].split(" – ")))) for row in tables["Pass@k"]],
             [(round(r["mean"], 4), (round(r["low"], 4), round(r["high"], 4))) for r in report["rates"]])
assert_equal("the failures", {row[0]: (int(row[1]), row[3]) for row in tables["What went wrong"]},
             {k: (v["count"], v["example"]) for k, v in report["failures"].items()})
families = {row[0]: (row[1], row[3].replace("\u00a0", " ")) for row in tables["By family"]}
assert_equal("the families", families, {
    "maps": ("2 of 6", "syntax_error 1, out_of_bounds 1, wrong_output 1, missing 1"), "<i>grids": ("0 of 2", "crash 1, wrong_output 1")})
other = page_of("--family", "task_name", name="other.html")
assert_that("no table of families that have a task each", "By" not in " ".join(next(s.all("h2")).text() for s in other.root.all("section")))
assert_that("what is missing is said", "1 sample without a verdict" in page.root.text())

case("The same bytes again, also to standard output")
first = (room / "page.html").read_bytes()
page_of(name="again.html")
assert_that("again", (room / "again.html").read_bytes() == first)
done = run_report("--html", "-", *options, answer_file)
assert_that("standard output", done.returncode == 0 and done.stdout == first)
assert_that("warnings", b"1 candidate without a verdict" in done.stderr and b"1 verdict without an answer" in done.stderr, done)

case("Parts")
both = [place for i in (0, 1) for place in ((e.given["data-task"], int(e.given["data-sample"])) for e in page_of(
    "--shard", f"{i}/2", name="part.html").root.all("details", "answer"))]
assert_equal("of shards", sorted(both), sorted(shown))
assert_equal("of --samples", {int(e.given["data-sample"]) for e in page_of("-n1", name="one.html").root.all("details", "answer")}, {0})

case("A task with files, and CUDABench's results")
files = write_tasks(room / "files.jsonl", {"id": "h", "prompt": "", "harness": '#include "solution.cu"\nint main() { f(); }\n'}, task(0))
runs_here("--compile-only", "--tasks", files, "--verdicts", room / "more.jsonl",
          write_candidates(room / "bare.jsonl", candidate("h", 0, "No.")))
hashes["h"] = verdicts(room / "more.jsonl")["h", 0]["task_hash"]
said = "\n".join(("harness.cu(2): error: too few arguments", "solution.cu(1): error: no such thing", "elsewhere.h(1): note: a long story"))
verdict_file = write(room / "more.jsonl", json_lines([
    verdict("h", 0, "syntax_error", "another diagnostic", compiler=said), verdict(0, 0, None),
    verdict(0, 1, "wrong_output", "compare.py: F")]))
options = ["--tasks", files, "--verdicts", verdict_file]
more = write(room / "more-a.jsonl", json_lines([
    {"task": "h", "sample": 0, "response": "```cuda\n__global__ void f(int) {}\n// 2\n```\n"},
    {"id": 0, "code1": program, "response1": "", "code2": "", "response2": f"Well.\n```cpp\n{program}```"}]))
built = {(e.given["data-task"], int(e.given["data-sample"])): e for e in page_of(files=(more,)).root.all("details", "answer")}
assert_equal("files", [e.text() for e in built["h", 0].all("h3")], ["solution.cu"])
assert_equal("messages at their file", notes(built["h", 0]), {1: ["error no such thing"]})
assert_equal("of another file", [e.text() for e in built["h", 0].inside if isinstance(e, Element) and "note" in e.classes],
             ["error harness.cu:2: too few arguments"])
assert_equal("results of CUDABench", [code(built["0", i]) for i in (0, 1)], [[program.split("\n")[:-1]]] * 2)
options = ["--tasks", task_file, "--verdicts", write(room / "v.jsonl", json_lines(judged))]
page_of()

case("Two files of one base name, and a message past the end of one")
pair = write_tasks(room / "pair.jsonl", {"task_id": "CUDA/1", "prompt": "p", "context_files": [], "test_files": [],
                                         "build_command": "nvcc -o t a.cu", "test_command": "./t", "date": "x"})
named = write(room / "named.jsonl", json_lines([{"task": "CUDA/1", "sample": 0, "response": "".join(
    f"```cuda\n// file: {name}\n__global__ void f() {{}}\n```\n" for name in ("src/util.cuh", "util.cuh"))}]))
runs_here("--compile-only", "--tasks", pair, "--verdicts", room / "named-v.jsonl", named)
hashes["CUDA/1"] = verdicts(room / "named-v.jsonl")["CUDA/1", 0]["task_hash"]
said = "\n".join(("/w/src/util.cuh(2): error: in src", "util.cuh(1): error: at the top", "src/util.cuh(9): error: expected",
                  "a.cu(3): error: in src"))
options = ["--tasks", pair, "--verdicts", write(room / "named-v.jsonl", json_lines([
    verdict("CUDA/1", 0, "syntax_error", "/w/src/util.cuh(2): error: in src", compiler=said)]))]
found, = page_of(files=(named,), name="named.html").root.all("details", "answer")
assert_equal("each at its own", [[e.text() for e in block.all("div", "note")] for block in found.all("ol", "code")
                                 if "plain" not in block.classes], [["error in src"], ["error at the top"]])
assert_equal("elsewhere", [e.text() for e in found.inside if isinstance(e, Element) and "note" in e.classes],
             ["error a.cu:3: in src", "error line 9: expected"])
options = ["--tasks", task_file, "--verdicts", room / "v.jsonl"]

case("What is refused leaves the page as it was")
for name, records, says in (
        ("twice", answers + answers[:1], 'task "0", sample 0 stands twice'),
        ("a task that is not there", [answer(9, 0, program)], 'there is no task "9"'),
        ("another answer", [answers[2] | {"tokens": 34}], "is on another answer, of 35 tokens"),
        ("scores of another text", [answers[2] | {"response": "no"}], '"score.end" reaches past the response')):
    bad = write(room / "bad.jsonl", json_lines(records))
    assert_exit(name, run_report("--html", room / "page.html", *options, bad), 1, "bad.jsonl:", says)
assert_that("as it was", (room / "page.html").read_bytes() == first)
done = run_report("--html", room / "skipped.html", *options, "--on-error=skip", "--rejects", room / "rejected",
                  write(room / "bad.jsonl", json_lines(answers + [answer(9, 0, program)])))
assert_that("set aside", done.returncode == 3 and (room / "skipped.html").read_bytes() == first
            and (room / "rejected").read_text().count("\n") == 1, done)
failed = write(room / "failed.jsonl", json_lines(judged[:-1] + [verdict(3, 0, "evaluator", "gen.py failed")]))
done = run_report("--html", room / "failed.html", "--tasks", task_file, "--verdicts", failed, answer_file)
assert_that("the evaluator's fault", done.returncode == 3 and b"gen.py failed" in (room / "failed.html").read_bytes(), done)
for name, words, says in (
        ("no verdicts", ["--tasks", task_file], "--html needs --verdicts FILE"),
        ("no tasks", ["--verdicts", verdict_file], "--tasks FILE is needed"),
        ("two modes", [*options, "--show", "0/0"], "are modes: choose one"),
        ("JSON", [*options, "--json"], "--json and --junit do not go with it"),
        ("-o", [*options, "-o", room / "o"], "-o does not go with it"),
        ("--size", [*options, "--size", "9"], "--size needs --by-confidence"),
        ("over its input", [*options, "--html", answer_file], "same file")):
    assert_exit(name, run_report("--html", room / "never.html", *words, answer_file), 2, says)
assert_exit("--family alone", run_report("--family", "id", "--tasks", task_file, verdict_file), 2, "--family needs --table or --html")
assert_that("nothing is written", not (room / "never.html").exists())

if _chromium.find():
    browser = _chromium.Browser(420, 900)
    listed = "[...document.querySelectorAll('.answer')].filter(e => e.checkVisibility()).map(e => e.dataset.task + '/' + e.dataset.sample).join()"

    def choose(**wanted):
        for name, value in wanted.items():
            browser.value(f"document.getElementById('{name}').value = {json.dumps(value)}; "
                          f"document.getElementById('{name}').dispatchEvent(new Event('input'))")
        return browser.value(listed)

    case("In a browser")
    browser.open(room / "page.html", "#1/0")
    assert_that("no error, and no request", not browser.errors and browser.requests == [(room / "page.html").resolve().as_uri()],
                browser.errors, browser.requests)
    browser.value("document.getElementById('unfold').click()")
    assert_that("a narrow window is wide enough", browser.value("document.documentElement.scrollWidth") <= 420 and browser.value(
        "[...document.querySelectorAll('.code li')].every(e => e.scrollWidth <= e.clientWidth)"))
    browser.value("document.getElementById('fold').click()")
    browser.open(room / "page.html", "#1/0")
    assert_equal("the address opens one", browser.value("document.querySelectorAll('.answer[open]').length === 1 && "
                                                        "document.querySelector('.answer[open]').dataset.task"), "1")
    everything = browser.value(listed)
    assert_equal("all at first", everything.count(",") + 1, len(shown))
    assert_equal("by outcome", choose(outcome="syntax_error"), "0/1")
    assert_equal("those that did not pass", choose(outcome="\nfailing").count("/0"), 2)
    assert_equal("by family too", choose(family="<i>grids"), f"{visible_id}/0,{visible_id}/1")
    assert_equal("by text of the program", choose(outcome="\nevery", family="\nevery", words="TWICE nullptr"), "0/0,0/1,1/0,1/1,3/0")
    assert_equal("by name", choose(words="3/1"), "3/1")
    choose(words="")
    browser.value("[...document.querySelectorAll('[data-filter=outcome] button')].find(e => e.textContent === 'crash').click()")
    assert_equal("by a row of the table", browser.value(listed), f"{visible_id}/0")
    browser.value("document.getElementById('unfold').click()")
    assert_equal("unfold", browser.value("document.querySelectorAll('.answer[open]').length"), 2)
    colours = set()
    for theme in ("light", "dark"):
        browser.theme(theme)
        colours.add(browser.value("getComputedStyle(document.body).backgroundColor"))
    assert_that("light and dark", len(colours) == 2, colours)
    assert_that("the legend is where scores are", browser.value("document.getElementById('legend').checkVisibility()"))
    browser.open(room / "failed.html")
    assert_that("no error", not browser.errors, browser.errors)
    browser.close()

