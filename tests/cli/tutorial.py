"""This runs every command of docs/tutorial.md, from its indented blocks and in their order, in a folder like a clone after
set-up, but with a random model of a few kilobytes, and on a few of the sources and tasks. Each command ends well and
leaves the files that it names, so that none needs a file that no command before it has made. What the page shows in fences
has the form of what the command above it prints: its lines begin with the same words, where a number stands for any."""

import re
import shutil

from _commands_of_page import bash, can_judge, clone, exports, parts, source, whole
from _tool import fail, skip

page = "docs/tutorial.md"
if not can_judge():
    skip("no sandbox here")
for folder in ("tutorial", "evidence"):
    shutil.copytree(source / "examples" / folder, clone / "examples" / folder,
                    ignore=shutil.ignore_patterns("__pycache__", "results*"))
shutil.copy(source / "examples/tasks.jsonl", clone / "examples")
work = clone / "build/tutorial"
# As the README's quick start says.
exports += ["export PATH=$PWD/build/release/bin:$PATH", "export CUSET_MODEL=$PWD/.deps/models/SmolLM2-135M-Instruct"]

# Commands, by their beginning, and how many words of the lines that they print are of the form that the page shows. What
# else a line says depends on the model and on the sources. "all": the page shows the very lines; "columns": as many columns.
# Every other command: 3.
words = {r"head -n \d+ sources/": "all", r"jq -r .* rejects.jsonl": "all", r"head -n 1 pairs.jsonl": "all",
         r"cuset-(sample|train) .*--show": "all", r"jq -r 'select\(.failure\)": "columns", r"cuset-window ": 2,
         r"jq -r '\[\(.task": 1, r"cuset-curate --tasks": 1, r"head -n 1 base.jsonl": 0, r"jq -r 'select\(.task ==": 0}
# Commands that need what this test has not, and why.
looked_up = {r"cuset-curate .*--endpoint": "a server"}


def trim():
    """Leaves a few sources of each family, the odd ones, and a task of some."""
    for path in (work / "sources").glob("*-*.cu"):
        if re.fullmatch(r"\w+-\d+", path.stem) and int(path.stem.split("-")[1]) > 2:
            path.unlink()
    tasks = (work / "tasks.jsonl").read_text(encoding="utf-8").splitlines(True)
    (work / "tasks.jsonl").write_text("".join(tasks[:3]), encoding="utf-8")


def form(line, count):
    """The first words, with 0 for each number."""
    masked = re.sub(r"\d+(?:[.,:]\d+)*(?:e[-+]?\d+)?", "0", line)
    return masked.split()[:count]


def compare(command, shown, printed):
    count = next((count for pattern, count in words.items() if re.match(pattern, command, re.DOTALL)), 3)
    shown = [line for line in shown if line.strip() and line.strip() != "…"]
    if count == "all":
        # A line may be cut at its end, by …; a TAB is shown as blanks.
        found = [line.split() for line in printed]
        for line in shown:
            cut = line.endswith("…")
            wanted = line.removesuffix("…").split()
            if not any(f[:len(wanted)] == wanted if cut else f == wanted for f in found):
                fail(command, f"does not print {line!r} but {printed[:20]}")
        return
    if count == "columns":
        if {len(line.split("\t")) for line in printed} != {len(re.split("  +", line.rstrip("…"))) for line in shown}:
            fail(command, f"has other columns: {printed[:3]}")
        return
    found = {tuple(form(line, count)) for line in printed}
    for line in shown:
        if tuple(form(line, count)) not in found:
            fail(command, f"prints no line like {line!r}, but {printed[:40]}")


def outputs(command):
    """The files that a command names as what it writes."""
    return re.findall(r"(?:^|\s)(?:-o|--output|--verdicts|--html|--svg|--rejects|--plot)[ =](\S+)|>([\w.-]+)", command)


ran, shown_blocks, last, printed = 0, 0, "", []
for fenced, block in parts(page):
    if fenced:
        shown_blocks += 1
        compare(last, block, printed)
        continue
    printed = []
    while block:
        command, block = whole(block)
        if not command.strip():
            continue
        if any(re.match(pattern, command, re.DOTALL) for pattern in looked_up):
            for option in re.findall(r"--[a-z-]+", command):
                if option not in (source / "man/cuset-curate.1").read_text(encoding="utf-8").replace("\\-", "-"):
                    fail(command, f"{option} is no option")
            continue
        done = bash(command)
        ran, last = ran + 1, command
        if done.returncode != 0:
            fail(command, f"exit code {done.returncode}: {done.stderr.decode()}")
            raise SystemExit(1)  # the next commands need its files
        if re.match(r"(export|mkdir) ", command):
            exports.append(command)
        printed += (done.stdout + done.stderr).decode().splitlines()
        if "examples/tutorial/make.py" in command:
            made = sorted(path.name for path in (work / "sources").iterdir())
        for name in filter(None, sum(outputs(command), ())):
            if not (work / name).exists() or (work / name).is_file() and not (work / name).stat().st_size:
                fail(command, f"makes no {name}")
    if re.match(r"head -n \d+ sources/", last):
        trim()

# What is trained is asked: a source's pair makes the conversation that its task makes.
bash("$CUSET/examples/evidence/make-tasks.py made")
for name in ("combine-0", "transpose-1"):
    pair = bash(f"grep '\"{name}.cu\"' pairs.jsonl | cuset-train --ask pair.ask --show").stdout
    task = bash(f"grep '\"train-{name}\"' made/train.jsonl | cuset-sample --ask task.ask --show").stdout
    if not task or pair.split(b"--- assistant\n")[0].strip() != task.strip():
        fail(name, f"the pair asks {pair.decode()}, its task {task.decode()}")

for name in re.findall(r"!\[[^]]*\]\(([^)]+)\)", (source / page).read_text(encoding="utf-8")):
    if not (source / "docs" / name).exists():
        fail(page, f"has no picture {name}")
if not (work / "sft/loss_curve.svg").exists():
    fail(page, "no loss curve")
print(f"{ran} commands, {shown_blocks} outputs")
if ran < 25 or shown_blocks < 10:
    fail(page, "fewer commands than it had")
