#!/usr/bin/env python3
"""cuset-curate --pairs: files that are there in CUDA and in HIP become pairs for translation, each way."""

import functools
import hashlib
import json
import subprocess
import tarfile

from _tool import assert_equal, assert_exit, assert_that, built, room, run_tool

curate = built("cuset-curate")
run = functools.partial(run_tool, curate, "--plain", "-q", "--duplicates", "none")


def records(text):
    return [json.loads(l) for l in text.splitlines()]


def program(name, gpu):
    header = "cuda_runtime.h" if gpu == "cuda" else "hip/hip_runtime.h"
    return f"#include <{header}>\n__global__ void {name}() {{}}\nint main() {{ {name}<<<1, 1>>>(); return {gpu}DeviceSynchronize(); }}\n"


mit = "// SPDX-License-Identifier: MIT\n"
files = {
    "src/scan-cuda/main.cu": mit + program("scan", "cuda"), "src/scan-hip/main.cu": mit + program("scan", "hip"),
    "sort.cu": program("sorts", "cuda"), "sort.hip": mit + program("sorts", "hip"),
    "hipified.cu": program("hipified", "cuda"), "hipified.cu.hip": program("hipified", "hip"),
    # No word tells the language of these; their text does.
    "a/x.cu": program("x", "hip"), "a/x.hip": program("x", "hip") + "// of the same language\n",
    # One text in both folders, three of one name, and files alone.
    "src/scan-cuda/step.h": "__global__ void step();\n", "src/scan-hip/step.h": "__global__ void step();\n",
    "cuda/three.cu": program("three", "cuda"), "hip/three.cu": program("three", "hip"), "hip/three.hip": program("three", "hip") + "\n",
    "alone-cuda/main.cu": program("alone", "cuda"), "alone.hip": program("alone", "hip"),
    "src/scan-cuda/plain.h": "int plain();\n",
}
folder = room / "sources"
for name, text in files.items():
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)

twins = [("hipified.cu", "hipified.cu.hip"), ("sort.cu", "sort.hip"), ("src/scan-cuda/main.cu", "src/scan-hip/main.cu")]
alone = sorted(["a/x.cu", "a/x.hip", "alone-cuda/main.cu", "alone.hip", "cuda/three.cu", "hip/three.cu", "hip/three.hip",
                "src/scan-cuda/step.h", "src/scan-hip/step.h"])
for direction, wanted in (("cuda-hip", 1), ("hip-cuda", 0)):
    done = run("--from-sources", folder, "--pairs", direction, "--rejects", room / "rejects")
    rows = records(done.stdout)
    assert_equal(f"{direction}: records", [(r["source_path"], r["path"]) for r in rows],
                 sorted(((pair[1 - wanted], pair[wanted]) for pair in twins), key=lambda p: p[1]))
    gone = records((room / "rejects").read_bytes())
    assert_equal(f"{direction}: no twins", [(r["id"], r["curate"]["reason"]) for r in gone], [(name, "no_twin") for name in alone])
    for r in rows:
        source, target = files[r["source_path"]], files[r["path"]]
        assert_equal(f"{r['path']}: texts", (r["source"], r["response"], r["id"]), (source, target, r["path"]))
        assert_equal(f"{r['path']}: hashes", (r["source_sha256"], r["sha256"]),
                     tuple(hashlib.sha256(text.encode()).hexdigest() for text in (source, target)))
        assert_equal(f"{r['path']}: languages", (r["source_lang"], r["lang"]), tuple(direction.split("-")))
        names = ["CUDA", "HIP"] if wanted else ["HIP", "CUDA"]
        assert_that(f"{r['path']}: prompt", r["prompt"].startswith(f"Translate this file from {names[0]} to {names[1]}") and
                    f"```{r['source_lang']}\n{source}" in r["prompt"], r["prompt"])
    assert_equal(f"{direction}: licences", [r["license"] for r in rows],
                 ["none", "MIT AND none" if wanted else "none AND MIT", "MIT"])

# A licence that is allowed is that of both.
done = run("--from-sources", folder, "--pairs", "cuda-hip", "--license", "allow=MIT")
assert_equal("allowed licences", [r["path"] for r in records(done.stdout)], ["src/scan-hip/main.cu"])

# An archive, in its order; an ask file; and a file that is no UTF-8.
(folder / "bad-hip.cu").write_bytes(b"// \xe9\n" + program("bad", "hip").encode())
(folder / "bad-cuda.cu").write_text(program("bad", "cuda"))
with tarfile.open(room / "sources.tar", "w") as archive:
    for name in ["sort.hip", "bad-hip.cu", "bad-cuda.cu", "src/scan-hip/main.cu", "src/scan-cuda/main.cu", "sort.cu"]:
        archive.add(folder / name, name)
ask = room / "translate.ask"
ask.write_text("--- user\n{source_path} as {lang}\n")
done = run("--from-sources", room / "sources.tar", "--pairs", "cuda-hip", "--ask", ask, "--on-error", "skip", "--rejects",
           room / "rejects")
assert_equal("its exit code", done.returncode, 3)
assert_equal("of an archive", [r["prompt"] for r in records(done.stdout)], ["sort.cu as hip", "src/scan-cuda/main.cu as hip"])
assert_equal("a file that cannot be read, and what was its twin",
             [r["curate"]["reason"] for r in records((room / "rejects").read_bytes())], ["bad_record", "no_twin"])
done = run("--from-sources", room / "sources.tar", "--pairs", "cuda-hip", "--encoding", "latin1")
assert_equal("with latin1", [r["path"] for r in records(done.stdout)], ["sort.hip", "bad-hip.cu", "src/scan-hip/main.cu"])

for name, words, message in (
        ("--pairs alone", ["--pairs", "cuda-hip"], "--pairs needs --from-sources"),
        ("another direction", ["--pairs", "hip"], "--pairs"),
        ("a server", ["--pairs", "cuda-hip", "--from-sources", folder, "--endpoint", "http://localhost:1"],
         "--pairs does not go with --endpoint"),
        ("a system message for the built-in prompt", ["--pairs", "cuda-hip", "--from-sources", folder, "--system", ask],
         "--system needs --ask FILE"),
        ("an ask of tasks", ["--pairs", "cuda-hip", "--from-sources", folder, "--ask", "cudabench"], "--ask FILE")):
    assert_exit(name, subprocess.run([curate, *words], capture_output=True, check=False, stdin=subprocess.DEVNULL), 2, message)
