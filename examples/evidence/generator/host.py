"""The host code round the kernels of a program, as parts that noise may change. Kernels are kept as they are.

parse() takes a program of program.source() apart, and render() puts it together again; of parts that nothing has
changed it makes the same text.
"""
import re
from dataclasses import dataclass, field


@dataclass
class Statement:
    place: str  # what it is for: read, prepare, launch, wait, write, or noise
    lines: list
    above: list = field(default_factory=list)  # lines of comments
    trailing: str = ""  # a comment behind the first line


@dataclass
class Style:
    indent: str = "    "
    brace_below: bool = False  # an opening brace of host code has a line of its own
    wide_calls: bool = False  # blanks inside the parentheses of calls
    sizeof_call: bool = False  # sizeof(x) instead of sizeof x
    stdio_h: bool = False  # C's header instead of C++'s
    blank_lines: bool = False  # between the parts of main
    ending: str = ""  # main's last statement


@dataclass
class Host:
    includes: list
    sizes: str
    arrays: list  # lines that declare the managed arrays
    kernels: str
    body: list  # Statements of main
    above: dict = field(default_factory=dict)  # file, sizes, arrays, kernels, main -> lines of comments
    signature: str = "int main()"
    functions: list = field(default_factory=list)
    check: str = ""  # the name that each call of CUDA's is wrapped in
    check_text: str = ""
    names: dict = field(default_factory=dict)  # old name -> new name, in declarations and main
    reader: tuple = ()  # name and text of a function that reads a file
    writer: tuple = ()
    style: Style = field(default_factory=Style)

    def place(self, place):
        """Where the first statement of a place stands."""
        return next(at for at, statement in enumerate(self.body) if statement.place == place)

    def after(self, place):
        """Behind the last statement of a place."""
        return len(self.body) - next(at for at, s in enumerate(reversed(self.body)) if s.place == place)

    def array_names(self):
        return [name for line in self.arrays for name in re.findall(r"(\w+)\[", line)]

    def include(self, header):
        if header not in self.includes:
            self.includes.append(header)


def place_of(line):
    for word, place in (("fread(", "read"), ("<<<", "launch"), ("cudaDeviceSynchronize", "wait"), ("fwrite(", "write")):
        if word in line:
            return place
    return "prepare"


def statements(lines):
    made = []
    for line in (line[4:] for line in lines):
        if made and (line.startswith(" ") or line == "}"):
            made[-1].lines.append(line)
        else:
            made.append(Statement("", [line]))
    for statement in made:
        statement.place = place_of("\n".join(statement.lines))
    return made


def parse(text):
    head, main = text.split("\nint main() {\n")
    start, sizes, rest = re.fullmatch(r"(#include <cstdio>)\n\n(constexpr [^\n]*)\n(.*)\n", head, re.DOTALL).groups()
    arrays, kernels = rest.split("\n\n", 1)
    assert start == "#include <cstdio>" and main.endswith("\n}\n")
    return Host(["cstdio"], sizes, arrays.split("\n"), kernels, statements(main[:-3].split("\n")))


STRINGS = re.compile(r'("[^"\n]*")')


def renamed(line, names):
    """The line with other names, outside of its strings."""
    parts = STRINGS.split(line)
    for at in range(0, len(parts), 2):
        parts[at] = re.sub(r"\b\w+\b", lambda word: names.get(word.group(), word.group()), parts[at])
    return "".join(parts)


READ = re.compile(r'fread\((\w+), sizeof \w+, 1, fopen\(("[^"]*"), "rb"\)\);')
WRITE = re.compile(r'fwrite\((\w+), sizeof \w+, 1, fopen\(("[^"]*"), "wb"\)\);')


def code(host, line):
    """A line of main with the program's names and functions, and calls of CUDA's checked."""
    if host.reader:
        line = READ.sub(host.reader[0] + r"(\2, \1, sizeof \1);", line)
        line = WRITE.sub(host.writer[0] + r"(\2, \1, sizeof \1);", line)
    line = renamed(line, host.names)
    if host.check:
        line = re.sub(r"^( *)(cuda\w+\(.*\));$", rf"\1{host.check}(\2);", line)
    if host.style.sizeof_call:
        line = re.sub(r"\bsizeof (\w+)", r"sizeof(\1)", line)
    if host.style.wide_calls and "<<<" not in line:
        line = re.sub(r"^( *)(\w+)\((.+)\);$", r"\1\2( \3 );", line)
    return line


def body(host):
    lines = []
    last = "read"
    for statement in host.body:
        if host.style.blank_lines and statement.place not in (last, "noise") and lines:
            lines.append("")
        last = statement.place
        lines += statement.above
        its = [code(host, line) for line in statement.lines]
        lines += [its[0] + statement.trailing, *its[1:]]
        if host.check and statement.place == "launch":
            lines.append(f"{host.check}(cudaGetLastError());")
    if host.style.ending:
        lines.append(host.style.ending)
    return ["    " + line if line else "" for line in lines]


def styled(lines, style):
    """Host code in the style's indentation and braces."""
    made = []
    for line in lines:
        text = line.lstrip(" ")
        depth = (len(line) - len(text)) // 4
        # What is left of a comment's own indentation, such as that of its stars.
        start = style.indent * depth + " " * ((len(line) - len(text)) % 4)
        if style.brace_below and text.endswith(" {"):
            made += [start + text[:-2], start + "{"]
        else:
            made.append(start + text)
    return made


def render(host):
    style = host.style
    lines = list(host.above.get("file", []))
    for header in host.includes:
        lines.append("#include <stdio.h>" if header == "cstdio" and style.stdio_h else f"#include <{header}>")
    if host.check_text:
        lines += ["", *host.check_text.split("\n")]
    lines += ["", *host.above.get("sizes", []), host.sizes, *host.above.get("arrays", [])]
    lines += [renamed(line, host.names) for line in host.arrays]
    lines += ["", *host.above.get("kernels", []), host.kernels, ""]
    functions = host.functions + [text for _, text in filter(None, (host.reader, host.writer))]
    for function in functions:
        lines += [*styled(function.split("\n"), style), ""]
    lines += host.above.get("main", [])
    lines += styled([host.signature + " {", *body(host), "}"], style)
    return "\n".join(lines) + "\n"
