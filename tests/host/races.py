"""The search for races (program_form::searched) finds the race in programs that have one, in a line that races, and
none in right programs: those of races/right/, and a rotating third of those that the model runs elsewhere. Where
programs are checked, it finds those of races/checked/ too, and --check has none in right ones in another order.

A wrong program marks its racing lines with `// race`. Where a race is with a copy or a free, its call is not named, so
that any line counts."""
import re

import _programs
from _rotation import third

right, wrong = _programs.programs("races/right"), _programs.programs("races/wrong")
assert len(right) > 20 and len(wrong) > 20, "the programs are missing"
checked = _programs.programs("races/checked")
others = third(_programs.programs("model"), "right programs of model/")


def finding(result):
    found = re.search(r"^cuset-host: (?!note)([a-z_]+): (.*)$", result["err"], re.M)
    return (found[1], found[2]) if found else ("nothing", "")


problems = []
for paths, options in (wrong, ["--races"]), (checked, ["--races", "--check"]):
    for path, result in zip(paths, _programs.run(paths, *options)):
        kind, text = finding(result)
        lines = {str(n) for n, line in enumerate(path.read_text().splitlines(), 1) if "// race" in line}
        named = re.findall(r"\bline (\d+)", text)
        if kind != "race" or not lines.issuperset(named) or not (named or "a copy" in text or "cudaFreeAsync" in text):
            problems.append(f"{path}: a race in line {' or '.join(lines)} not found: {kind} {text} "
                            f"{_programs.failure_line(result) if kind == 'nothing' else ''}")
in_part = third(right, "right programs of races/right/ as in checked runs")
for paths, options in ((right + others, ["--races"]), (in_part, ["--races", "--check"]),
                       (in_part, ["--check", "--seed", "7"])):
    for path, result in zip(paths, _programs.run(paths, *options)):
        if finding(result)[0] == "race":
            problems.append(f"{path}: a false alarm: {finding(result)[1]}")
        elif path in right and result["code"] != 0:
            problems.append(f"{path}: {_programs.failure_line(result)}")
_programs.finish(problems, f"{len(wrong) + len(checked)} wrong and {len(right) + len(others)} right programs")
