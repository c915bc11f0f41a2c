"""This makes one file of the suite of the GPU kernels, since the host backend takes one."""
import os
import pathlib
import re
import sys

source = pathlib.Path(os.environ["CUSET_SOURCE"])
sys.path.insert(0, str(source / "tests/host"))
import _programs  # noqa: E402

KERNELS = ["adamw.cu", "code_rows.cu", "dropout.cu", "region.cu", "token_loss.cu"]
FOLDERS = [source / "kernels/include", source / "kernels/cuda", source / "tests/kernels"]


def amalgamated(extent):
    """Each quoted include once, in its place; the kernels before the suite that calls them. A
    qualifier that is a macro is written out, since the host backend reads the text before the
    preprocessor does."""
    seen = set()

    def text_of(path):
        seen.add(path)
        return re.sub(r'^#include "(.*)"$', lambda m: included(path, m[1]), path.read_text(encoding="utf-8"),
                      flags=re.M)

    def included(path, name):
        found = [p.resolve() for p in (folder / name for folder in [path.parent, *FOLDERS]) if p.exists()]
        return "" if found[0] in seen else text_of(found[0])

    parts = [text_of(source / "kernels/cuda" / name) for name in KERNELS]
    # is_valid() is in the CPU version's file; here it need not be more than a declaration's worth.
    cpu = (source / "kernels/cpu/token_loss.cpp").read_text(encoding="utf-8")
    is_valid = re.search(r"^bool is_valid.*?^}\n", cpu, re.M | re.S)[0]
    parts.append("namespace cuset::kernels {\nconstexpr std::size_t most = 0x7fffffff;\n" + is_valid + "}\n")
    chunks = (source / "kernels/cpu/adamw.cpp").read_text(encoding="utf-8")
    parts.append("namespace cuset::kernels {\n" +
                 re.search(r"^std::size_t adamw_chunks.*?^}\n", chunks, re.M | re.S)[0] + "}\n")
    table = (source / "kernels/cpu/quantise.cpp").read_text(encoding="utf-8")
    parts.append("namespace cuset::kernels {\n" + re.search(r"^const float nf4_values.*?^};\n", table, re.M | re.S)[0] + "}\n")
    parts.append(text_of(source / "tests/kernels/suite.cu"))
    text = f"#define CUSET_SUITE_EXTENT {extent}\n" + "".join(parts)
    text = re.sub(r"^#define CUSET_BOTH.*\n", "", text.replace("#pragma once\n", ""), flags=re.M)
    return text.replace("CUSET_BOTH", "__host__ __device__")


def passed(result):
    return result["compiled"] and result["exited"] and result["code"] == 0 and " cases, " in result["out"]


def outcome(result):
    if not result["compiled"]:
        return "does not compile: " + result["diagnostic"]
    return f"exit code {result['code']}: {(result['out'] + result['err'])[:3000].strip()}"
