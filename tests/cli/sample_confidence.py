"""cuset-sample --confidence: answers stay the same, each token has the probability that cuset-score gives it, ends are
those of the written text, and the tools that read scores read the candidates."""

import json
import math
import random
import subprocess

import _tiny_model as tiny
from _tool import assert_exit, assert_that, built, environment, room, run_tool

tool, score = built("cuset-sample"), built("cuset-score")
# |difference of log p| that the cached passes of sampling and the whole passes of scoring may have, beside the six
# digits that both print.
tolerance = 2e-5

# One vocabulary holds bytes, so that answers cut and break characters; another text alone, so that an answer is read
# back as the tokens that it was written with.
bytes_model = tiny.write(room / "bytes")
everything, tiny.vocabulary = tiny.vocabulary, ["Ċ", "Ġ", *map(chr, range(33, 127)), *tiny.special]
words = tiny.tokenizer()
for i, token in enumerate(words["added_tokens"]):
    token["id"] = tiny.vocabulary.index(tiny.special[i])
text_model = tiny.write(room / "text", words=words)
end_marker, begin_marker = (tiny.vocabulary.index(t) for t in ("<|im_end|>", "<|im_start|>"))
text_vocabulary, tiny.vocabulary = tiny.vocabulary, everything

tasks = room / "tasks.jsonl"
prompts = {i: "write " * (i + 1) for i in range(6)}
tasks.write_text("".join(json.dumps({"id": i, "prompt": p}) + "\n" for i, p in prompts.items()))


def command(model, *options):
    return [tool, "--model", model, "--template=chatml", "--device=cpu", "-q", "--plain", *map(str, options)]


def lines(model, *options, data=None):
    done = subprocess.run(command(model, *options), input=data, capture_output=True, env=environment(), check=False)
    assert_that(f"exit code of {options}", done.returncode == 0, done.stderr.decode())
    return done.stdout.decode().split("\n")[:-1]


plain = ("-n4", "--max-new-tokens=40", tasks)
for model in (bytes_model, text_model):
    bare, scored = lines(model, *plain), lines(model, "--confidence", *plain)
    assert_that("the answers are the same", len(bare) == 24 and all(s.startswith(b[:-1] + ',"score":{"model":')
                                                                   for b, s in zip(bare, scored, strict=True)))
    for options in (("--batch=1",), ("--batch=3", "-t2"), ("--draft=0",), ("--draft=64", "--batch=2")):
        assert_that(f"the same scores with {options}", lines(model, "--confidence", *options, *plain) == scored)

# Each probability is that of cuset-score, at temperature 1 whatever the answer was drawn with.
seen = {"stop": 0, "length": 0}
for options in ((), ("--temperature=0",), ("--temperature=0.4", "--top-p=0.9"), ("--temperature=3", "--top-k=20")):
    answers = [json.loads(line) for line in lines(text_model, "--confidence", "--batch=5", *options, *plain)]
    pairs = "".join(json.dumps({"id": i, "prompt": prompts[a["task"]], "response": a["response"]}) + "\n"
                    for i, a in enumerate(answers))
    done = run_tool(score, "--model", text_model, "--template=chatml", "--device=cpu", "-q", "--plain", data=pairs.encode())
    assert_that("cuset-score", done.returncode == 0, done.stderr)
    for answer, line in zip(answers, done.stdout.decode().splitlines(), strict=True):
        own, wanted = answer["score"], json.loads(line)["score"]
        assert_that("lengths", len(own["end"]) == len(own["id"]) == len(own["confidence"]) == answer["tokens"], answer)
        assert_that("model", own["model"] == answer["model"] == wanted["model"], own["model"])
        # A marker that begins a turn is in no text, so that what follows it is read back with another beginning.
        ids = own["id"]
        count = ids.index(begin_marker) if begin_marker in ids else len(ids)
        assert_that("ids", ids[:count] == wanted["id"][:count] and own["end"][:count] == wanted["end"][:count], own, wanted)
        assert_that("the end marker", (answer["finish"] == "stop") == (ids[-1] == end_marker), answer)
        seen[answer["finish"]] += count == len(ids)
        wrong = [(i, a, b) for i, (a, b) in enumerate(zip(own["confidence"][:count], wanted["confidence"]))
                 if abs(math.log(a) - math.log(b)) > tolerance]
        assert_that(f"the probabilities {options}", not wrong, wrong[:4])
assert_that("ends by a marker and by a limit were compared", min(seen.values()) > 3, seen)

# Ends in the text as it is written, with U+FFFD for what is no UTF-8.
byte_of = {symbol: i for i, symbol in enumerate(tiny.byte_symbols())}


def written(ids):
    """The text of a byte model's tokens, and where each ends, by decoding byte for byte."""
    raw, spans = b"", []
    for i in ids:
        symbol = tiny.vocabulary[i]
        raw += b"" if symbol in tiny.special else bytes([byte_of[symbol]])
        spans.append(len(raw))
    text, at, place = b"", 0, {}
    while at < len(raw):
        length = next((n for n in range(1, 5) if _is_character(raw[at:at + n], n)), 0)
        for k in range(length or 1):
            place[at + k] = len(text) + k
        if length:
            text += raw[at:at + length]
        elif not text.endswith(b"\xef\xbf\xbd"):
            text += b"\xef\xbf\xbd"
        at += length or 1
    place[len(raw)] = len(text)
    return text.decode(), [place[s] for s in spans]


def _is_character(piece, length):
    try:
        return len(piece) == length and len(piece.decode()) == 1
    except UnicodeDecodeError:
        return False


broken = whole = 0
for line in lines(bytes_model, "--confidence", "-n8", "--max-new-tokens=60", tasks):
    answer = json.loads(line)
    text, ends = written(answer["score"]["id"])
    assert_that("the text", answer["response"] == text, answer)
    assert_that("ends", answer["score"]["end"] == ends, answer["score"]["end"], ends)
    broken += "\ufffd" in text
    whole += any(ord(c) > 127 and c != "\ufffd" for c in text)
assert_that("characters are broken and whole", broken > 20 and whole > 3, broken, whole)

# The tools that read scores.
path = room / "candidates.jsonl"
path.write_text("\n".join(scored) + "\n")
size = 16
table = run_tool(built("cuset-window"), f"--size={size}", path).stdout.decode().splitlines()
wanted = []
for answer in map(json.loads, scored):
    c = answer["score"]["confidence"]
    wanted.append(min(sum(c[i:i + size]) / size for i in range(len(c) - size + 1)) if len(c) >= size
                  else sum(c) / len(c))
assert_that("cuset-window", [f"{w:.4g}" for w in wanted] == [f"{float(row.split()[0]):.4g}" for row in table], table)
tagged = run_tool(built("cuset-tag"), "--plain", "-q", path)
for name, options in (("cuset-stats", []), ("cuset-view", []), ("cuset-view", ["--html", room / "p.html"])):
    done = run_tool(built(name), *options, data=tagged.stdout)
    assert_that(f"{name} {options}", done.returncode == 0, done.stderr)

# A log of candidates with and without scores.
log, bare_log = room / "log", room / "bare-log"
assert_that("kept", lines(text_model, "--confidence", "--resume", log, *plain) == scored)
first = log.read_text().splitlines(True)
log.write_text("".join(random.sample(first, 11)) + '{"task":3,"sam')
assert_that("gone on", lines(text_model, "--confidence", "--resume", log, *plain) == scored)
lines(text_model, "--resume", bare_log, *plain)
assert_exit("a log without scores", run_tool(*command(text_model, "--confidence", "--resume", bare_log, *plain)), 2,
            'bare-log: sample 0 of task "0" has no score, since it was made without --confidence')
assert_that("a log with scores", lines(text_model, "--resume", log, *plain) == scored)
assert_exit("a server", run_tool(tool, "--confidence", "--model=m", "--endpoint=http://localhost:1/v1", tasks), 2,
            "--confidence does not go with --endpoint")
