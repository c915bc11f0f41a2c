"""This runs cuset-sample --endpoint against a server with faults. The tool gets every answer that
can be had, in order, once; it reports those that cannot be had and loses nothing."""

import collections
import http.server
import json
import subprocess
import threading
import time

from _tool import assert_exit, assert_that, built, environment, kill_at, room

tool = built("cuset-sample")
asked = collections.Counter()  # by prompt and seed
bodies, headers = [], []
busy = 0
most_busy = 0
lock = threading.Lock()


class server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, code, text, **more):
        data = text.encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        for key, value in more.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.reply(200, '{"data":[{"id":"served"}]}')

    def do_POST(self):
        global busy, most_busy
        with lock:
            busy += 1
            most_busy = max(most_busy, busy)
        try:
            self.answer()
        finally:
            with lock:
                busy -= 1

    def answer(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        with lock:
            bodies.append(body)
            headers.append(dict(self.headers))
            asked[prompt, body["seed"]] += 1
            count = asked[prompt, body["seed"]]
            number = len(bodies)
        time.sleep(0.02 * (number % 3))
        if "never" in prompt:
            return self.reply(400, '{"error":{"message":"the prompt is too long"}}')
        if "forbidden" in prompt:
            return self.reply(401, '{"error":{"message":"no such key"}}')
        if prompt.startswith("think "):
            text, members = thinking[prompt[6:]]
            message = members if text is ... else {"content": text} | members
            place = list(thinking).index(prompt[6:])
            end = {"finish_reason": "odd"} if place % 2 else {"finish_reason": None} if place else {}
            return self.reply(200, json.dumps({"choices": [{"message": message} | end]}))
        if "faulty" in prompt and count < 4:
            fault = (len(prompt) + count) % 4
            if fault == 0:
                return self.reply(429, "busy", Retry_After="0")
            if fault == 1:
                return self.reply(500, "oh")
            if fault == 2:
                return self.reply(200, '{"choices":[{"mess')
            self.close_connection = True
            return None  # hangs up
        self.reply(200, json.dumps({
            "choices": [{"message": {"role": "assistant", "content": f"{prompt}/{body['seed']}"},
                         "finish_reason": "length" if number % 2 else "stop"}],
            "usage": {"completion_tokens": 7}}))


class quiet_server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass  # by clients that were killed


http_server = quiet_server(("127.0.0.1", 0), server)
threading.Thread(target=http_server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{http_server.server_address[1]}/v1"


def command(*words):
    return [tool, "--endpoint", url, *map(str, words)]


def run(*words, data=None, **variables):
    kept = {k: v for k, v in environment(**variables).items() if "proxy" not in k.lower()}
    return subprocess.run(command(*words), input=data, capture_output=True, env=kept, timeout=300)


def write(name, prompts, **more):
    path = room / name
    path.write_text("".join(json.dumps({"id": i, "prompt": p, **more}) + "\n"
                            for i, p in enumerate(prompts)))
    return path


prompts = [f"faulty {'x' * i}" if i % 2 else f"good {i}" for i in range(8)]
path = write("tasks.jsonl", prompts)
done = run("--plain", "-n2", "--concurrency=4", "--temperature=0.25", "--top-p=0.5", "--max-new-tokens=77",
           path, CUSET_API_KEY="secret")
assert_that("exit code", done.returncode == 0, done.stderr.decode())
records = [json.loads(line) for line in done.stdout.decode().split("\n")[:-1]]
assert_that("order", [(r["task"], r["sample"]) for r in records] == [(i, s) for i in range(8) for s in range(2)])
for r in records:
    assert_that("answers", r["response"].startswith(prompts[r["task"]] + "/") and r["tokens"] == 7
                and r["model"] == "served", r)
assert_that("seeds", len({r["response"] for r in records}) == 16)
assert_that("tried again", all(n == (4 if "faulty" in p else 1) for (p, _), n in asked.items()), asked)
assert_that("bound", 2 <= most_busy <= 4, most_busy)
body = bodies[0]
assert_that("request", (body["model"], body["temperature"], body["top_p"], body["max_tokens"])
            == ("served", 0.25, 0.5, 77), body)
assert_that("key", all(h.get("Authorization") == "Bearer secret" for h in headers), headers[0])
assert_that("no secret told", b"secret" not in done.stderr + done.stdout)
(room / "system").write_text("Be brief.")
run("-q", "--model=mine", "--key-variable=MY_KEY", "--system", room / "system", write("one.jsonl", ["good"]),
    MY_KEY="other")
assert_that("system, model and key", bodies[-1]["messages"] == [
    {"role": "system", "content": "Be brief."}, {"role": "user", "content": "good"}]
            and bodies[-1]["model"] == "mine" and headers[-1]["Authorization"] == "Bearer other", bodies[-1])

# Killed and continued: every answer once, in order.
many = write("many.jsonl", [f"good {i}" for i in range(40)])
asked.clear()
log = room / "kept.jsonl"
for lines in (5, 20, 33):
    process = subprocess.Popen(command("-n2", "-q", "--concurrency=3", "--resume", log, many),
                               stdout=subprocess.DEVNULL)
    kill_at(lines, log, process)
made = {(r["task"], r["sample"]) for r in map(json.loads, log.read_text().split("\n")[:-1])}
asked.clear()
done = run("--plain", "-q", "-n2", "--concurrency=3", "--resume", log, many)
records = [json.loads(line) for line in done.stdout.decode().split("\n")[:-1]]
assert_that("gone on", [(r["task"], r["sample"]) for r in records] == [(i, s) for i in range(40) for s in range(2)],
            done.stderr)
assert_that("nothing asked twice", 0 < len(made) < 80 and sum(asked.values()) == 80 - len(made),
            len(made), sum(asked.values()))


def bad(name, code, words, *options, **more):
    assert_exit(name, run("-q", *options, **more), code, *words)


mixed = write("mixed.jsonl", ["good 0", "never", "good 2"])
bad("refused", 1, ["mixed.jsonl:2:", "the prompt is too long"], mixed)
done = run("--plain", "-q", "-n2", "--on-error=skip", "--rejects", room / "rejects", mixed)
assert_that("refused and skipped", done.returncode == 3
            and [json.loads(line)["task"] for line in done.stdout.decode().split("\n")[:-1]] == [0, 0, 2, 2]
            and (room / "rejects").read_text() == mixed.read_text().splitlines()[1] + "\n"
            and b"1 of 3 records rejected" in done.stderr, done)
bad("forbidden", 1, ["no such key"], write("forbidden.jsonl", ["forbidden"]), CUSET_API_KEY="secret")
bad("out of attempts", 1, ["faulty.jsonl:1:"], "--attempts=2", write("faulty.jsonl", ["faulty again"]))
mixed = write("hopeless.jsonl", ["good 0", "faulty hopeless", "good 2"])
done = run("--plain", "-q", "--attempts=2", "--on-error=skip", "--rejects", room / "rejects", mixed)
assert_that("out of attempts and skipped", done.returncode == 3
            and [json.loads(line)["task"] for line in done.stdout.decode().split("\n")[:-1]] == [0, 2], done)
run("-q", "--top-k=40", write("one.jsonl", ["good"]))
assert_that("top-k", bodies[-1]["top_k"] == 40 and "top_k" not in body, bodies[-1])

# --body: theirs for ours, null for nothing, and what is new.
one = write("one.jsonl", ["good"])
run("-q", "--body", json.dumps({"max_completion_tokens": 99, "temperature": 0.125, "reasoning_effort": "low",
                                "chat_template_kwargs": {"enable_thinking": False, "n": [1, "\u00fc"]}, "top_p": None}),
    "--temperature=1", "--top-p=0.5", one)
got = bodies[-1]
assert_that("merged", got["max_completion_tokens"] == 99 and got["temperature"] == 0.125 and got["reasoning_effort"] == "low"
            and got["chat_template_kwargs"] == {"enable_thinking": False, "n": [1, "\u00fc"]}
            and not {"max_tokens", "top_p"} & set(got) and got["stream"] is False and "seed" in got, got)
for fields in ({"max_tokens": None}, {}):
    run("-q", "--max-new-tokens=5", "--body", json.dumps({"seed": 7} | fields), one)
    got = bodies[-1]
    assert_that("removed", got["seed"] == 7 and got.get("max_tokens") == (None if fields else 5) and "max_completion_tokens" not in got, got)
run("-q", "--body", '{"temperature":0.1,"temperature":0.2}', one)
assert_that("the last of two", bodies[-1]["temperature"] == 0.2, bodies[-1])
for member in ("messages", "model", "n", "stream"):
    bad(f"kept {member}", 2, ["--body: ", f'"{member}" cannot be changed'], "--body", json.dumps({member: None}), one)
for text, word in (("{", "no JSON object"), ("[1]", "no JSON object"), ('{"a":1} 2', "no JSON object"), ("max_tokens=3", "no JSON object")):
    count = len(bodies)
    bad(f"body {text}", 2, ["--body: ", word], "--body", text, one)
    assert_that("nothing is asked", len(bodies) == count)
assert_exit("body without a server", subprocess.run([tool, "--body", "{}", str(one)], capture_output=True, env=environment()),
            2, "--body goes with --endpoint")
# It is one of the settings that an answer depends on.
log = room / "body.jsonl"
first = run("-q", "--plain", "--resume", log, "--body", '{"reasoning_effort":"low"}', one)
count = len(bodies)
again = run("-q", "--plain", "--resume", log, "--body", ' { "reasoning_effort" : "low" } ', one)
assert_that("the same body", again.stdout == first.stdout and first.stdout and len(bodies) == count, again)
for other in ('{"reasoning_effort":"high"}', "{}"):
    bad("another body", 2, ["was made by another model, prompt or setting"], "--resume", log, "--body", other, one)

talk = subprocess.Popen(command("--plain", "-q", "--concurrency=4"), stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE)
for i in range(3):
    talk.stdin.write((json.dumps({"id": i, "prompt": f"good {i}"}) + "\n").encode())
    talk.stdin.flush()
    assert_that("a conversation", json.loads(talk.stdout.readline())["task"] == i)
talk.stdin.close()
assert_that("a conversation", talk.wait() == 0)
bad("no URL", 2, ["nowhere"], "--endpoint=nowhere", path)
bad("nobody there", 1, ["127.0.0.1"], "--endpoint=http://127.0.0.1:9/v1", "--attempts=1", path)

# Conversations: several turns as they are, and the keys of one turn are those of version 0.2.0.
def conversation(*turns):
    return {"id": len(turns), "messages": [{"role": r, "content": c} for r, c in turns]}


turns = [("system", "Be brief."), ("user", "good"), ("assistant", "<think>a</think>\nb"), ("user", ""), ("assistant", ""),
         ("user", "good \u00fc\n")]
done = run("-q", "--plain", "--model=served", "--concurrency=1", data="".join(
    json.dumps(t) + "\n" for t in ({"id": 1, "prompt": "good"}, conversation(*turns[:2]), conversation(*turns))).encode())
assert_that("several turns", [b["messages"] for b in bodies[-3:]] == [
    [{"role": "user", "content": "good"}], conversation(*turns[:2])["messages"], conversation(*turns)["messages"]],
            bodies[-3:], done.stderr)
keys = [json.loads(line)["key"] for line in done.stdout.splitlines()]
assert_that("keys of 0.2.0", keys[:2] == ["3f92dcd99888b0ce", "9512554a9c2e5dca"] and len(set(keys)) == 3, keys)
count = len(bodies)
for turns, word in (((("user", "a"), ("tool", "b"), ("user", "c")), 'role "tool"'),
                    ((("user", "a"), ("system", "b"), ("user", "c")), "not the first")):
    bad(f"turns of {turns}", 1, ["standard input:1:", word], data=json.dumps(conversation(*turns)).encode())
assert_that("nothing is asked", len(bodies) == count)

# What the model thought has a place of its own, and --resume passes it on.
thinking = {"content": ("b", {}), "reasoning_content": ("b", {"reasoning_content": "\u00fc\n```cuda\nint a;\n```"}),
            "reasoning": ("b", {"reasoning": "hm"}), "null content": (None, {"reasoning": "hm"}),
            "no content": (..., {"reasoning_content": "hm"}), "both": ("b", {"reasoning_content": None, "reasoning": "hm"}),
            "empty": ("b", {"reasoning_content": ""})}
path, log = write("thinking.jsonl", [f"think {name}" for name in thinking]), room / "thought.jsonl"
first = run("--plain", "-q", "--resume", log, path)
records = [json.loads(line) for line in first.stdout.splitlines()]
for (name, (text, members)), r in zip(thinking.items(), records, strict=True):
    wanted = next((t for t in members.values() if t), None)
    assert_that(f"thought: {name}", r["response"] == ("b" if text == "b" else "") and r.get("thought") == wanted
                and ("thought" in r) == (wanted is not None) and list(r)[2:4] ==
                ["response", "tokens" if wanted is None else "thought"], r)
assert_that("no word of an end", [r["finish"] for r in records] == ["", "odd", "", "odd", "", "odd", ""], records)
count = len(bodies)
again = run("--plain", "-q", "--resume", log, path)
assert_that("thoughts are passed on", again.stdout == first.stdout and len(bodies) == count and
            sorted(log.read_bytes().splitlines()) == sorted(first.stdout.splitlines()), again)
http_server.shutdown()
