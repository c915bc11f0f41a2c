"""This runs every command that the README tells to type, from its indented blocks, in a folder like
a clone after set-up, but with a random model of a few kilobytes. The output of each command has the
form that the README shows, and none needs a file that neither the clone nor an earlier command has. The commands
that install and build, which take minutes and a network, are only looked up: they are in `looked_up`."""

import json
import os
import re
import shutil
import subprocess

from _commands_of_page import bash, blocks, can_judge, clone, exports, programs, source, whole
from _tool import fail

sanitized = bool(os.environ.get("CUSET_SANITIZERS"))
every_pair = (source / "examples/pairs.jsonl").read_text(encoding="utf-8").splitlines(True)
pairs = [line for line in every_pair if '"softmax-rows"' in line] + every_pair[:2 if sanitized else 10]
(clone / "examples/pairs.jsonl").write_text("".join(pairs), encoding="utf-8")
for name in ("tasks.jsonl", "wrong.jsonl", "histogram.cu"):
    shutil.copy(source / "examples" / name, clone / "examples")
# The two mistakes that the README describes.
tasks = {t["id"]: t["bench.cu"] for t in map(json.loads, open(clone / "examples/tasks.jsonl", encoding="utf-8"))}
step = "shared[threadIdx.x + step]);\n"
mistakes = {"saxpy-1000": ("if (i < n)", "if (i <= n)"),
            "row-softmax-16-100": (step + "        __syncthreads();\n", step)}
candidates = [json.loads(line) for line in open(clone / "examples/wrong.jsonl", encoding="utf-8")]
assert [c["task"] for c in candidates] == list(mistakes)
for candidate in candidates:
    name = candidate["task"]
    right, wrong = mistakes[name]
    assert tasks[name].count(right) == 1, name
    assert candidate["response"] == f"```cuda\n{tasks[name].replace(right, wrong)}```\n", f"wrong.jsonl: {name}"
if not shutil.which("parallel"):
    (programs / "parallel").write_text(
        '#!/bin/bash\n[ "$1 $3" = "-j4 :::" ] || exit 9\ncommand=$2\nshift 3\n'
        'for i; do bash -c "${command//\\{\\}/$i}" || exit; done\n')
    (programs / "parallel").chmod(0o755)

row = re.compile(r"\d\.\d{6,}\t\d\.\d{6}\t[^\t]+\t\d+-\d+\t(-|(kernel|launch) \S+)\t[^\t]+")


def rows(command, lines, count):
    if len(lines) != count or not all(row.fullmatch(line) for line in lines):
        fail(command, f"not {count} rows of the table: {lines[:3]}")
    elif [float(line.split("\t")[0]) for line in lines] != sorted(float(line.split("\t")[0]) for line in lines):
        fail(command, "not sorted")


def picture(command, lines, block):
    """The lines of code in the output, by the numbers shown there."""
    row = re.compile(r" *(\d+) [\u2581-\u2588 ]{8} .{3}(.*)")
    code = lambda text: {m[1]: m[2].rstrip(" \u2502") for m in map(row.fullmatch, text) if m}
    wanted, found = code(block), code(lines)
    if not wanted or not wanted.items() <= found.items() or not lines[0].startswith(block[block.index(command) + 1].split()[0]):
        fail(command, f"not the lines that are shown: {wanted.items() - found.items()}")


def rows_shown(command):
    return min(10, 3 if "part*" in command else len(pairs))


# A command of the README, by its beginning, and the check of its output.
checks = [
    (r"export ", None),
    (r"cuset-window --within kernel --top 10 scored.zst$", rows),
    (r"grep '\"softmax-rows\"' examples/pairs.jsonl \| cuset-tag \| cuset-score -o softmax.zst$", None),
    (r"cuset-stats --svg densities.svg scored.zst$", "statistics"),
    (r"cuset-view --size 32 softmax.zst$", picture),
    (r"cuset-tag examples/pairs.jsonl \| cuset-score -o scored.zst$", None),
    (r"cuset-view --html page.html scored.zst$", None),
    (r"head -n 3 examples/pairs.jsonl >mine.jsonl$", None),
    (r'cuset-score --model "\$CUSET_MODEL" mine.jsonl -o mine.zst$', "records"),
    (r"cuset-tag examples/pairs.jsonl \| cuset-train -o lora ", None),
    (r"cuset-tag examples/pairs.jsonl \| cuset-score --adapter lora \| cuset-window", rows),
    (r"cuset-merge --adapter lora -o merged$", None),
    (r"cuset-tag mine.jsonl -o tagged.jsonl.zst$", None),
    (r"parallel -j4 ", None),
    (r"zstdcat part\*.jsonl.zst \|", rows),
]
# Commands of cuset-eval need a sandbox; later commands need the files that they write.
judging = [(r"cuset-run examples/histogram.cu$", "run"), (r"cuset-sample -n 3 ", None),
           (r"cuset-sample --refine verdicts.jsonl ", None), (r"cuset-report --turns verdicts.jsonl verdicts2.jsonl$", "turns"),
           (r"cuset-eval --tasks examples/tasks.jsonl --check ", "check"),
           (r"cuset-eval --tasks examples/tasks.jsonl ", "report"), (r"jq -r 'select\(.failure\)", "failures"),
           (r"jq -r '\[.task, .failure, .diagnostic\] \| @tsv' checked.jsonl \| sort$", "findings")]
checks += judging
# Commands that install and build, and the files that they need.
looked_up = [r"(\./[\w/.]+\.sh)", r"cmake --preset (\S+) && cmake --build --preset \1$", r"cmake --build --preset (\S+)$",
             r"cmake --install (build/release) --prefix ~/cuset$", r"(tests/gpu/kit\.sh) pack\b", r"gpu-kit/run\.sh\b"]


ran, forms = 0, 0


def run(command):
    done = bash(command)
    # sort(1) ends by SIGPIPE if head has read enough.
    if command.startswith("cuset-run ") and done.returncode == 121:
        # The note that the runtime is compiled first comes where the seeded one is another compiler's or other headers'.
        findings = [line for line in done.stderr.splitlines(True) if not line.startswith(b"cuset-run: compiling the host backend's")]
        return done.stdout + b"".join(findings)
    if done.returncode != 0 and not (done.returncode == 141 and command.endswith("| head")):
        fail(command, f"exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout


for block in blocks("README.md"):
    if block[0].startswith("{"):
        # Every form of a record goes through the pipe.
        for record in block:
            forms += 1
            (clone / "form.jsonl").write_text(record + "\n")
            rows(record, run("cuset-tag form.jsonl | cuset-score | cuset-window").decode().splitlines(), 1)
        continue
    rest = block
    while rest:
        if not rest[0].strip() or re.match(r'softmax-rows  \d+ tokens|kernel softmax \d|…|[ \d\u2581-\u2588]*[┃»]|\d\.\d{6}  \d\.\d{6}  |[\w-]+ +(out_of_bounds|race) |examples/histogram.cu:|(\d )+', rest[0]):
            rest = rest[1:]  # output in the README
            continue
        command, rest = whole(rest)
        command = re.sub(r"\s+# .*", "", command) if "\n" not in command else command
        found = [match for match in (re.match(pattern, command) for pattern in looked_up) if match]
        if found:
            for name in found[0].groups():
                presets = json.loads((source / "CMakePresets.json").read_text())["configurePresets"]
                if name != "build/release" and not os.access(source / name, os.X_OK) and \
                        name not in [preset["name"] for preset in presets]:
                    fail(command, f"{name} is not there")
            continue
        known = [check for pattern, check in checks if re.match(pattern, command)]
        if not known:
            fail(command, "this test does not know the command")
            continue
        if known[0] in ("run", "check", "report", "failures", "findings") and not can_judge():
            print(f"left out, no sandbox here: {command}")
            continue
        ran += 1
        output = run(command)
        if command.startswith("export "):
            exports.append(command)
        elif known[0] is rows:
            rows(command, output.decode().splitlines(), rows_shown(command))
        elif known[0] is picture:
            picture(command, output.decode().splitlines(), block)
        elif known[0] == "records":
            if subprocess.run(["zstd", "-dc", clone / "mine.zst"], stdout=subprocess.PIPE,
                              check=True).stdout.count(b'"score":{"model":') != 3 or output:
                fail(command, "not 3 scored records")
        elif known[0] == "report":
            lines = output.decode().splitlines()
            if lines[0] != "6 tasks of 3 families, 3 samples each" or "answers              18   100.0 %" not in lines:
                fail(command, f"not the report: {lines}")
        elif known[0] == "turns":
            if not output.startswith(b"6 tasks of 3 families, 3 samples each, 2 turns\n"):
                fail(command, f"not the report: {output.decode()}")
        elif known[0] == "check":
            if not output.startswith(b"6 tasks of 3 families, 1 sample each\n"):
                fail(command, f"not the report: {output.decode()}")
        elif known[0] == "run":
            shown = "".join(line.strip() + "\n" for line in block[1:] if line)
            if output.decode().replace(" \n", "\n") != shown:
                fail(command, f"prints {output.decode()}")
        elif known[0] == "findings":
            shown = [line for line in block if line.startswith(tuple(mistakes))]
            printed = output.decode().expandtabs().splitlines()
            if printed != shown:
                fail(command, f"finds {printed}, and the README shows {shown}")
        elif known[0] == "statistics":
            headings = [line.split()[0] for line in output.decode().splitlines() if line]
            if "input" not in headings[:2] or headings[-1] != "0.9" or b"<svg" not in (clone / "densities.svg").read_bytes():
                fail(command, f"not the figures: {output.decode()}")
        elif known[0] == "failures":
            if not all(line.count("\t") == 2 for line in output.decode().splitlines()):
                fail(command, f"not three columns: {output[:80]}")
        elif output:
            fail(command, f"prints {output[:80]}")

# quickstart.sh gives one row for each pair, and each id once.
job = "cuset-tag whole.jsonl | cuset-score -o scored.jsonl.zst; cuset-window scored.jsonl.zst | LC_ALL=C sort -n"
whole_file = pairs if sanitized else every_pair
(clone / "whole.jsonl").write_text("".join(whole_file), encoding="utf-8")
table = run(job).decode().splitlines()
rows(job, table, len(whole_file))
if sorted(line.split("\t")[2] for line in table) != sorted(json.loads(line)["id"] for line in whole_file):
    fail(job, "not every id once")

print(f"{ran} commands, {forms} forms of a record")
if ran < 9 or forms < 4:
    fail("README.md", "fewer commands than it had")
