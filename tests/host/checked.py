"""--check on what the calls of a library touch. The first lines of a program in checked/ tell what
each of its cases must find: `// N finds: KIND: WORDS`, or `nothing`."""
import os
import pathlib
import re

import _programs

_programs.need_toolkit("the libraries")
place = pathlib.Path(os.environ["CUSET_BUILD"]) / "tests/host-checked"
place.mkdir(parents=True, exist_ok=True)
wanted = {}
for path in _programs.programs("checked"):
    text = path.read_text()
    cases = re.findall(r"^// (\d+) finds: (.*)$", text, re.M)
    assert cases, f"{path}: no cases"
    for number, words in cases:
        made = place / f"{path.stem}.{number}.cu"
        made.write_text(f"#define CASE {number}\n{text}")
        wanted[made] = words
wrong = []
for (path, words), r in zip(wanted.items(), _programs.run(wanted, "--check")):
    found = re.search(r"^cuset-host: (?!note)(.*)$", r["err"], re.M)
    if words == "nothing":
        good = r["compiled"] and not found and r["code"] == 0
    else:
        good = found and found[1].startswith(words)
    if not good:
        wrong.append(f"{path.name}: wanted {words}: {_programs.failure_line(r)}")
_programs.finish(wrong, f"{len(wanted)} cases")
