"""This compares cuset-view's text with golden files, on several pseudo-terminals and in a pipe.

`view_terminal.py --write` writes the golden files (tests/cli/golden/view-*.txt, in which \\e is the
escape character) anew: look at each, as with cat, before it is committed."""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
import unicodedata

from _tool import built, fail, room

view = built("cuset-view")
golden = pathlib.Path(__file__).parent / "golden"
os.chdir(room)


def split(text, size):
    """Ends of tokens of `size` bytes, which may split characters."""
    length = len(text.encode())
    return [*range(size, length, size), length]


kernel = ("#include <cstdio>\n\n__global__ void twice(float* x) {\n\tint i = threadIdx.x; // \u6f22\u5b57 caf\u00e9 \U0001f600\n"
          "\tx[i] = 2 * x[i]; /* \x1b[31mred\x1b[0m \x07 \u009b1m \u202e */\r\n}\n\nint main() { twice<<<1, 32>>>(nullptr); }\n")
raw = kernel.encode()
ends = split(kernel, 4) + [len(raw)] * 2
levels = [0.99, 0.95, 0.8, 0.6, 0.4, 0.2, 0.05, 0.001]
first = {"id": "twice \x1b[1m", "response": kernel,
         "tag": {"spans": [{"kind": "kernel", "name": "twice", "begin": raw.index(b"{\n"), "end": raw.index(b"}\n\n") + 1},
                           {"kind": "launch", "name": "twice", "begin": raw.index(b"<<<"), "end": raw.index(b">>>") + 3}]},
         "score": {"model": "m", "end": ends, "confidence": [levels[(i * i // 7 + i) % 8] for i in range(len(ends))]}}
second = {"id": 7, "response": "x = 1;\ny = 2;\nnot scored", "tag": {"spans": []},
          "score": {"model": "m", "end": [1, 3, 5, 6, 7, 8, 12, 13], "confidence": [1, 0.5, 0.25, 1, 0.01, 1, 1, 0.5]}}
after = [json.loads(json.dumps(r)) for r in (first, second)]
for record in after:
    record["score"]["confidence"] = [round(c + (1 - c) * 0.5, 6) if i % 3 else round(c * 0.4, 6)
                                     for i, c in enumerate(record["score"]["confidence"])]
for name, records in (("scored.jsonl", (first, second)), ("after.jsonl", after)):
    pathlib.Path(name).write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")

plain_environment = {"PATH": os.environ["PATH"], **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}


def on_terminal(arguments, columns=80, **variables):
    """What the tool writes to a terminal of `columns` columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([view, "-q", *arguments], stdin=subprocess.DEVNULL, stdout=theirs,
                               stderr=subprocess.PIPE, env={**plain_environment, **variables})
    os.close(theirs)
    sent = b""
    while True:
        try:
            select.select([ours], [], [])
            piece = os.read(ours, 65536)
        except OSError:  # Linux reports so that the other end is closed
            break
        if not piece:
            break
        sent += piece
    os.close(ours)
    errors = process.stderr.read().decode()
    if process.wait() != 0 or errors:
        fail(f"{arguments}: exit code {process.returncode}: {errors}")
    return sent.decode().replace("\r\n", "\n")


def in_pipe(arguments, **variables):
    return subprocess.run([view, "-q", *arguments], check=True, stdout=subprocess.PIPE,
                          env={**plain_environment, **variables}).stdout.decode()


def same(name, text):
    file = golden / f"view-{name}.txt"
    text = text.replace("\x1b", "\\e")
    if sys.argv[1:] == ["--write"]:
        file.write_text(text, encoding="utf-8")
    elif file.read_text(encoding="utf-8") != text:
        fail(f"{file.name} is not what cuset-view prints:\n{text}")


def columns(line):
    """The width by Unicode's own table, not the C library's."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def stripped(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


window = ["--size", "12", "--smooth", "4", "scored.jsonl"]
indexed = on_terminal(window, TERM="xterm-256color")
same("256", indexed)
same("truecolor-light", on_terminal(window, TERM="xterm-256color", COLORTERM="truecolor", COLORFGBG="0;15"))
plain = on_terminal(window, TERM="xterm-256color", NO_COLOR="1")
same("plain", plain)
same("narrow", on_terminal(window, columns=44, TERM="xterm-256color"))
pipe = in_pipe(window, TERM="xterm-256color", COLORTERM="truecolor")
same("pipe", pipe)
compare = ["--compare", "--size", "12", "--smooth", "4", "scored.jsonl", "after.jsonl"]
same("compare", on_terminal(compare, TERM="xterm-256color"))
same("compare-plain", in_pipe(compare))

# The switches of colours.
for variables in ({"TERM": "dumb"}, {"TERM": "xterm-256color", "NO_COLOR": "x", "COLORTERM": "truecolor"}, {}):
    if on_terminal(window, **variables) != plain:
        fail(f"{variables} has colours")
if on_terminal(["--color=never", *window], TERM="xterm-256color") != plain:
    fail("--color=never has colours")
if on_terminal(["--color=always", *window], TERM="xterm-256color", NO_COLOR="1") != indexed:
    fail("--color=always does not overrule NO_COLOR")
if on_terminal(window, TERM="xterm-256color", NO_COLOR="") != indexed:
    fail("an empty NO_COLOR counts")
if in_pipe(["--color=always", "--width=80", *window]) != indexed:
    fail("--color=always in a pipe is not what a terminal gets")
if in_pipe(["--theme=light", "--color=always", "--width=80", *window], COLORTERM="24bit") != \
        on_terminal(window, TERM="x", COLORTERM="truecolor", COLORFGBG="0;default;15"):
    fail("--theme=light is not what COLORFGBG says")
if in_pipe([*window, "-o", "file.txt"]) or pathlib.Path("file.txt").read_text(encoding="utf-8") != pipe:
    fail("-o FILE is not what a pipe gets")

# No line is wider than the terminal, and the frame is a box, at any width.
for width in range(40, 100, 7):
    text = stripped(on_terminal(window, columns=width, TERM="xterm-256color"))
    wide = [line for line in text.split("\n")[2:] if columns(line) > width and "tokens, mean" not in line]
    if wide:
        fail(f"wider than {width}: {wide}")
    for one in text.split("\n\n")[1:]:
        edges = {columns(line) for line in one.split("\n") if line.endswith(("│", "┐", "┘"))}
        if len(edges) != 1 or one.count("┐") != 1 or one.count("┘") != 1:
            fail(f"a frame that is no box at {width} columns: {edges}")

# No text of a record is a command to the terminal, in colour either.
for text in (indexed, plain):
    if re.search(r"[\x00-\x09\x0b-\x1a\x1c-\x1f\x7f\x80-\x9f\u202e]", text) or "\x1b" in stripped(text):
        fail("control characters come through")
# Records arrive slowly, and messages go to the same terminal: no progress appears between the
# lines.
ours, theirs = pty.openpty()
process = subprocess.Popen([view], stdin=subprocess.PIPE, stdout=theirs, stderr=theirs,
                           env=plain_environment)
os.close(theirs)
sent = b""
for i in range(3):
    process.stdin.write(json.dumps({**second, "id": i}).encode() + b"\n")
    process.stdin.flush()
    while sent.count(b"x = 1;") <= i:
        sent += os.read(ours, 65536)
    time.sleep(0.4)  # in which progress would appear
process.stdin.close()
try:
    while piece := os.read(ours, 65536):
        sent += piece
except OSError:
    pass
os.close(ours)
if process.wait() != 0 or sent.count(b"x = 1;") != 3 or b"records" in sent:
    fail(f"slow records: {sent.decode()}")
