#!/usr/bin/env python3
"""Write the problems of the benchmark ComputeEval as it asks them, to the letter.

usage: computeeval-ask.py CLONE PROBLEMS.jsonl >asked.jsonl

CLONE is a clone of the benchmark. Its compute_eval/prompts.py is read, and never run: it assigns three strings,
SYSTEM_PROMPT, _USER_PROMPT and _CONTEXT_FILES_BLOCK_TEMPLATE. Each problem gets "messages" made of them in place of its
"prompt", without reference documents. The answers are those of `cuset-sample --ask plain asked.jsonl`; judge them with
the problems as they were.
"""

import argparse
import ast
import json
import pathlib
import string
import sys

NAMES = "SYSTEM_PROMPT", "_USER_PROMPT", "_CONTEXT_FILES_BLOCK_TEMPLATE"
PLACES = {"_USER_PROMPT": {"prompt", "build_command", "context_files_block", "reference_docs_block"},
          "_CONTEXT_FILES_BLOCK_TEMPLATE": {"path", "fence", "content"}}
# The word behind the fence of a file, by the ends of its name.
FENCES = {(".cu", ".cuh"): "cuda", (".cc", ".cpp", ".cxx"): "cpp", (".c",): "c", (".h", ".hpp"): "h"}


def prompts_of(path):
    """The three strings; the last assignment to a name counts."""
    found = {}
    for node in ast.parse(path.read_bytes(), filename=str(path)).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = getattr(node.value, "value", None)
            found[node.targets[0].id] = value if isinstance(value, str) else None
    for name in NAMES:
        if not found.get(name):
            raise ValueError(f"{name} is not assigned a string")
        for _, field, form, conversion in string.Formatter().parse(found[name] if name in PLACES else ""):
            if field is not None and (field not in PLACES[name] or form or conversion):
                raise ValueError(f"{name} has a place {{{field}}} that this script does not know")
    return [found[name] for name in NAMES]


def fence_of(path):
    return next((word for ends, word in FENCES.items() if path.lower().endswith(ends)), "")


def asked(problem, system, user, block):
    files = "".join(block.format(path=file["path"], fence=fence_of(file["path"]), content=file["content"])
                    for file in problem["context_files"])
    question = user.format(prompt=problem["prompt"], build_command=problem["build_command"],
                           context_files_block=files, reference_docs_block="")
    return {**{name: value for name, value in problem.items() if name != "prompt"},
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": question}]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", metavar="CLONE", type=pathlib.Path)
    parser.add_argument("problems", metavar="PROBLEMS", type=pathlib.Path)
    options = parser.parse_args()
    place = options.clone / "compute_eval/prompts.py"
    try:
        prompts = prompts_of(place)
        with options.problems.open(encoding="utf-8") as problems:
            for number, line in enumerate(problems, 1):
                place = f"{options.problems}:{number}"
                if line.strip():
                    print(json.dumps(asked(json.loads(line), *prompts), ensure_ascii=False))
    except (OSError, SyntaxError, ValueError, TypeError, AttributeError, KeyError) as error:
        what = error.strerror if isinstance(error, OSError) else f"{error} is missing" if isinstance(error, KeyError) else error
        sys.exit(f"computeeval-ask.py: {error.filename if isinstance(error, OSError) and error.filename else place}: {what}")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    main()
