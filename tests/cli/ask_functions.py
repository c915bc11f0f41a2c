"""The functions that a task's prompt gives, and the C++ types that it names, are right: they compile without a
warning, move values of each dtype between memory and file unchanged, and end a program that cannot go on."""

import re
import shutil
import subprocess

from _tasks import array, functions_in, messages_of
from _tool import assert_exit, assert_that, built, room, run_tool, skip

if not shutil.which("g++"):
    skip("g++ is not installed")
# NumPy's dtypes and the size of a value.
sizes = {"float32": 4, "float64": 8, "float16": 2, "bfloat16": 2, "int8": 1, "int16": 2, "int32": 4, "int64": 8,
         "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1, "complex64": 8, "complex128": 16}
of_toolkit = {"float16", "bfloat16", "complex64", "complex128"}
count = 3
task = {"id": 1, "level1_prompt": "Copy.", "inputs": [array(f"in_{d}", d, f"({count},)") for d in sizes],
        "outputs": [array(f"out_{d}", d, f"({count},)") for d in sizes]}
done = run_tool(built("cuset-sample"), "--show", data=[task])
assert_exit("--show", done, 0)
system, user = messages_of(done.stdout.decode())
functions = functions_in(system["content"])
types = {m[1]: (m[2], m[3]) for m in re.finditer(
    r"^- in_\w+: (\w+) \(([\w:]+)(?: of ([\w.]+))?\), shape \(3,\), 3 elements, file data/in_\1\.bin$",
    user["content"], re.M)}
assert_that("a type for each dtype", types.keys() == sizes.keys(), user["content"])


def copying(dtypes):
    """A program that copies each input to its output."""
    text = functions + "".join(f"#include <{header}>\n" for _, header in types.values() if header and of_toolkit & dtypes)
    text += "int main() {\n"
    for dtype in sorted(dtypes):
        kind = types[dtype][0]
        text += (f"    {{\n        static_assert(sizeof({kind}) == {sizes[dtype]}, \"{dtype}\");\n"
                 f"        static {kind} values[{count}];\n"
                 f"        read_values(\"data/in_{dtype}.bin\", values, {count});\n"
                 f"        write_values(\"data/out_{dtype}.bin\", values, {count});\n    }}\n")
    return text + "}\n"


def compiled(name, dtypes, *command):
    folder = room / name
    (folder / "data").mkdir(parents=True)
    (folder / "program.cu").write_text(copying(dtypes))
    done = subprocess.run([*command, "-o", "program", "program.cu"], cwd=folder, capture_output=True, text=True,
                          check=False)
    assert_that(f"{name} compiles it in silence", done.returncode == 0 and not done.stdout + done.stderr, done)
    return folder


def run(folder):
    return subprocess.run(["./program"], cwd=folder, capture_output=True, text=True, check=False)


def check(folder, dtypes):
    written = {}
    for i, dtype in enumerate(sorted(dtypes)):
        # Every byte differs from its neighbours; a bool has only two values.
        data = bytes((k + i) % 2 if dtype == "bool" else (7 * k + i) % 251 for k in range(count * sizes[dtype]))
        (folder / f"data/in_{dtype}.bin").write_bytes(data)
        written[dtype] = data
    done = run(folder)
    assert_that(f"{folder.name}: it ends well", done.returncode == 0, done)
    for dtype, data in written.items():
        assert_that(f"{folder.name}: {dtype} is copied", (folder / f"data/out_{dtype}.bin").read_bytes() == data)
    short = folder / "data/in_int32.bin"
    short.write_bytes(short.read_bytes()[:-1])
    done = run(folder)
    assert_that(f"{folder.name}: a short input", done.returncode == 1 and done.stderr
                == f"cannot read {count} values from data/in_int32.bin\n", done)
    short.unlink()
    assert_that(f"{folder.name}: a missing input", run(folder).returncode == 1)
    short.write_bytes(bytes(4 * count))
    full = folder / "data/out_int32.bin"
    full.unlink()
    full.symlink_to("/dev/full")
    done = run(folder)
    assert_that(f"{folder.name}: a full disk", done.returncode == 1 and done.stderr
                == f"cannot write {count} values to data/out_int32.bin\n", done)


plain = sizes.keys() - of_toolkit
check(compiled("g++", plain, "g++", "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
               "-Wshadow", "-Werror"), plain)
nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
if nvcc:
    # Nothing of it is GPU code, so that it runs without a GPU.
    check(compiled("nvcc", set(sizes), nvcc, "-std=c++17", "-Werror", "all-warnings"), set(sizes))
else:
    print("nvcc is not installed: types of the toolkit are left out")
