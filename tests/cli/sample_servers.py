"""This runs cuset-sample --endpoint against several servers, some of them bad. Every answer is there once, in
order, each server that can answer is used, and one warning names each that cannot."""

import collections
import http.server
import json
import re
import signal
import socket
import subprocess
import threading
import time

from _tool import assert_equal, assert_exit, assert_that, built, case, environment, room, wait_for

tool = built("cuset-sample")


class fake(http.server.ThreadingHTTPServer):
    """A server whose reply to the request of a number (from 0) is behave(number, prompt): a text, a status code, or
    None, with which it hangs up."""

    daemon_threads = True

    def __init__(self, behave):
        super().__init__(("127.0.0.1", 0), handler)
        self.behave, self.seen, self.answered, self.lock = behave, [], 0, threading.Lock()
        self.names = 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass

    def refuse(self):
        """From now on nobody can connect."""
        self.shutdown()
        self.server_close()


class handler(http.server.BaseHTTPRequestHandler):
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
        self.server.names += 1
        self.reply(200, '{"data":[{"id":"served"}]}')

    def do_POST(self):
        prompt = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][-1]["content"]
        with self.server.lock:
            number = len(self.server.seen)
            self.server.seen.append(prompt)
        said = self.server.behave(number, prompt)
        if said is None:
            self.close_connection = True
        elif isinstance(said, int):
            self.reply(said, '{"error":{"message":"no such thing"}}')
        else:
            self.reply(200, json.dumps({"choices": [{"message": {"content": said}, "finish_reason": "stop"}]}))
            with self.server.lock:
                self.server.answered += 1


def good(_, prompt):
    return f"to {prompt}"


def refusing():
    """A URL to which nobody can connect. The socket keeps its port: nobody listens."""
    kept = socket.socket()
    kept.bind(("127.0.0.1", 0))
    sockets.append(kept)
    return f"http://127.0.0.1:{kept.getsockname()[1]}/v1"


sockets = []


def command(urls, *words):
    return [tool, "--plain", "--endpoint", ",".join(urls), *map(str, words)]


def variables(**more):
    return {k: v for k, v in environment(**more).items() if "proxy" not in k.lower()}


def run(urls, *words, **more):
    return subprocess.run(command(urls, *words), capture_output=True, env=variables(**more), timeout=500)


def write(name, prompts):
    path = room / name
    path.write_text("".join(json.dumps({"id": i, "prompt": p}) + "\n" for i, p in enumerate(prompts)))
    return path


def warnings(done):
    """How often a warning names each server, by its port."""
    return collections.Counter(re.search(r"127\.0\.0\.1:(\d+)", line)[1] for line in done.stderr.decode().splitlines()
                               if "the other servers take its requests" in line)


def port(url):
    return re.search(r":(\d+)/", url)[1]


def assert_all(done, prompts, bad=()):
    assert_equal("exit code", done.returncode, 0)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert_that("each once, in order", [(r["task"], r["response"]) for r in records] ==
                [(i, f"to {p}") for i, p in enumerate(prompts)], records, done.stderr.decode())
    assert_that("each bad server is named once", warnings(done) == {port(url): 1 for url in bad}, done.stderr.decode())


tasks = [f"task {i}" for i in range(30)]
path = write("tasks.jsonl", tasks)

case("two that answer")
servers = [fake(good), fake(good)]
done = run([s.url for s in servers], path)
assert_all(done, tasks)
assert_equal("spread", sum(len(s.seen) for s in servers), 30)
assert_that("both are used", all(s.seen for s in servers))
assert_that("both are told of", f"served at {servers[0].url}, {servers[1].url}".encode() in done.stderr, done.stderr)
alone = run([servers[0].url], path)
assert_equal("the same output as of one", done.stdout, alone.stdout)
assert_equal("one is asked for the model", [s.names for s in servers], [2, 0])

case("a slow one")
# It answers when the other has answered all that it can get.
quick = fake(good)
slow = fake(lambda _, prompt: wait_for("the other", lambda: quick.answered >= 28, 200) or f"to {prompt}")
assert_all(run([slow.url, quick.url], "-q", "--concurrency=2", path), tasks)
assert_equal("its share", (len(slow.seen), len(quick.seen)), (2, 28))

case("one that refuses connections")
servers = [fake(good), fake(good)]
nobody = refusing()
assert_all(run([nobody, servers[0].url, servers[1].url], "-q", "--concurrency=2", path), tasks, [nobody])
assert_that("the others are used", all(len(s.seen) > 5 for s in servers), servers)

case("one that dies midway")
dead = threading.Event()


def dies(number, prompt):
    if number < 4:
        return f"to {prompt}"
    if not dead.is_set():
        dead.set()
        dying.refuse()
    return None


dying, rest = fake(dies), fake(lambda _, prompt: dead.wait(200) and f"to {prompt}")
assert_all(run([dying.url, rest.url], "-q", "--concurrency=3", "--attempts=2", path), tasks, [dying.url])
assert_that("both are used", dying.answered == 4 and rest.answered == 26, dying.seen, rest.seen)

case("one that always fails")
for code in (500, 404, 401):
    failing, right = fake(lambda *_: code), fake(good)
    assert_all(run([failing.url, right.url], "-q", "--concurrency=2", "--attempts=1", path), tasks, [failing.url])
    assert_that(f"{code}: it is asked no more", 1 <= len(failing.seen) <= 2, failing.seen)
    assert_equal(f"{code}: the other answers", len(right.seen), 30)

case("all kinds at once")
right = fake(good)
bad = [refusing(), fake(lambda *_: 500).url, fake(lambda *_: None).url, fake(lambda *_: 404).url]
assert_all(run([*bad, right.url], "-q", path), tasks, bad)

case("none that is left")
gone = [fake(lambda *_: 404), fake(lambda *_: 403)]
done = run([s.url for s in gone], "-q", path)
assert_that("the last one's error", done.returncode == 1 and re.search(rb"answers 40[34]: no such thing", done.stderr)
            and not done.stdout and sum(warnings(done).values()) == 1, done)
done = run([refusing(), refusing()], "-q", "--model=m", "--attempts=1", path)
assert_that("nobody there", done.returncode == 1 and not done.stdout and done.stderr.count(b"\n") == 2, done)
bad = refusing()
assert_exit("no name of a model", run([bad, bad.replace("/v1", "/v2")], "-q", "--attempts=1", path), 1, "(after 1 attempt)")

case("a request that nobody answers")
# It costs no server, and its record is the only one that is lost.
servers = [fake(lambda _, prompt: 500 if prompt == "task 3" else f"to {prompt}") for _ in range(2)]
done = run([s.url for s in servers], "--attempts=2", "--concurrency=1", "--on-error=skip", "--rejects", room / "rejects", path)
assert_that("one is rejected", done.returncode == 3 and [json.loads(line)["task"] for line in done.stdout.splitlines()]
            == [i for i in range(30) if i != 3] and b"(after 4 attempts)" in done.stderr, done)
assert_equal("it is tried at each", [s.seen.count("task 3") for s in servers], [2, 2])
assert_that("both are used to the end", all(len(s.seen) > 8 for s in servers), servers)

case("a limit of requests")
server = fake(good)
done = run([server.url], "-q", "--requests-per-minute=100000", path)
assert_all(done, tasks)
server = fake(good)
assert_all(run([server.url], "-q", "--requests-per-minute=3000", path), tasks)
assert_that("the oldest is sent first", all(server.seen.index(f"task {i}") < 20 for i in range(8)), server.seen)
log, server = room / "kept.jsonl", fake(good)
begin = time.monotonic()
process = subprocess.Popen(command([server.url], "-q", "--requests-per-minute=1", "--resume", log, path), env=variables(),
                           stdout=subprocess.DEVNULL)
wait_for("an answer", lambda: log.exists() and log.read_bytes().count(b"\n") == 1)
seen = len(server.seen)
process.send_signal(signal.SIGTERM)
assert_equal("the wait can be interrupted", process.wait(), -signal.SIGTERM)
if time.monotonic() - begin < 50:  # else the next one may have been due
    assert_equal("no second one in this minute", (seen, len(server.seen)), (1, 1))

case("the command line")
assert_exit("twice", run([server.url, server.url + "/"], path), 2, "is named twice")
assert_exit("no second URL", run([server.url, "http://"], path), 2, "the server's URL")
assert_exit("without a server", subprocess.run([tool, "--requests-per-minute=1", path], capture_output=True, env=variables()),
            2, "--requests-per-minute goes with --endpoint")
