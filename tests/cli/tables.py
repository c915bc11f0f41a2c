"""Parquet and Arrow files that pyarrow wrote, and folders as datasets writes them, are the records that pyarrow reads
from them. Without Arrow they are refused by name."""

import datetime
import decimal
import glob
import gzip
import json
import math
import os
import random
import shutil
import subprocess
import sys

from _tool import case, room, skip

BIN, DEPS = os.environ["CUSET_BIN"], os.environ["CUSET_DEPS"]
rng = random.Random(int(os.environ.get("CUSET_SEED", "20261123")))
os.chdir(room)
module = glob.glob(os.path.join(BIN, "..", "lib*", "**", "cuset_arrow.so"), recursive=True)


def run(*arguments, code=0, tool=BIN + "/cuset-tag", **more):
    p = subprocess.run([tool, "-q", "--plain", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    assert p.returncode == code, (arguments, p.returncode, p.stderr)
    assert p.stderr.count(b"\n") == (code != 0), p.stderr
    return p


def message_about(name, *arguments, **more):
    error = run(name, *arguments, code=1, **more).stderr.decode()
    assert error.startswith("cuset-tag: " + name + ": "), error
    return error[len("cuset-tag: " + name + ": "):-1]


case("A tool without the module beside it")
os.mkdir("bin")
shutil.copy(BIN + "/cuset-tag", "bin")
for data, name in [(b"PAR1....", "a Parquet file"), (b"ARROW1\0\0", "an Arrow file"),
                   (b"\xff\xff\xff\xff\x10\0\0\0", "an Arrow stream")]:
    open("table", "wb").write(data)
    message = message_about("table", tool="bin/cuset-tag")
    assert message == name + (": this build has no Arrow: run setup/setup.sh --arrow and build again, or convert it "
                           "with to_json() of Hugging Face's datasets"), message
# A few bytes that begin like one are none.
for data in (b"PAR", b"A", b"\xff"):
    open("table", "wb").write(data)
    assert run("table", code=1).stderr.startswith(b"cuset-tag: table:1: ")
open("table.gz", "wb").write(gzip.compress(b"PAR1...."))
assert message_about("table.gz") == "compressed, a Parquet file: decompress it into a file of its own"
if not module:
    skip("built without Arrow (setup/setup.sh --arrow)")
sys.path.insert(0, DEPS + "/arrow")
try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as e:
    skip(f"no pyarrow for this Python: {e}")


def text():
    return "".join(rng.choice(["a", "\n", "é", "\"", "\\", "\U0001f600", "\x01", "k<<<1, 2>>>();"]) for _ in
                   range(rng.randrange(20)))


def some(value, missing=0.15):
    return lambda: None if rng.random() < missing else value()


def many(value):
    return lambda: [value() for _ in range(rng.randrange(4))]


turn = pa.struct([("role", pa.string()), ("content", pa.large_string())])
columns = {
    "text": (pa.string(), some(text)), "large": (pa.large_string(), some(text)), "view": (pa.string_view(), some(text)),
    "i8": (pa.int8(), some(lambda: rng.randrange(-128, 128))), "u64": (pa.uint64(), some(lambda: rng.randrange(2**64))),
    "i64": (pa.int64(), some(lambda: rng.randrange(-2**63, 2**63))),
    "f64": (pa.float64(), some(lambda: rng.choice([rng.random(), 1e300, -0.0, math.inf, math.nan]))),
    "f32": (pa.float32(), some(rng.random)), "flag": (pa.bool_(), some(lambda: rng.random() < 0.5)),
    "none": (pa.null(), lambda: None), "list": (pa.list_(pa.int32()), some(many(some(lambda: rng.randrange(9))))),
    "deep": (pa.large_list(pa.list_(pa.string())), some(many(some(many(some(text)))))),
    "two": (pa.list_(pa.int8(), 2), some(lambda: [1, rng.randrange(9)])),
    "turns": (pa.list_(turn), some(many(some(lambda: {"role": text(), "content": text()})))),
    "é\"": (turn, some(lambda: {"role": some(text)(), "content": text()})),
    "kind": (pa.dictionary(pa.int8(), pa.string()), some(lambda: rng.choice(["a", "b", "\n"]))),
}


def as_json(value):
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [as_json(v) for v in value]
    return {k: as_json(v) for k, v in value.items()} if isinstance(value, dict) else value


def table(rows, names):
    fields = [("response", pa.string(), text)] + [(n, *columns[n]) for n in names]
    return pa.table([pa.array([make() for _ in range(rows)], type=kind) for _, kind, make in fields],
                    schema=pa.schema([(n, kind) for n, kind, _ in fields]))


def write_ipc(t, path, stream, batch):
    options = pa.ipc.IpcWriteOptions(compression=rng.choice([None, "zstd", "lz4"]))
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with pa.OSFile(path, "wb") as out, new(out, t.schema, options=options) as writer:
        writer.write_table(t, max_chunksize=batch)


def write_folder(path, parts):
    os.makedirs(path)
    names = ["data-%05d-of-%05d.arrow" % (i, len(parts)) for i in range(len(parts))]
    for name, part in zip(names, parts):
        write_ipc(part, path + "/" + name, True, 10)
    json.dump({"_data_files": [{"filename": n} for n in names], "_fingerprint": "x", "_format_type": None},
              open(path + "/state.json", "w"))
    json.dump({"features": {}}, open(path + "/dataset_info.json", "w"))


def records(output):
    return [{k: v for k, v in json.loads(line).items() if k != "tag"} for line in output.splitlines()]


for i in range(8):
    case(f"round {i}")
    t = table(rng.choice([0, 1, 40, 1500]), rng.sample(sorted(columns), rng.randrange(len(columns) + 1)))
    wanted = as_json(t.to_pylist())
    pq.write_table(t, "x.parquet", compression=rng.choice(["none", "snappy", "zstd", "gzip", "brotli"]),
                   row_group_size=rng.choice([7, 700]), use_dictionary=rng.random() < 0.5,
                   data_page_version=rng.choice(["1.0", "2.0"]), write_page_checksum=rng.random() < 0.5)
    write_ipc(t, "file.arrow", False, 100)
    write_ipc(t.slice(3), "stream.arrow", True, 100)
    for name, rows in (("x.parquet", wanted), ("file.arrow", wanted), ("stream.arrow", wanted[3:])):
        out = run(name).stdout
        assert records(out) == rows, (i, name, t.schema)
        assert [list(json.loads(l))[:-1] for l in out.splitlines()] == [t.column_names] * len(rows)
        assert run("-t4", name).stdout == out and run(stdin=open(name)).stdout == out
    cut = sorted(rng.randrange(len(t) + 1) for _ in range(2))
    write_folder("set%d" % i, [t.slice(0, cut[0]), t.slice(cut[0], cut[1] - cut[0]), t.slice(cut[1])])
    assert records(run("set%d" % i).stdout) == wanted
    assert records(run("x.parquet", "set%d" % i, "stream.arrow").stdout) == wanted * 2 + wanted[3:]

case("Rows count as lines do, over all files of a folder")
t = pa.table({"response": ["a"] * 1000 + [None] + ["b"] * 9, "n": list(range(1010))})
pq.write_table(t, "bad.parquet", row_group_size=300)
assert run("bad.parquet", code=1).stderr == (
    b'cuset-tag: bad.parquet:1001: "response" is missing; there is "n" (--response-field names another)\n')
write_folder("bad", [t.slice(0, 600), t.slice(600)])
assert run("bad", code=1).stderr == (
    b'cuset-tag: bad:1001: "response" is missing; there is "n" (--response-field names another)\n')
p = run("--on-error=skip", "--rejects=rejects", "bad", code=3)
assert p.stdout.count(b"\n") == 1009 and open("rejects", "rb").read() == b'{"response":null,"n":1000}\n'
shards = [run("--shard=%d/3" % i, "--on-error=skip", "--rejects=r", "bad", code=3 if 1001 % 3 == i else 0).stdout
          for i in range(3)]
assert sorted(b"".join(shards).splitlines()) == sorted(p.stdout.splitlines())

case("What has no form in JSON of its own is text, or refused")
t = pa.table({"response": ["r"], "day": [datetime.date(2026, 11, 23)], "price": [decimal.Decimal("1.50")],
              "at": pa.array([datetime.datetime(2026, 1, 2, 3, 4, 5)], pa.timestamp("s"))})
pq.write_table(t, "x.parquet")
assert records(run("x.parquet").stdout) == [{"response": "r", "day": "2026-11-23", "price": "1.50",
                                             "at": "2026-01-02 03:04:05.000"}]
for kind, value in ((pa.binary(), b"x"), (pa.map_(pa.string(), pa.int8()), [("a", 1)]),
                    (pa.list_(pa.struct([("b", pa.binary())])), [{"b": b"x"}])):
    pq.write_table(pa.table({"response": ["r"], "c": pa.array([value], kind)}), "x.parquet")
    message = message_about("x.parquet")
    assert message.startswith("column \"c") and message.endswith(", which is not read"), message

case("Files that are cut, wherever it is, and what is no table at all")
t = table(300, ["turns", "i64"])
pq.write_table(t, "x.parquet", row_group_size=50)
write_ipc(t, "file.arrow", False, 50)
write_ipc(t, "stream.arrow", True, 50)
for name, kind in (("x.parquet", "Parquet file"), ("file.arrow", "Arrow file"), ("stream.arrow", "Arrow stream")):
    data = open(name, "rb").read()
    everything = run(name).stdout
    # Arrow streams have places where a cut leaves whole batches.
    edges = [m for m in range(8, len(data)) if data[m:m + 4] == b"\xff\xff\xff\xff" and m % 8 == 0]
    for size in [8, 9, 100, len(data) // 2, len(data) - 1, *edges, *(rng.randrange(8, len(data)) for _ in range(10))]:
        open("cut", "wb").write(data[:size])
        p = run("cut", code=1)
        assert p.stderr.startswith(b"cuset-tag: cut: corrupt " + kind.encode()), (name, size, p.stderr)
        assert everything.startswith(p.stdout) and p.stdout != everything or name == "stream.arrow"
    # Any byte changed: rows or one line, but no crash and no second line.
    for _ in range(15):
        at = rng.randrange(8, len(data))
        open("changed", "wb").write(data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:])
        p = subprocess.run([BIN + "/cuset-tag", "-q", "--plain", "changed"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert p.returncode in (0, 1) and p.stderr.count(b"\n") == p.returncode, (name, at, p.returncode, p.stderr)
open("twice", "wb").write(open("stream.arrow", "rb").read() * 2)
assert message_about("twice") == "corrupt Arrow stream: bytes behind its end"
p = subprocess.run("cat x.parquet | " + BIN + "/cuset-tag --plain", shell=True, stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE)
assert p.stderr == b"cuset-tag: standard input: a Parquet file in a pipe: it is read from a file only\n", p.stderr
os.makedirs("both/train")
open("both/dataset_dict.json", "w").write('{"splits": ["train"]}')
assert message_about("both") == "a folder of several data sets: name one of its folders"
assert message_about("bin") == "Is a directory"
os.remove("bad/data-00001-of-00002.arrow")
assert b"data-00001-of-00002.arrow: No such file or directory\n" in run("bad", code=1).stderr
open("bad/state.json", "w").write('{"_data_files": []}')
assert message_about("bad") == "state.json names no \"_data_files\""
open("bad/state.json", "w").write('{"_data_files": [{"filename": "../x"}]}')
assert message_about("bad") == "state.json has a data file without a name"
