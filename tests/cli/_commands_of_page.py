"""The tests that run the commands of a page of Markdown, from its indented blocks, share these: the blocks, a folder like a
clone after set-up whose model is a random one of a few kilobytes, and a shell there."""

import functools
import os
import pathlib
import shlex
import shutil
import subprocess

import _tiny_model as tiny
from _host_runtime import seed
from _tool import built, room as clone, skip

tools = built("cuset-score").parent
source = pathlib.Path(os.environ["CUSET_SOURCE"])
for needed in ("jq", "zstd"):
    if not shutil.which(needed):
        skip(f"{needed} is not installed")

(clone / "build/release").mkdir(parents=True)
(clone / "build/release/bin").symlink_to(tools)
(clone / ".deps/models").mkdir(parents=True)
tiny.write(clone / ".deps/models/SmolLM2-135M-Instruct")
(clone / "examples").mkdir()
programs = clone / "programs"
programs.mkdir()
# The system's Python comes first: a wrapper in a home folder does not run in the sandbox.
path = f"{programs}:/usr/bin:{os.environ['PATH']}"
exports = []


def parts(page):
    """The page's indented blocks, which are commands, and its fenced ones, which are what they print: pairs of whether it is
    fenced and its lines."""
    block, fenced = [], False
    for line in (source / page).read_text(encoding="utf-8").splitlines() + ["end"]:
        if line.startswith("```") or not fenced and line.strip() and not line.startswith("    "):
            if block:
                yield fenced, block
            block, fenced = [], fenced != line.startswith("```")
        elif fenced:
            block.append(line)
        elif line.startswith("    "):
            block.append(line[4:])


def blocks(page):
    """The indented blocks: lists of lines."""
    return [block for fenced, block in parts(page) if not fenced]


def whole(lines):
    """The first command of the lines: it goes on until its quotes are closed, and behind a backslash."""
    for count in range(1, len(lines) + 1):
        try:
            if not lines[count - 1].endswith("\\"):
                shlex.split("\n".join(lines[:count]))
                return "\n".join(lines[:count]), lines[count:]
        except ValueError:
            continue
    return lines[0], lines[1:]


@functools.cache
def can_judge():
    """Whether there is a sandbox here. Fills the cache of the clone's home."""
    seed(clone / ".cache")
    (clone / "none.jsonl").write_text('{"task":"saxpy-1000","sample":0,"response":"no code"}\n')
    done = subprocess.run([tools / "cuset-eval", "-q", "--tasks", source / "examples/tasks.jsonl", clone / "none.jsonl"],
                          capture_output=True, check=False,
                          env={**os.environ, "HOME": str(clone), "PATH": path})
    return done.returncode == 0


def bash(command):
    """Runs a command in the clone, behind those of `exports`."""
    environment = {"HOME": str(clone), "PATH": path, "TMPDIR": str(clone)}
    script = "; ".join(["set -euo pipefail", *exports, command])
    return subprocess.run(["bash", "-c", script], cwd=clone, env=environment, capture_output=True, check=False)
