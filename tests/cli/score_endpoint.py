"""This runs cuset-score --endpoint against a server that encodes at random and tells its
probabilities in the forms that there are: the tool's ends and confidences are those of the server's
tokens, and what cannot be told apart is refused."""

import http.server
import json
import math
import random
import socket
import subprocess
import threading

from _tool import assert_exit, assert_that, built, environment, kill_at, room

tool = built("cuset-score")
seed = 20261124
print("seed", seed)
FORMS = ["echo", "listed", "both", "bytes", "late", "byte level", "chat"]
form = "echo"
boundary_is_kept = True
bodies, headers, hosts, asked = [], [], [], {}
lock = threading.Lock()
PROMPT_END = "<|im_start|>assistant\n"


def byte_alphabet():
    table, other = {}, 256
    for byte in range(256):
        if 33 <= byte <= 126 or 161 <= byte <= 172 or byte >= 174:
            table[byte] = chr(byte)
        else:
            table[byte] = chr(other)
            other += 1
    return table


ALPHABET = byte_alphabet()


def tokens_of(text):
    """Of a pair, the prompt's and then the rest's, unless tokens may cross between them."""
    end = text.find(PROMPT_END) + len(PROMPT_END)
    if boundary_is_kept and end >= len(PROMPT_END):
        return pieces_of(text[:end]) + pieces_of(text[end:])
    return pieces_of(text)


def pieces_of(text):
    """Pieces of one to five bytes, with special tokens whole; the same for the same text."""
    rnd = random.Random(f"{seed} {text}")
    raw, cuts, at = text.encode(), set(), 0
    for mark in ("<|im_start|>", "<|im_end|>"):
        at = raw.find(mark.encode())
        while at >= 0:
            cuts |= {at, at + len(mark)}
            at = raw.find(mark.encode(), at + 1)
    pieces, begin = [], 0
    while begin < len(raw):
        end = begin + rnd.randrange(1, 6)
        for mark in (b"<|im_start|>", b"<|im_end|>"):
            if raw.startswith(mark, begin):
                end = begin + len(mark)
        end = min([end, len(raw), *(c for c in cuts if c > begin)])
        pieces.append(raw[begin:end])
        begin = end
    return [(piece, -rnd.expovariate(0.3), rnd.randrange(50000)) for piece in pieces]


def texts_of(pieces):
    if form == "bytes":
        out = []
        for piece in pieces:
            try:
                out.append(piece.decode())
            except UnicodeDecodeError:
                out.append("bytes:" + "".join(f"\\x{b:02x}" for b in piece))
        return out
    if form == "byte level":
        return [p.decode() if p.startswith(b"<|im") else "".join(ALPHABET[b] for b in p) for p in pieces]
    if form == "late":
        out, held = [], b""
        for piece in pieces:
            held += piece
            whole = held.decode(errors="ignore")  # only the end of it can be cut off
            out.append(whole)
            held = held[len(whole.encode()):]
        return out
    return [piece.decode(errors="replace") for piece in pieces]


def written(messages, begins_answer):
    """What a server's own template makes of messages."""
    return "".join(f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in messages) + (PROMPT_END if begins_answer else "")


class server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, code, text):
        data = text.encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.reply(200, '{"data":[{"id":"served"}]}')

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = body["prompt"] if "prompt" in body else written(body["messages"], body["add_generation_prompt"])
        with lock:
            bodies.append(body)
            hosts.append(self.headers["Host"])
            headers.append((self.path, self.headers.get("Authorization")))
            asked[text] = asked.get(text, 0) + 1
            count = asked[text]
        if "forbidden" in text:
            return self.reply(401, '{"error":{"message":"no such key"}}')
        if "too long" in text:
            return self.reply(400, '{"error":{"message":"more than 4096 tokens"}}')
        if "busy" in text and count < 3:
            return self.reply(503, "busy") if count == 1 else self.reply(200, '{"choices":[{"text":')
        tokens = tokens_of(text)
        if "truncated" in text:
            tokens = tokens[:-3]
        if "other text" in text:
            tokens[-4] = (b"?!", *tokens[-4][1:])
        # One token more: the one that the server makes.
        texts = texts_of([t[0] for t in tokens]) + ["made"]
        numbers = [None, *(t[1] for t in tokens[1:]), -0.5]
        if "no number" in text:
            numbers[5] = None
        if "above" in text:
            tokens[5] = (tokens[5][0], 0.25 if "far above" in text else 9e-5, *tokens[5][2:])
            numbers[5] = tokens[5][1]
        listed = [None, *({str(t[2]): {"logprob": t[1], "rank": 3, "decoded_token": s}} for t, s in zip(tokens[1:], texts[1:]))]
        if "several" in text:
            listed[4]["7"] = {"logprob": -0.1, "rank": 1, "decoded_token": "x"}
        if "messages" in body:
            return self.reply(200, json.dumps({
                "choices": [{"index": 0, "message": {"role": "assistant", "content": "made"}, "logprobs": None}],
                "prompt_logprobs": None if "silent" in text else listed, "usage": {"prompt_tokens": len(tokens)}}))
        usage = {} if len(text) % 2 else {"usage": {"prompt_tokens": len(tokens)}}
        choice = {"index": 0, "text": "made", "finish_reason": "length"}
        if form != "listed" and "silent" not in text:
            choice["logprobs"] = {"tokens": texts, "token_logprobs": numbers, "top_logprobs": None}
        if form in ("listed", "both") and "silent" not in text:
            choice["prompt_logprobs"] = listed
        self.reply(200, json.dumps({"choices": [choice]} | usage))


class quiet_server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass  # by clients that were killed


http_server = quiet_server(("127.0.0.1", 0), server)
threading.Thread(target=http_server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{http_server.server_address[1]}/v1"


def run(*words, data=None, **variables):
    kept = {k: v for k, v in environment(**variables).items() if "proxy" not in k.lower()}
    template = [] if form == "chat" else ["--template", "chatml"]
    return subprocess.run([tool, "--endpoint", url, *template, *map(str, words)], input=data, capture_output=True,
                          env=kept, timeout=300)


rnd = random.Random(seed)


def pair(i, note=""):
    pieces = ["int ", "x", " = 1;\n", "\u00e9", "\u6f22\u5b57", "\U0001f600", "__global__ void k() {}\n", "\t", "\\x41"]
    response = "".join(rnd.choice(pieces) for _ in range(rnd.randrange(1, 30)))
    return {"id": f"r{i}", "prompt": f"Write {i} {note}\u00fc", "response": response, "big": 12345678901234567890}


def write(name, records):
    path = room / name
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


def rendered(record):
    return f"<|im_start|>user\n{record['prompt']}<|im_end|>\n{PROMPT_END}{record['response']}<|im_end|>\n"


def wanted(record):
    """The ends, confidences and ids by the server's own tokens."""
    text, tokens = rendered(record), tokens_of(rendered(record))
    first = len(text.encode()) - len((record["response"] + "<|im_end|>\n").encode())
    size, at, ends, values, ids, held = len(record["response"].encode()), 0, [], [], [], 0
    for i, (piece, number, token) in enumerate(tokens):
        begin, at = at, at + len(piece)
        reported = at
        if form == "late":  # the bytes of a character count with its last token
            reported = len(text.encode()[:at].decode(errors="ignore").encode())
        if begin >= first:
            ends.append(min(reported - first, size))
            values.append(math.exp(number))
            ids.append(token)
    return ends, values, ids


records = [pair(i) for i in range(40)]
path = write("pairs.jsonl", records)
for form in FORMS:
    done = run("--plain", "-q", "--concurrency=4", "--on-error=skip", "--rejects", room / "open.jsonl", path, CUSET_API_KEY="secret")
    got = [json.loads(line) for line in done.stdout.decode().split("\n")[:-1]]
    left_out = [json.loads(line)["id"] for line in (room / "open.jsonl").read_text().splitlines()]
    # U+FFFD for parts of characters may leave it open where a token ends, and then that is told.
    may_be_open = form in ("echo", "listed", "both", "chat")
    assert_that(f"{form}: exit code", done.returncode == (3 if left_out else 0) and len(left_out) <= (15 if may_be_open else 0), done.stderr.decode())
    reported = [line for line in done.stderr.decode().splitlines() if "pairs.jsonl:" in line]
    assert_that(f"{form}: told", all("leave open" in line for line in reported), reported)
    kept = [r for r in records if r["id"] not in left_out]
    assert_that(f"{form}: order", [r["id"] for r in got] == [r["id"] for r in kept], left_out)
    for r, record in zip(got, kept):
        ends, values, ids = wanted(record)
        score = r.pop("score")
        assert_that(f"{form}: the record", r == record, r)
        assert_that(f"{form}: ends", score["end"] == ends, record["id"], score["end"], ends)
        assert_that(f"{form}: confidences", len(score["confidence"]) == len(values)
                    and all(abs(a - b) <= 5.1e-6 * b for a, b in zip(score["confidence"], values)), record["id"])
        assert_that(f"{form}: ids", score.get("id") == (ids if form in ("listed", "both", "chat") else None), score)
        assert_that(f"{form}: model", score["model"] == "served")
assert_that("where", {h for h in headers} == {("/v1/completions", "Bearer secret"), ("/v1/chat/completions", "Bearer secret")}, set(headers))
talks = [b for b in bodies if "messages" in b]
assert_that("messages", len(talks) == 2 * len(records) and {(b["messages"][-1]["role"], b["add_generation_prompt"]) for b in talks}
            == {("user", True), ("assistant", False)} and all(b["prompt_logprobs"] == 0 and b["max_tokens"] == 1 and "echo" not in b for b in talks))
bodies = [b for b in bodies if "prompt" in b]
body = bodies[0]
assert_that("request", (body["model"], body["echo"], body["logprobs"], body["prompt_logprobs"], body["max_tokens"], body["add_special_tokens"],
                        body["temperature"]) == ("served", True, 1, 0, 1, False, 1), body)
assert_that("text", {b["prompt"] for b in bodies} == {rendered(r) for r in records})
assert_that("bytes", b"12345678901234567890" in run("--plain", "-q", path).stdout)
form = "bytes"


def bad(name, record, code, words, *options, **more):
    assert_exit(name, run("-q", *options, write("bad.jsonl", [records[0], record]), **more), code, *words)


bad("silent", pair(90, "silent"), 1, ["bad.jsonl:2: ", "no probabilities of the text's tokens", "/v1/completions"])
for note, word in (("truncated", "bytes before the text does"), ("truncated!", "where the text goes on with")):
    short = next(p for p in (pair(91, note) for _ in range(99)) if len(rendered(p)) % 2 == (note == "truncated!"))
    bad(note, short, 1, ["bad.jsonl:2: ", word])
bad("other text", pair(92, "other text"), 1, ["bad.jsonl:2: ", '"?!", where the text goes on with'])
bad("no number", pair(93, "no number"), 1, ["bad.jsonl:2: ", "no probability of token 6"])
bad("far above 0", pair(93, "far above 0"), 1, ["bad.jsonl:2: ", "log-probability of token 6 is above 0: 0.25"])
assert_exit("above 0 by rounding", run("-q", write("rounded.jsonl", [pair(93, "above 0")])), 0)
bad("too long", pair(94, "too long"), 1, ["bad.jsonl:2: ", "more than 4096 tokens"])
bad("forbidden", pair(95, "forbidden"), 1, ["no such key", "CUSET_API_KEY"])
bad("forbidden with a key", pair(95, "forbidden"), 1, ["no such key", "the key that was sent is refused"], CUSET_API_KEY="secret")
# A server that refuses a key is no bad record: nothing is skipped.
bad("forbidden and skipped", pair(95, "forbidden"), 1, ["no such key"], "--on-error=skip", "--rejects", room / "rejects")
form = "listed"
records[0] = {"id": "plain", "prompt": "Write it", "response": "int x = 1;\nint y = 2;\n"}
bad("far above 0, listed", pair(93, "far above 0"), 1, ["bad.jsonl:2: ", "log-probability of token 6 is above 0: 0.25"])
bad("several", pair(96, "several"), 1, ["bad.jsonl:2: ", "2 tokens at one place: which one is the text's is not told"])
form = "bytes"
boundary_is_kept = False
crossing = pair(97)
while any(a < len(rendered(crossing).encode()) - len((crossing["response"] + "<|im_end|>\n").encode()) < b for a, b in
          ((sum(len(t[0]) for t in tokens_of(rendered(crossing))[:i]), sum(len(t[0]) for t in tokens_of(rendered(crossing))[:i + 1]))
           for i in range(len(tokens_of(rendered(crossing)))))) is False:
    crossing = pair(rnd.randrange(10**6))
assert_exit("crossing", run("-q", write("crossing.jsonl", [crossing])), 1, "crossing.jsonl:1: ", "crosses from the prompt into the response")
form = "chat"
assert_exit("crossing messages", run("-q", write("crossing.jsonl", [crossing])), 1, "crossing.jsonl:1: ", "a token crosses from the prompt")
boundary_is_kept = True
bad("silent messages", pair(90, "silent"), 1, ["bad.jsonl:2: ", "no probabilities of the text's tokens", "/v1/chat/completions"])
bad("other messages", pair(92, "other text"), 1, ["bad.jsonl:2: ", '"?!", where the text goes on with'])
form = "bytes"

mixed = write("mixed.jsonl", [records[0], pair(91, "truncated"), pair(98, "busy")])
done = run("--plain", "-q", "--on-error=skip", "--rejects", room / "rejects", mixed)
assert_that("skipped", done.returncode == 3 and [json.loads(line)["id"] for line in done.stdout.decode().split("\n")[:-1]] == [records[0]["id"], "r98"]
            and (room / "rejects").read_text() == mixed.read_text().splitlines()[1] + "\n", done)
assert_exit("out of attempts", run("-q", "--attempts=1", write("busy.jsonl", [pair(99, "busy")])), 1, "busy.jsonl:1: ", "after 1 attempt")

# --body, for servers that refuse what they do not know; and its place in --resume.
run("-q", "--body", '{"prompt_logprobs":null,"add_special_tokens":null,"user":"me"}', "--model", "mine", path)
assert_that("body", bodies[-1]["user"] == "me" and not {"prompt_logprobs", "add_special_tokens"} & set(bodies[-1])
            and bodies[-1]["model"] == "mine", bodies[-1])
for member in ("echo", "logprobs", "prompt", "model", "n", "stream"):
    assert_exit(f"kept {member}", run("-q", "--body", json.dumps({member: 1}), path), 2, f'--body: "{member}" cannot be changed')

# Killed and continued: each pair is asked once, and the output is that of a run without a break.
form = "bytes"
many = write("many.jsonl", [pair(i, "many") for i in range(60)])
whole = run("--plain", "-q", many).stdout
kept = room / "kept.jsonl"
asked.clear()
for lines in (5, 20, 33):
    process = subprocess.Popen([tool, "--endpoint", url, "--template", "chatml", "-q", "--concurrency=3", "--resume", kept, many],
                               stdout=subprocess.DEVNULL)
    kill_at(lines, kept, process)
made = kept.read_bytes().count(b"\n")
asked.clear()
done = run("--plain", "-q", "--resume", kept, many)
assert_that("the same output", done.returncode == 0 and done.stdout == whole, done.stderr)
assert_that("nothing asked twice", 0 < made and sum(asked.values()) == 60 - made, made, sum(asked.values()))
asked.clear()
run("-q", "--resume", kept, "--body", '{"user":"me"}', many)
assert_that("another body is asked anew", len(asked) == 60, len(asked))
(room / "no.jsonl").write_text('{"key":"x"}\n')
assert_exit("no log", run("-q", "--resume", room / "no.jsonl", many), 1, "no.jsonl:1: no score of cuset-score --endpoint")

# Several servers, one of which refuses connections: it is named once, although the records come in several batches.
other = quiet_server(("127.0.0.1", 0), server)
threading.Thread(target=other.serve_forever, daemon=True).start()
refusing = socket.socket()
refusing.bind(("127.0.0.1", 0))
both = [f"127.0.0.1:{s.server_address[1]}" for s in (http_server, other)]
nobody = f"127.0.0.1:{refusing.getsockname()[1]}"
big = write("big.jsonl", [pair(i, "much " * 10000) | {"response": "int x = 1;\n" * (i + 1)} for i in range(16)])
for form in ("bytes", "chat"):
    alone = run("--plain", "-q", big)
    hosts.clear()
    done = run("--plain", "-q", "--endpoint", ",".join(f"http://{h}/v1" for h in (nobody, *both)), "--concurrency=1", big)
    assert_that(f"{form}: as of one server", done.returncode == 0 and done.stdout == alone.stdout and alone.stdout, done.stderr)
    assert_that(f"{form}: one warning", done.stderr.count(b"\n") == 1 and nobody.encode() in done.stderr, done.stderr)
    assert_that(f"{form}: both are used", set(hosts) == set(both) and len(hosts) == (16 if form == "bytes" else 32), hosts)
form = "bytes"

# What a server decides.
plain = {k: v for k, v in environment().items() if "proxy" not in k.lower()}
for options in (["--dtype=f32"], ["--device=cpu"], ["--max-tokens=100"], ["--adapter", room]):
    assert_exit(options[0], run(*options, path), 2, "with --endpoint: the server decides")
assert_exit("resume alone", subprocess.run([tool, "--resume", kept, path], capture_output=True, env=plain), 2, "--resume goes with --endpoint")
assert_exit("no URL", subprocess.run([tool, "--endpoint=nowhere", "--template=chatml", path], capture_output=True, env=plain), 2, "nowhere")
http_server.shutdown()
