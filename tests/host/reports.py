"""The runtime's reports about a program to the evaluator, whatever the program does: the counts of
its kernels and of the results that the host read, its faults, and nothing from the program itself.
A program's first lines say which: `// reports: LINE; LINE`, the beginnings of the last lines of their
kind, and `// must not report: WORD`."""
import _programs

files = _programs.programs("reports", least=15)


def last_of_kind(channel):
    """The last line for each first word; for faults, the line with a message."""
    return {line.split(" ")[0]: line for line in channel.splitlines()}


def is_right(wanted, line):
    """Whether the line begins as wanted. Launches must be equal. The bytes read from kernels may be
    up to 2 % fewer: --check's memory lies elsewhere, and parts of its first and last pages are not
    counted."""
    kind, _, count = wanted.partition(" ")
    if kind == "from-kernels":
        return line.startswith(kind) and 0.98 * int(count) <= int(line.split(" ")[1]) <= int(count)
    return line == wanted if kind == "launches" else line.startswith(wanted)


def judge(result, path):
    head = path.read_text().splitlines()[:2]
    if not result["compiled"]:
        return _programs.failure_line(result)
    lines = last_of_kind(result["channel"])
    problems = []
    for wanted in head[0].removeprefix("// reports: ").split("; "):
        line = lines.get(wanted.split(" ")[0], "nothing")
        if not is_right(wanted, line):
            problems.append(f"wanted {wanted!r}, reports {line!r}")
    _, is_there, word = head[1].partition("// must not report: ")
    if is_there and word in result["channel"]:
        problems.append(f"reports {word!r}")
    if "fault" in lines:
        if result["channel"].count("\nfault ") != (2 if ": " in lines["fault"] else 1):
            problems.append("more than one fault: " + result["channel"])
    elif result["code"] != 0:
        problems.append(_programs.failure_line(result))
    return "; ".join(problems)


wrong = []
for options in ((), ("--no-keys",), ("--check", "--no-digests")):
    for path, result in zip(files, _programs.run(files, *options)):
        if problem := judge(result, path):
            wrong.append(f"{path.name} {' '.join(options)}: {problem}")
_programs.finish(wrong, f"{len(files)} programs")
