"""The shared parts of the tests of cuset-train: a model of a few kilobytes, tagged pairs, and a
run."""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import _tiny_model as tiny

train = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-train"
if not train.exists():
    print(f"skipped: {train} is absent")
    sys.exit(77)
room = pathlib.Path(tempfile.mkdtemp())
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


def environment(**variables):
    kept = {k: v for k, v in os.environ.items() if k not in ("CUSET_MODEL", "CUSET_PLAIN")}
    return kept | {k: str(v) for k, v in variables.items()}


def command(model, out, *options):
    return [train, "--model", model, "-o", out, "--template=chatml", "--device=cpu", "-t1", *options]


def run(model, out, *options, data=None, **variables):
    return subprocess.run(command(model, out, *options), input=data, capture_output=True,
                          env=environment(**variables), check=False)


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


class checks:
    """Counts failures and names them."""

    def __init__(self):
        self.failures = 0

    def that(self, name, good, detail=""):
        if not good:
            self.failures += 1
            print(f"FAILED {name}: {detail}")

    def expect(self, name, done, code, *words):
        message = done.stderr.decode().rstrip("\n")
        faults = []
        if done.returncode != code:
            faults.append(f"exit code {done.returncode}, not {code}")
        if code != 0 and ("\n" in message or not message.startswith("cuset-train: ")):
            faults.append("not one line that names the tool")
        faults += [f"does not say {word!r}" for word in words if word not in message]
        self.that(name, not faults, f"{'; '.join(faults)}\n    stderr: {message}")

    def end(self, what):
        if self.failures:
            sys.exit(f"{self.failures} failures")
        print(f"{what}: as documented")
