#!/usr/bin/env python3
"""Write what the tutorial (docs/tutorial.md) begins with: a folder of .cu files, and tasks to be judged by.

usage: make.py FOLDER

FOLDER gets sources/*.cu: the training programs of six families of examples/evidence, each with its licence and what it
does in the comments at its top, and five files such as every folder of sources has that nobody looked through. It
gets tasks.jsonl too: tasks of the same families, of sizes that no source has. The bytes are the same each time.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FAMILIES = ["combine", "grid_stride", "rotate", "scatter", "transpose", "two_kernels"]
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


def count(array):
    sizes = [int(size) for size in array["shape"].strip("()").split(",") if size.strip()]
    product = 1
    for size in sizes:
        product *= size
    return product


def text(task):
    """What the task asks for, as lines of comments."""
    lines = [task["level1_prompt"]]
    for verb, arrays in ("Read", task["inputs"]), ("Write", task["outputs"]):
        lines += [f"{verb} data/{a['name']}.bin: {count(a)} {a['dtype']}." for a in arrays]
    return "".join(f"// {line}\n" for line in lines)


def odd(first, second):
    """Files with something wrong, by name."""
    return {
        "copy-of-first.cu": LICENCE + text(first) + "\n" + first["bench.cu"].replace("    ", "  "),  # other blanks
        "gpl.cu": "// SPDX-License-Identifier: GPL-3.0-only\n" + text(second) + "\n" + second["bench.cu"],
        "no-licence.cu": text(second) + "\n" + second["bench.cu"].replace("main()", "main(void)"),
        "does-not-compile.cu": LICENCE + text(second) + "\n" + second["bench.cu"].replace("int i =", "int j =", 1),
        "no-kernel.cu": LICENCE + "// Nothing runs on the GPU.\n\n#include <cstdio>\nint main() { puts(\"done\"); }\n",
    }


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([sys.executable, HERE.parent / "evidence/make-tasks.py", made], check=True)
        splits = {}
        for split in "train", "parameters":
            with open(pathlib.Path(made, split + ".jsonl"), encoding="utf-8") as file:
                splits[split] = [task for task in map(json.loads, file) if task["family"] in FAMILIES]
    (folder / "sources").mkdir(parents=True, exist_ok=True)
    files = {task["id"].removeprefix("train-") + ".cu": LICENCE + text(task) + "\n" + task["bench.cu"]
             for task in splits["train"]}
    first, second = (task for task in splits["train"] if task["id"] in ("train-combine-0", "train-scatter-0"))
    for name, program in (files | odd(first, second)).items():
        (folder / "sources" / name).write_text(program, encoding="utf-8", newline="")
    (folder / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in splits["parameters"]),
                                        encoding="utf-8", newline="")


main()
