"""This tests the logs of cuset-train that other programs read: event files of TensorBoard, whose records a reader
of this file's own takes apart, and the table."""

import csv
import json
import math
import struct

import _tiny_model as tiny
from _train import assert_exit, assert_that, log, room, run, write_pairs


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(path):
    data, at = path.read_bytes(), 0
    while at < len(data):
        size, check = struct.unpack_from("<QI", data, at)
        assert_that("a length's sum", check == masked(data[at:at + 8]))
        record = data[at + 12:at + 12 + size]
        assert_that("a record's sum", struct.unpack_from("<I", data, at + 12 + size)[0] == masked(record))
        yield record
        at += size + 16
    assert_that("whole records", at == len(data))


def fields(message):
    """Of a protobuf message: (number, value)."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        number, wire = divmod(varint(), 8)
        if wire == 0:
            yield number, varint()
            continue
        size = {1: 8, 5: 4}.get(wire) or varint()
        value = message[at:at + size]
        at += size
        yield number, struct.unpack({8: "<d", 4: "<f"}[size], value)[0] if wire in (1, 5) else value


def events(path):
    """{"time", "step", and one of "version", "start" and "figures"} of each record."""
    for record in records(path):
        event = {"step": 0}
        for number, value in fields(record):
            if number == 1:
                event["time"] = value
            elif number == 2:
                event["step"] = value
            elif number == 3:
                event["version"] = value.decode()
            elif number == 7:
                event["start"] = dict(fields(value))[1]
            else:
                assert_that("a summary", number == 5, number)
                summaries = [dict(fields(v)) for _, v in fields(value)]
                event["figures"] = {s[1].decode(): s[2] for s in summaries}
        yield event


assert_that("the polynomial", crc32c(b"123456789") == 0xE3069283)
model = tiny.write(room / "model")
pairs = write_pairs(room / "pairs.jsonl")
board = room / "board/a run"
usual = ("--lr=0.05", "--batch=2", "--eval-size=2", "-q", f"--tensorboard={board}")
assert_exit("a run", run(model, room / "out", *usual, "--max-steps=4", pairs), 0)
lines = log(room / "out")
file, = board.iterdir()
assert_that("the name", file.name.startswith("events.out.tfevents."), file.name)
read = list(events(file))
assert_that("the version", read[0].get("version") == "brain.Event:2", read[0])
assert_that("the start", read[1].get("start") == 1 and read[1]["step"] == 1, read[1])
counts = {"current_steps", "total_steps", "percentage"}
assert_that("as many lines", len(read) == 2 + len(lines), len(read))
for event, line in zip(read[2:], lines):
    wanted = {("eval/" + name[5:] if name.startswith("eval_") else "train/" + name): value
              for name, value in line.items() if name not in counts and isinstance(value, (int, float))}
    assert_that("step", event["step"] == line["current_steps"], (event, line))
    assert_that("figures", set(event["figures"]) == set(wanted) and all(
        math.isclose(event["figures"][name], value, rel_tol=1e-6) for name, value in wanted.items()), (event, line))
assert_that("held out", any("eval/loss" in event["figures"] for event in read[2:]))

# A run that goes on has a file of its own, which tells what of the other is void.
usual = ("--resume", "--extend", *usual)
assert_exit("longer", run(model, room / "out", *usual, "--max-steps=6", pairs), 0)
later, = (path for path in board.iterdir() if path != file)
assert_that("after the other", later.name > file.name)
read = list(events(later))
assert_that("it starts", read[1].get("start") == 1 and read[1]["step"] == 5, read[1])
assert_that("its steps", {event["step"] for event in read[2:]} == {5, 6}, read)

# The table.
rows = list(csv.DictReader((room / "out/trainer_log.csv").open()))
lines = log(room / "out")
assert_that("rows", len(rows) == len(lines), len(rows))
for row, line in zip(rows, lines):
    for name, value in row.items():
        if name not in line:
            assert_that("empty", value == "", (name, value))
        elif isinstance(line[name], str):
            assert_that("text", value == line[name], (name, value))
        else:
            assert_that("number", json.loads(value) == line[name], (name, value))
assert_that("columns", set(rows[0]) == {name for line in lines for name in line})
blocked = room / "blocked"
blocked.write_text("")
done = run(model, room / "none", *usual[2:-1], f"--tensorboard={blocked}", "--max-steps=1", pairs)
assert_exit("no folder", done, 1, f"{blocked}: ")
assert_that("the run can begin", not (room / "none/run.json").exists())
