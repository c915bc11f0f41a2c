"""cuset-score and cuset-sample warn where an adapter was trained with another chat template than is used: run.json, which
cuset-train writes beside it, says with which. Whose text is used does not change."""

import json
import shutil
import subprocess

import _tiny_model as tiny
from _tool import assert_exit, assert_that, built, environment, room
from _train import run, write_pairs

model = tiny.write(room / "model")  # its own template is chatml
pairs = write_pairs(room / "pairs.jsonl", 3)
tasks = room / "tasks.jsonl"
tasks.write_text(json.dumps({"id": 1, "prompt": "scale by 2"}) + "\n")
tools = {"score": [built("cuset-score"), pairs],
         "sample": [built("cuset-sample"), "--max-new-tokens=3", "--temperature=0", tasks]}


def use(tool, adapter, *options):
    command = [*tools[tool], "--model", model, "--adapter", adapter, "--device=cpu", "-t1", "--plain", *options]
    return subprocess.run(command, capture_output=True, env=environment(), check=False)


train = ("--max-steps=2", "--save-every=1", "-q", pairs)
assert_exit("chatml", run(model, room / "own", *train), 0)
assert_exit("qwen", run(model, room / "other", "--template=qwen", *train), 0)
shutil.copytree(room / "other", room / "unknown")
(room / "unknown/run.json").unlink()
shutil.copytree(room / "other", room / "broken")
(room / "broken/run.json").write_text('{"settings":[')
for tool in tools:
    own = use(tool, room / "own")
    assert_exit(f"{tool}: the same", own, 0, "template chatml")
    assert_that(f"{tool}: the same", b"was trained" not in own.stderr, own.stderr)
    done = use(tool, room / "other")
    assert_exit(f"{tool}: another", done, 0, f"{room}/other was trained with the template qwen, and chatml is used: --template qwen")
    quiet = use(tool, room / "other", "-q")
    assert_that(f"{tool}: -q keeps warnings", quiet.stderr.count(b"\n") == 1 and b"was trained" in quiet.stderr, quiet.stderr)
    reported = use(tool, room / "other", "--template=qwen")
    assert_that(f"{tool}: as trained", reported.returncode == 0 and b"was trained" not in reported.stderr, reported.stderr)
    assert_that(f"{tool}: chosen against it", b"template chatml, and qwen is used" in use(tool, room / "own", "--template=qwen").stderr)
    for folder in ("checkpoint-1", "checkpoint-1/"):
        assert_that(f"{tool}: a checkpoint", b"template qwen, and chatml" in use(tool, f"{room}/other/{folder}").stderr)
    for name in ("unknown", "broken"):
        done = use(tool, room / name)
        assert_that(f"{tool}: {name}", done.returncode == 0 and b"was trained" not in done.stderr, done.stderr)
    # auto is the model's own, whatever the adapter was trained with.
    assert_that(f"{tool}: auto", use(tool, room / "other").stdout == use(tool, room / "other", "--template=chatml").stdout)
