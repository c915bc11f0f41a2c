"""A sample of the host suites that takes minutes: one program in four of the execution model and
its library, one faulty program in eight with its correct twin, and one each of refused and
unmodelled code. model.py and faulty.py have all of them, in more orders of threads."""
import re

import _programs


def first_line(path):
    return path.read_text().splitlines()[0]


right = _programs.programs("model")[::4] + _programs.programs("library")[::4]
faulty, twins = _programs.faulty()[::8], _programs.twins()[::8]
outside = _programs.programs("refused")[:1] + _programs.programs("unmodelled")[:1]
wrong = _programs.failed(_programs.run(right, "--seed", "7"), "seed 7")
for path, r in zip(twins + faulty, _programs.run(twins + faulty, "--check")):
    kinds = re.match(r"// finds: ([a-z_,]+)", first_line(path))[1].split(",")
    found = re.search(r"^cuset-host: (?!note)([a-z_]+): ", r["err"], re.M)
    if r["compiled"] and not found and "race" in kinds:
        # Between blocks it shows in memory that differs between orders.
        other, = _programs.run([path], "--check", "--seed", "7")
        if r["launches"] != other["launches"]:
            continue
    if not r["compiled"] or (found[1] if found else "nothing") not in kinds:
        wrong.append(f"{path.name}: must find {kinds}: {_programs.failure_line(r)}")
for path, r in zip(outside, _programs.run(outside)):
    verdict, words = re.match(r"// (refused|unmodelled): (.*)", first_line(path)).groups()
    if r["compiled"] or r["unsupported"] != (verdict == "unmodelled") or words not in r["diagnostic"]:
        wrong.append(f"{path.name}: must be {verdict}: {_programs.failure_line(r)}")
_programs.finish(wrong, f"{len(right + twins + faulty + outside)} programs")
