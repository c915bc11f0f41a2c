"""--check on what the calls of a library touch. The first lines of a program in checked/ tell what
each of its cases must find: `// N finds: KIND: WORDS`, or `nothing`."""
import os
import pathlib
import re

import _programs

if not _programs.has_toolkit:
    print("the libraries need the toolkit's headers")
    raise SystemExit(77)
wrong = []
cases = 0
place = pathlib.Path(os.environ["CUSET_BUILD"]) / "tests/host-checked"
place.mkdir(parents=True, exist_ok=True)
for path in sorted(_programs.folder.glob("checked/*.cu")):
    text = path.read_text()
    wanted = re.findall(r"^// (\d+) finds: (.*)$", text, re.M)
    assert wanted, f"{path}: no cases"
    made = []
    for number, _ in wanted:
        made.append(place / f"{path.stem}.{number}.cu")
        made[-1].write_text(f"#define CASE {number}\n{text}")
    for (number, words), r in zip(wanted, _programs.run(made, "--check")):
        cases += 1
        found = re.search(r"^cuset-host: (?!note)(.*)$", r["err"], re.M)
        if words == "nothing":
            good = r["compiled"] and not found and r["code"] == 0
        else:
            good = found and found[1].startswith(words)
        if not good:
            wrong.append(f"{path.name}, case {number}: wanted {words}: {_programs.said(r)}")
print("\n".join(wrong))
print(f"{cases} cases: {len(wrong)} wrong")
raise SystemExit(1 if wrong else 0)
