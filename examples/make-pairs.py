#!/usr/bin/env python3
"""Write the prompt/response pairs as JSON lines.

usage: make-pairs.py [OUTPUT]

Each line of pairs/prompts.tsv names a file beside it and a prompt, with a tab
between them; lines that start with '#' are comments. A pair's id is the file
name up to its first dot, its response the whole file. The records keep the
order of prompts.tsv. OUTPUT is pairs.jsonl beside this script unless given;
'-' is standard output.
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAIRS = os.path.join(HERE, "pairs")
PROMPTS = "prompts.tsv"


def read(name):
    with open(os.path.join(PAIRS, name), encoding="utf-8", newline="") as f:
        return f.read()


def records():
    seen = set()
    for number, line in enumerate(read(PROMPTS).splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        name, tab, prompt = line.partition("\t")
        if not tab or not prompt.strip():
            raise ValueError(f"{PROMPTS}:{number}: a file, a tab and a prompt are wanted")
        id_ = name.split(".")[0]
        if id_ in seen:
            raise ValueError(f"{PROMPTS}:{number}: '{id_}' is there twice")
        seen.add(id_)
        yield name, {"id": id_, "prompt": prompt, "response": read(name)}


def main(argv):
    if len(argv) > 2 or argv[1:] in (["-h"], ["--help"]):
        print(__doc__.strip(), file=sys.stderr if len(argv) > 2 else sys.stdout)
        return 2 if len(argv) > 2 else 0
    try:
        made = list(records())
        unused = set(os.listdir(PAIRS)) - {name for name, _ in made} - {PROMPTS}
        if unused:
            raise ValueError("no prompt for: " + " ".join(sorted(unused)))
    except (OSError, ValueError) as error:
        print(f"make-pairs.py: {error}", file=sys.stderr)
        return 1

    text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for _, r in made)
    output = argv[1] if len(argv) == 2 else os.path.join(HERE, "pairs.jsonl")
    if output == "-":
        sys.stdout.buffer.write(text.encode("utf-8"))
    else:
        with open(output, "w", encoding="utf-8", newline="") as f:
            f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
