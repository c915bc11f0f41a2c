"""JSON arrays as Python's json writes them, plain and compressed, out of files and pipes, give the records that the same
elements give as JSON Lines; and broken arrays end with one line."""

import gzip
import json
import os
import random
import shutil
import subprocess

from _tool import built, case, room, run_tool

tag = built("cuset-tag")
rng = random.Random(int(os.environ.get("CUSET_SEED", "20261123")))
os.chdir(room)


def run(*arguments, data=b"", code=0):
    p = run_tool(tag, "-q", "--plain", *arguments, data=data)
    assert p.returncode == code, (arguments, p.returncode, p.stderr)
    assert p.stderr.count(b"\n") == (code != 0), p.stderr
    return p


pieces = ["\n", "\r\n", "\t", "\"", "\\", "\\\"", "[", "]", "{", "}", ",", ":", "é", "\U0001f600", "\x01", "\x7f", " ",
          "__global__ void k() { f<<<1, 2>>>(x[0]); }", "// }", "\u2028", "0", "null"]


def text(most=30):
    return "".join(rng.choice(pieces) for _ in range(rng.randrange(most)))


def value(depth=0):
    kind = rng.randrange(8 if depth < 3 else 6)
    if kind == 6:
        return [value(depth + 1) for _ in range(rng.randrange(4))]
    if kind == 7:
        return {text(4): value(depth + 1) for _ in range(rng.randrange(4))}
    return [text(), rng.randrange(-9, 10**20), rng.random(), True, False, None][kind]


def record(i):
    r = {"instruction": text(), "input": text(6), "output": text(200), "meta": value(), text(3) + "x": value()}
    if i % 3 == 0:
        r["id"] = "k%d" % i
    return r


def same(a, b):
    return [json.loads(l) for l in a.splitlines()] == [json.loads(l) for l in b.splitlines()]


for round in range(6):
    case(f"an array and the same lines, round {round}")
    records = [record(i) for i in range(rng.choice([0, 1, 2, 50, 700]))]
    lines = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode()
    wanted = run(data=lines).stdout
    layouts = [dict(), dict(indent=2), dict(indent=0), dict(indent="\t"), dict(separators=(",", ":"))]
    for layout in layouts:
        ascii = rng.random() < 0.5
        data = json.dumps(records, ensure_ascii=ascii, **layout).encode()
        if rng.random() < 0.3:
            data = data.replace(b"\n", b"\r\n")  # Python writes no raw line break in a string
        if rng.random() < 0.3:
            data = rng.choice([b"\xef\xbb\xbf", b"\n \n", b" "]) + data
        data += rng.choice([b"", b"\n", b"\r\n\n"])
        got = run(data=data).stdout
        assert same(got, wanted), layout
        # Elements on one line pass byte for byte.
        if not ascii and layout == {}:
            assert got == wanted
        open("x.json", "wb").write(data)
        assert run("-t3", "x.json").stdout == got
        open("x.gz", "wb").write(gzip.compress(data[:1000]) + gzip.compress(data[1000:]))
        assert run("x.gz").stdout == got
        if shutil.which("zstd"):
            subprocess.run(["zstd", "-qf", "x.json", "-o", "x.zst"], check=True)
            assert run("x.zst").stdout == got
        # An element without an id is known by its number, as the line would be.
        for shard in ("0/3", "2/3"):
            assert same(run("--shard", shard, "x.json").stdout, run("--shard", shard, data=lines).stdout)
        if not records:
            continue
        # Wherever the array is cut, the elements before the cut come out, and one line says so.
        cuts = [rng.randrange(len(data)) for _ in range(8)] + [data.rindex(b"]")]
        for cut in cuts:
            part = data[:cut]
            if not part.strip(b"\xef\xbb\xbf \r\n"):
                continue
            p = run(data=part, code=1)
            assert b"truncated JSON array: " in p.stderr, (part[-80:], p.stderr)
            assert got.startswith(p.stdout)
            # The last element is whole only if a comma or a bracket follows it.
            decoder, at, count = json.JSONDecoder(), part.index(b"[") + 1, 0
            rest = part[at:].decode(errors="ignore")
            while True:
                rest = rest.lstrip(" \r\n\t,")
                try:
                    element, end = decoder.raw_decode(rest)
                except ValueError:
                    break
                rest = rest[end:]
                count += rest.lstrip().startswith(",")
            assert p.stdout.count(b"\n") == count, (p.stdout.count(b"\n"), count)

case("The place is the line where the element begins, and its number")
array = b'[\n  {"prompt":"p",\n   "response":"r"},\n\n  {"prompt":"p",\n  "response":5}, {"response":"s"}\n]\n'
p = run(data=array, code=1)
assert p.stderr == b'cuset-tag: standard input:5: element 2: "response" is not a string\n', p.stderr
p = run("--on-error=skip", "--rejects=bad", data=array, code=3)
assert p.stdout.count(b"\n") == 2
assert open("bad", "rb").read() == b'{"prompt":"p", "response":5}\n'
case("a message of another program in front of records is a bad line, no array")
for word in (b"[INFO] begins", b"[ true", b"[nul"):
    p = run("--on-error=skip", "--rejects=bad", data=word + b'\n{"response":"r"}\n', code=1 if word == b"[ true" else 3)
    assert p.stdout.count(b"\n") == (word != b"[ true"), (word, p)
case("elements that are no objects")
for data, message in [(b'[true]', b"1: element 1: not a JSON object"),
                      (b'[{"response":"r"}, 7]', b"1: element 2: not a JSON object"),
                      (b'[[{"response":"r"}]]', b"1: element 1: not a JSON object"),
                      (b'["a"]', b"1: element 1: not a JSON object"),
                      (b'[{"response":"r",}]', b"1: element 1: not valid JSON"),
                      (b'[{"response":"r"}\n\n{"response":"r"}]', b"3: no comma between element 1 and what follows it"),
                      (b'[{"response":"r"}]\n[]', b"2: text behind the end of the JSON array")]:
    p = run(data=data, code=1)
    assert p.stderr == b"cuset-tag: standard input:" + message + b"\n", p.stderr

case("Through a pipe that stays open, an element comes out when the comma behind it has come in")
p = subprocess.Popen([tag, "--plain"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
p.stdin.write(b"[")
for _ in range(3):
    p.stdin.write(b'{"response":"r"}\n,\n')
    p.stdin.flush()
    assert p.stdout.readline().startswith(b'{"response":"r","tag":')
p.stdin.write(b'{"response":"r"}]')
p.stdin.close()
assert p.wait() == 0 and p.stdout.read().count(b"\n") == 1
