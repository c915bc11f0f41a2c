"""One program: its names and numbers are drawn, its text, its inputs and its reference are put together.

A family is a function that takes a Draw and returns a Program. In its texts @NAME@ stands for a value that
the family has set: a name, a type, a number. The C++ text names its arrays as the prompt does. The Python
of gen.py calls them x, x2, x3 and y, so that no name of an array meets a word of Python.
"""
import random
import re
from dataclasses import dataclass, field

# Names of inputs and outputs and of kernels come from pools that have no name in common, and
# no name that C++, CUDA or a standard header has: a parameter can then never hide another name.
INPUTS = ["x", "u", "src", "data", "values", "samples", "field", "left", "given", "first", "input"]
OUTPUTS = ["y", "out", "dst", "result", "output", "made", "answer"]
SECOND = ["b", "v", "other", "weights", "right", "added", "second"]
THIRD = ["w", "third", "extra", "bias", "addend"]

DTYPES = {"float": "float32", "int": "int32", "double": "float64", "unsigned": "uint32"}
CODES = {"float": "f", "int": "i", "double": "d", "unsigned": "I"}


@dataclass
class Array:
    name: str
    type: str
    shape: tuple  # of names of sizes or of numbers
    values: str = ""  # Python that makes a list, for an input


@dataclass
class Program:
    family: str
    sizes: dict  # name -> number: the program's constants, in this order
    inputs: list
    outputs: list
    kernels: str
    launch: str
    reference: str  # Python that sets y from x, x2, x3
    wordings: list  # of the first level
    title: str
    settings: dict = field(default_factory=dict)
    wording: int = 0


class Draw:
    """Draws names and numbers. `held_out` says which sizes may be drawn: see size()."""

    def __init__(self, seed, held_out):
        self.random = random.Random(seed)
        self.held_out = held_out
        self.input = self.pick(INPUTS)
        self.output = self.pick(OUTPUTS)
        self.second = self.pick(SECOND)
        self.third = self.pick(THIRD)
        self.block = self.pick([64, 128, 256])

    def pick(self, choices):
        return self.random.choice(choices)

    def integer(self, low, high):
        return self.random.randint(low, high)

    def size(self, low, high, multiple=1):
        """A size, or `multiple` times one. Sizes of residue 3 modulo 4 are kept for what is held out, so
        that no size of a held-out program occurs in a program of the same family that is trained on."""
        while True:
            value = self.random.randint(-(-low // multiple), high // multiple)
            if (value % 4 == 3) == self.held_out:
                return value * multiple


def filled(text, settings):
    def value(match):
        return str(settings[match.group(1)])

    return re.sub(r"@(\w+)@", value, text)


def literal(type_, value):
    """A number as C++ writes it in this type."""
    return f"{value}.0f" if type_ == "float" else f"{value}.0" if type_ == "double" else str(value)


def count(array, sizes):
    total = 1
    for extent in array.shape:
        total *= sizes[extent] if isinstance(extent, str) else extent
    return total


def extent_text(array):
    return " * ".join(map(str, array.shape))


def source(program):
    """The whole program, in as few tokens as a real one can have: arrays in managed memory, files read and
    written whole. A file that is not there is a crash."""
    sizes = ", ".join(f"{name} = {value}" for name, value in program.sizes.items())
    output = program.outputs[0]
    arrays = {}  # type -> declarators, in the order of the arrays
    for a in [*program.inputs, output]:
        arrays.setdefault(a.type, []).append(f"{a.name}[{extent_text(a)}]")
    lines = ["#include <cstdio>", "", f"constexpr int {sizes};"]
    lines += [f"__managed__ {type_} {', '.join(names)};" for type_, names in arrays.items()]
    lines += ["", filled(program.kernels, program.settings).strip("\n"), "", "int main() {"]
    lines += [f'    fread({a.name}, sizeof {a.name}, 1, fopen("data/{a.name}.bin", "rb"));' for a in program.inputs]
    lines += ["    " + line for line in filled(program.launch, program.settings).strip("\n").split("\n")]
    lines += ["    cudaDeviceSynchronize();",
              f'    fwrite({output.name}, sizeof {output.name}, 1, fopen("data/{output.name}.bin", "wb"));', "}"]
    return "\n".join(lines) + "\n"


def gen_py(program, seed):
    lines = ["import array", "import math", "import os", "import random", "",
             'os.makedirs("data", exist_ok=True)', f"draw = random.Random({seed})"]
    lines += [f"{name} = {value}" for name, value in program.sizes.items()]
    names = ["x", "x2", "x3"][:len(program.inputs)]
    for name, a in zip(names, program.inputs):
        values = filled(a.values, {"COUNT": count(a, program.sizes), **program.settings})
        lines.append(f'{name} = array.array("{CODES[a.type]}", {values})')
    lines += filled(program.reference, program.settings).strip("\n").split("\n")
    written = [(a.name, name) for name, a in zip(names, program.inputs)]
    output = program.outputs[0]
    lines.append(f'y = array.array("{CODES[output.type]}", y)')
    written.append((output.name + "_ref", "y"))
    pairs = ", ".join(f'("{file}", {name})' for file, name in written)
    lines += [f"for name, values in ({pairs}):", '    with open(f"data/{name}.bin", "wb") as file:',
              "        values.tofile(file)"]
    return "\n".join(lines) + "\n"


def compare_py(program):
    output = program.outputs[0]
    same = "u == v" if output.type in ("int", "unsigned") else "abs(u - v) <= 1e-4 * (1 + abs(v))"
    return f"""import array


def read(name):
    with open(f"data/{{name}}.bin", "rb") as file:
        return array.array("{CODES[output.type]}", file.read())


out, reference = read("{output.name}"), read("{output.name}_ref")
print("T" if len(out) == len(reference) and all({same} for u, v in zip(out, reference)) else "F")
"""


def described(array, sizes):
    shape = [sizes[e] if isinstance(e, str) else e for e in array.shape]
    text = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
    return {"name": array.name, "dtype": DTYPES[array.type], "shape": text}


def prompt(program, level):
    """Level 1 says all, level 2 leaves out the kernel's name and its blocks, level 3 is a title."""
    if level == 3:
        return program.title + "."
    text = filled(program.wordings[program.wording], {**program.sizes, **program.settings})
    if level == 1:
        block = filled(" Kernel @K@, @BLOCKS@.", program.settings)
        text += block
    return text


def record(program, id_, seed):
    """The program as a task of CUDABench's schema, with its family."""
    return {"id": id_, "task_name": program.family, "family": program.family,
            "inputs": [described(a, program.sizes) for a in program.inputs],
            "outputs": [described(a, program.sizes) for a in program.outputs],
            "level1_prompt": prompt(program, 1), "level2_prompt": prompt(program, 2),
            "level3_prompt": prompt(program, 3), "bench.cu": source(program),
            "gen.py": gen_py(program, seed), "compare.py": compare_py(program)}


WORDS = re.compile(r'"[^"\n]*"|\b[A-Za-z_]\w*\b')
TYPES = {"float", "int", "double", "unsigned", "f"}


def without_names(text):
    """The text with each name replaced by the number of the name's first place, and paths left out: two
    programs that differ in nothing but names have the same."""
    seen = {}

    def number(match):
        word = match.group(0)
        if word in TYPES:
            return word
        return '""' if word.startswith('"') else f"n{seen.setdefault(word, len(seen))}"

    return WORDS.sub(number, text)
