"""Noise outside of kernels: the same program in host code as people write it.

Each kind changes the host code in one way and leaves the kernels' text, the task and what the program computes
alone. A program gets pieces of noise, one after another, until it has enough of them or would become too long.
"""
import copy
import random

from . import pools
from .host import Statement, parse, render


def unused(host, draw, texts):
    """One of the texts, if possible one that the program does not have."""
    there = render(host)
    return draw.choice([text for text in texts if text not in there] or texts)


def comments(host, draw):
    """One comment: right, stale, in another language, something to do, or code that is commented out."""
    places = ["file", "sizes", "arrays", "kernels", "main", "read", "launch", "wait", "write"]
    place = draw.choice(places)
    kind = draw.choice(["right", "stale", "other", "other", "todo", "code"])
    text = unused(host, draw, {"right": pools.RIGHT[place], "stale": pools.STALE[place], "other": pools.OTHER[place],
                               "todo": pools.TODO, "code": pools.COMMENTED_OUT}[kind])
    if place == "file":
        host.above["file"] = [line.format(text) for line in draw.choice(pools.FILE_FORMS)] + host.above.get("file", [])
        return
    form = draw.choice(pools.COMMENT_FORMS) if kind != "code" else ["// {}"]
    lines = [line.format(text) for line in form]
    if place in ("sizes", "arrays", "kernels", "main"):
        host.above.setdefault(place, []).extend(lines)
        return
    statement = host.body[host.place(place)]
    if kind != "code" and not statement.trailing and draw.random() < 0.4:
        statement.trailing = "  // " + text
    else:
        statement.above += lines


def arguments(host, draw):
    """Arguments of the command line, without which the program does what it did."""
    headers, signature, begin, end = draw.choice(pools.ARGUMENTS)
    for header in headers:
        host.include(header)
    host.signature = draw.choice(pools.SIGNATURES) if signature else host.signature
    host.body.insert(0, Statement("noise", begin.split("\n")))
    if end:
        host.body.append(Statement("noise", end.split("\n")))


def macros(host, draw):
    """Calls of CUDA's and launches are checked."""
    host.check, text = draw.choice(pools.CHECKS)
    host.check_text = text.replace("@NAME@", host.check)
    host.include("cstdlib")


def timing(host, draw):
    """The launches are timed, and the time goes to stderr."""
    headers, begin, end = draw.choice(pools.TIMINGS)
    for header in headers:
        host.include(header)
    message = draw.choice(pools.TIME_MESSAGES)
    host.body.insert(host.place("launch"), Statement("noise", begin.split("\n")))
    host.body.insert(host.after("wait"), Statement("noise", end.replace("@MESSAGE@", message).split("\n")))


def prints(host, draw):
    """A message, which nothing compares."""
    place = draw.choice(list(pools.MESSAGES))
    size = draw.choice([part.split(" ")[0] for part in host.sizes[len("constexpr int "):].split(", ")])
    text = draw.choice(pools.PRINTS).replace("@TEXT@", unused(host, draw, pools.MESSAGES[place]).replace("@SIZE@", size))
    text = text.replace("@VALUES@", f", {size}" if "%d" in text else "")
    if "std::" in text:
        host.include("iostream")
    at = {"begin": 0, "launch": host.place("launch"), "end": len(host.body)}[place]
    host.body.insert(at, Statement("noise", [text]))


def formatting(host, draw):
    """Another layout of the host code."""
    style = host.style
    style.indent = draw.choice(["  ", "\t", "   ", "        "])
    style.brace_below = draw.random() < 0.5
    style.wide_calls = draw.random() < 0.3
    style.sizeof_call = draw.random() < 0.6
    style.stdio_h = draw.random() < 0.5
    style.blank_lines = draw.random() < 0.5
    style.ending = draw.choice(["", "return 0;", "return 0;", "return EXIT_SUCCESS;"])
    if "EXIT" in style.ending:
        host.include("cstdlib")
    if host.signature == "int main()" and draw.random() < 0.3:
        host.signature = "int main(void)"


def names(host, draw):
    """Other names of the host's arrays and of the launch's shape, and functions for files."""
    form = draw.choice(pools.ARRAY_NAMES)
    for number, name in enumerate(host.array_names()):
        host.names[name] = form.format(name=name, Name=name.capitalize(), number=number)
    host.names["block"], host.names["grid"] = draw.choice(pools.SHAPE_NAMES)
    if draw.random() < 0.5:
        reader, writer = draw.choice(pools.FILE_FUNCTIONS)
        names_ = draw.choice(pools.FILE_NAMES)
        host.reader, host.writer = [(name, text.replace("@NAME@", name)) for name, text in zip(names_, (reader, writer))]
        if "exit(" in reader:
            host.include("cstdlib")


KINDS = {kind.__name__: kind for kind in (comments, arguments, macros, timing, prints, formatting, names)}
REPEATED = {"comments": 12, "prints": 2}  # how many pieces of a kind a program may have; of the others one


def noisy(text, kinds, pieces, growth, seed):
    """The program with at most so many pieces of these kinds, and the kinds that it got, sorted. It has at most
    1 + growth times the bytes that it had."""
    draw = random.Random(seed)
    longest = (1 + growth) * len(text.encode())
    host, got = parse(text), []
    assert render(host) == text
    for _ in range(10 * pieces):
        left = [kind for kind in kinds if got.count(kind) < REPEATED.get(kind, 1)]
        if len(got) == pieces or not left:
            break
        kind = draw.choice(left)
        tried = copy.deepcopy(host)
        KINDS[kind](tried, draw)
        if len(render(tried).encode()) <= longest:
            host, got = tried, [*got, kind]
    return render(host), sorted(set(got))
