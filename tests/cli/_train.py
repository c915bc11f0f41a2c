"""The tests of cuset-train share these: a model of a few kilobytes, tagged pairs, and a run."""

import json
import shutil
import struct
import subprocess

from _tool import assert_exit, assert_that, built, environment, room, wait_for  # noqa: F401

train = built("cuset-train")
code = "__global__ void f(float* x) { x[threadIdx.x] *= %d; }\nint main() { f<<<1, %d>>>(p); }\n"


def pair(i, text=None):
    response = text or code % (i + 2, 32 * (i + 1))
    begin, launch = response.find("{"), response.find("<<<")
    spans = [] if text else [
        {"kind": "kernel", "name": "f", "begin": begin, "end": response.find("}") + 1},
        {"kind": "launch", "name": "f", "begin": launch, "end": response.find(">>>") + 3}]
    return {"id": f"k{i}", "prompt": f"scale by {i + 2}", "response": response,
            "tag": {"spans": spans, "lang": "cuda"}}


def write_pairs(path, count=7):
    path.write_text("".join(json.dumps(pair(i)) + "\n" for i in range(count)))
    return path


def write_text(path, response):
    path.write_text(json.dumps(pair(0, response)) + "\n")
    return path


def command(model, out, *options):
    return [train, "--model", model, "-o", out, "--template=chatml", "--device=cpu", "-t1", *options]


def run(model, out, *options, data=None, **variables):
    return subprocess.run(command(model, out, *options), input=data, capture_output=True,
                          env=environment(**variables), check=False)


def bad_run(model, objective, name, exit_code, words, *options, data=None):
    """A run on bad records, or with bad options, ends with one line that has these words."""
    done = run(model, room / "new", objective, "-q", "--max-steps=1", *options,
               data="".join(json.dumps(r) + "\n" for r in data).encode() if data else None)
    assert_exit(name, done, exit_code, *words)
    assert_that(name, done.stderr.count(b"\n") == 1, done.stderr)
    shutil.rmtree(room / "new", ignore_errors=True)


def adapter(folder):
    return (folder / "adapter_model.safetensors").read_bytes()


def tensors(path):
    """name -> list of floats."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: struct.unpack(f"<{(end - begin) // 4}f", data[8 + size + begin:8 + size + end])
            for name, (begin, end) in ((n, t["data_offsets"]) for n, t in header.items())}


def log(folder):
    return [json.loads(line) for line in (folder / "trainer_log.jsonl").read_text().splitlines()]
