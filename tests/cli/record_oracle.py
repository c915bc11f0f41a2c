"""This compares the record reader with Python's json on generated and mutated records.

Python's parser is made strict where it is lax: NaN and Infinity are refused, and the line has to be
valid UTF-8. Three differences are lawful and modelled here: a lone surrogate counts as U+FFFD in
what is decoded, nesting beyond 1000 is refused, and white space around the object may be anything
that JSON allows on one line.

Usage: record_oracle.py [SEED [COUNT]]; prints its seed.
"""
import json
import os
import random
import re
import subprocess
import sys

from _tool import fail, failures, skip

BUILD = os.environ.get("CUSET_BUILD", "build/release")
PROBE = os.path.join(BUILD, "tests", "record_probe")
if not os.path.exists(PROBE):
    skip("record_probe is not built")

seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(1 << 32)
count = int(sys.argv[2]) if len(sys.argv) > 2 else 12000
print("seed", seed)
rnd = random.Random(seed)

KEYS = ["id", "prompt", "response", "messages", "conversations", "instruction", "input", "output",
        "system", "history", "level1_prompt", "bench.cu", "tag", "score", "own", "x", "", "a b",
        "\u00e9", "own ", "Own", "\\own", "o\"wn"]
NUMBERS = ["0", "-0", "1", "-1", "17", "1.5", "-2.5e10", "1E+5", "1e-320", "1e400", "123456789012345678901",
           "9007199254740993", "18446744073709551616", "0.1", "1e5"]
PIECES = ["a", "kernel", " ", "\\n", "\\t", "\\\"", "\\\\", "\\/", "\\b", "\\u0041", "\\u00e9", "\\ud83d\\ude00",
          "\\ud800", "\\udc00", "\\ud83dx", "\u00e9", "\u20ac", "\U0001f600", "{", "}", "[", "]", ",", ":", "'",
          "\\u0000", "\x7f", "own", "\\u006fwn", "<<<", "\u2028", "\\uFFFF", "\ufeff"]


def space():
    return rnd.choice(["", "", "", "", " ", "  ", "\t", " \r "])


def string(text=None):
    if text is not None:
        out = ""
        for c in text:
            if c in '"\\':
                out += "\\" + c
            elif rnd.random() < 0.05:
                out += "\\u%04x" % ord(c) if ord(c) < 0x10000 else c
            else:
                out += c
        return '"' + out + '"'
    return '"' + "".join(rnd.choice(PIECES) for _ in range(rnd.choice([0, 1, 3, 10, 80]))) + '"'


def value(depth=0):
    kind = rnd.randrange(9 if depth < 4 else 5)
    if kind < 2:
        return string()
    if kind == 2:
        return rnd.choice(NUMBERS)
    if kind == 3:
        return rnd.choice(["true", "false", "null"])
    if kind == 4:
        return rnd.choice(["[]", "{}", "[[]]", '""'])
    if kind < 7:
        return "[" + ",".join(space() + value(depth + 1) + space() for _ in range(rnd.randrange(4))) + "]"
    return obj([(rnd.choice(KEYS), value(depth + 1)) for _ in range(rnd.randrange(4))])


def obj(members):
    return "{" + ",".join(space() + string(k) + space() + ":" + space() + v + space() for k, v in members) + "}" \
        if members else "{" + space() + "}"


def turns(role, content):
    out = []
    for _ in range(rnd.randrange(5)):
        name = rnd.choice(["user", "assistant", "system", "human", "gpt", "tool"])
        body = string() if rnd.random() < 0.8 else rnd.choice(["null", "5", "[]"]) if rnd.random() < 0.5 else \
            "[" + ",".join(obj([("type", '"text"'), ("text", string())]) for _ in range(rnd.randrange(3))) + "]"
        more = [(key, rnd.choice(["null", "[]", "[{}]", "false", '""'])) for key in ("tool_calls", "function_call")
                if rnd.random() < 0.03]
        out.append(obj([(role, string(name)), (content, body)] + more))
    return "[" + ",".join(out) + "]"


def record():
    form = rnd.randrange(7)
    m = []
    if form == 0:
        m = [("prompt", string()), ("response", string())]
    elif form == 1:
        m = [("messages", turns("role", "content"))]
    elif form == 2:
        m = [("conversations", turns("from", "value"))]
    elif form == 3:
        m = [("instruction", string()), ("output", string())]
        if rnd.random() < 0.5:
            m.append(("input", rnd.choice([string(), "null", '""', "5"])))
        if rnd.random() < 0.5:
            m.append(("system", rnd.choice([string(), "null"])))
        if rnd.random() < 0.5:
            m.append(("history", rnd.choice(["null", "[]", "[[" + string() + "," + string() + "]]", "[[1]]"])))
    elif form == 4:
        m = [("level1_prompt", string()), ("bench.cu", string())]
    elif form == 5:
        m = [(rnd.choice(KEYS), value()) for _ in range(rnd.randrange(5))]
    else:
        m = [("prompt", string()), ("response", value()), ("response", rnd.choice([value(), string()]))]
    if rnd.random() < 0.6:
        m.append(("id", rnd.choice([string(), rnd.choice(NUMBERS), "null", value()])))
    for _ in range(rnd.randrange(3)):
        m.append((rnd.choice(KEYS), value()))
    if rnd.random() < 0.3:
        m.append(("own", value()))
    rnd.shuffle(m)
    return (space() + obj(m) + space()).encode("utf-8", "surrogatepass")


def mutate(line):
    b = bytearray(line)
    for _ in range(rnd.choice([1, 1, 1, 2, 5])):
        at = rnd.randrange(len(b) + 1)
        how = rnd.randrange(6)
        if how == 0 and at < len(b):
            del b[at]
        elif how == 1:
            b.insert(at, rnd.choice(b'{}[],:"\\0123456789.eE+-tfn \t\x00\x01\x0c/u'))
        elif how == 2 and at < len(b):
            b[at] = rnd.randrange(256)
        elif how == 3:
            del b[at:]
        elif how == 4 and b:
            begin = rnd.randrange(len(b))
            b[at:at] = b[begin:begin + rnd.randrange(1, 12)]
        elif at < len(b):
            b[at] ^= 1 << rnd.randrange(8)
    return bytes(b).replace(b"\n", b" ")


class Refused(Exception):
    pass


def refuse(_):
    raise Refused


def clean(text):
    """Replaces lone surrogates by U+FFFD; json has joined the pairs already."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def expected(line, number):
    """The expected result of a line: an error, or (id, conversation, response)."""
    try:
        text = line.decode("utf-8")
        if text.startswith("\ufeff") and number > 1:
            return None
        data = json.loads(text, parse_constant=refuse, parse_float=lambda t: Number(t), parse_int=lambda t: Number(t))
    except (ValueError, Refused, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    there = {k: v for k, v in data.items() if v is not None}
    ident = there.get("id")
    if ident is not None and not isinstance(ident, str) and not isinstance(ident, Number):
        return None
    ident = str(number) if ident is None else clean(ident) if isinstance(ident, str) else ident.text

    def from_turns(items):
        if not isinstance(items, list):
            return None
        out = []
        for item in items:
            if not isinstance(item, dict):
                return None
            if any(item.get(key) not in (None, False, "", [], {}) for key in ("tool_calls", "function_call")):
                return None
            role = content = ""
            # "role" and "from" are one slot, "content" and "value" another; the last one written
            # counts.
            for key, v in item.items():
                if key in ("role", "from"):
                    role = v
                if key in ("content", "value"):
                    content = v
            content = "" if content is None else content
            if isinstance(content, list):
                parts = [p.get("text") if isinstance(p, dict) else None for p in content]
                if not all(isinstance(p, str) for p in parts):
                    return None
                content = "".join(clean(p) for p in parts)
            if not isinstance(role, str) or not isinstance(content, str):
                return None
            out.append([{"human": "user", "gpt": "assistant"}.get(clean(role), clean(role)), clean(content)])
        last = max((i for i, t in enumerate(out) if t[0] == "assistant"), default=None)
        return None if last is None else (ident, out[:last], out[last][1])

    def plain(answer, *questions):
        asked = next((there[q] for q in questions if q in there), None)
        if not isinstance(there[answer], str) or not isinstance(asked, str):
            return None
        return ident, [["user", clean(asked)]], clean(there[answer])

    def with_system(pair):
        system = there.get("system", "")
        if pair is None or not isinstance(system, str):
            return None
        if system and not (pair[1] and pair[1][0][0] == "system"):
            pair[1].insert(0, ["system", clean(system)])
        return pair

    if "response" in there:
        return with_system(plain("response", "prompt", "level1_prompt"))
    if "messages" in there:
        return with_system(from_turns(there["messages"]))
    if "conversations" in there:
        return with_system(from_turns(there["conversations"]))
    if "output" in there:
        instruction, more = there.get("instruction"), there.get("input", "")
        history = there.get("history", [])
        if not all(isinstance(s, str) for s in (there["output"], instruction, more)):
            return None
        if not isinstance(history, list) or not all(
                isinstance(r, list) and len(r) == 2 and all(isinstance(s, str) for s in r) for r in history):
            return None
        talk = []
        for question, answer in history:
            talk += [["user", clean(question)], ["assistant", clean(answer)]]
        question = clean(instruction)
        if more:
            question += ("\n" if question else "") + clean(more)
        return with_system((ident, talk + [["user", question]], clean(there["output"])))
    if "bench.cu" in there:
        return with_system(plain("bench.cu", "prompt", "level1_prompt"))
    return None


class Number:
    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return isinstance(other, Number) and self.text == other.text


def pairs(text):
    """The object's members with every duplicate, and with numbers as they are written."""
    return json.loads(text, object_pairs_hook=lambda m: ("object", m), parse_float=Number, parse_int=Number)


def keeps_bytes(line, raw, before, places):
    """Whether raw is line with one value replaced by [0], or with one member added at the end."""
    new = b"[0]" if places else (b"," if before else b"") + b'"own":[0]'
    at = -1
    while (at := raw.find(new, at + 1)) >= 0:
        head, tail = raw[:at], raw[at + len(new):]
        if not line.startswith(head) or not line[len(head):].endswith(tail):
            continue
        old = line[len(head):len(line) - len(tail)]
        if not places:
            if not old and tail.strip(b" \t\r") == b"}":
                return True
        else:
            try:
                if old == old.strip() and pairs(old.decode("utf-8")) == before[places[-1]][1]:
                    return True
            except ValueError:
                pass
    return False


lines = []
for _ in range(count):
    line = record()
    lines.append(line)
    lines.append(mutate(line))
lines = [l for l in lines if l.strip(b" \t\r")]
probe = subprocess.run([PROBE], input=b"\n".join(lines) + b"\n", stdout=subprocess.PIPE, check=True)
# Bytes of lines that are not UTF-8 are never shown; shown text must be UTF-8.
answers = [json.loads(l) for l in probe.stdout.decode("utf-8").split("\n")[:-1]]
assert len(answers) == len(lines), (len(answers), len(lines))

accepted = 0
for number, (line, got) in enumerate(zip(lines, answers), 1):
    want = expected(line, number)
    problem = None
    if (want is None) != ("error" in got):
        problem = "refused: " + got["error"] if "error" in got else "accepted"
    elif want is not None:
        accepted += 1
        if (got["id"], got["conversation"], got["response"]) != (want[0], want[1], want[2]):
            problem = "decoded otherwise: %r, not %r" % ((got["id"], got["conversation"], got["response"]), want)
        # The splice: all members except the own key are unchanged, and so are the bytes.
        before, after = pairs(line.decode("utf-8"))[1], pairs(got["spliced"])[1]
        places = [i for i, (k, _) in enumerate(before) if k == "own"]
        wanted = list(before)
        own = ("own", [Number("0")])
        if places:
            wanted[places[-1]] = own
        else:
            wanted.append(own)
        if after != wanted:
            problem = "spliced otherwise: %r" % got["spliced"]
        raw = got["spliced"].encode("utf-8", "surrogatepass")[:-1]
        if not keeps_bytes(line, raw, before, places):
            problem = "other bytes changed: %r" % got["spliced"]
    if problem:
        fail(f"line {number}", problem, f"\n  {line!r}")
        if len(failures) == 10:
            break
print("%d lines, %d accepted" % (number, accepted))
# A run that accepts almost nothing, or almost everything, proves nothing.
assert number / 10 < accepted < number * 9 / 10
