"""lib/endpoint asks a real server: the answers of `transformers serve` at temperature 0 are those
that transformers itself generates greedily."""

import ctypes
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils.import_utils import is_serve_available
import torch

DRIVER = os.path.join(os.environ["CUSET_BUILD"], "tests", "endpoint_dump")
MODEL = pathlib.Path(os.environ["CUSET_DEPS"]) / "models" / "SmolLM2-135M-Instruct"
NAME = "cuset/smollm2"
KEY = "sk-oracle-4711"
REQUESTS = [
    {"system": "", "prompt": "What is the capital of France?", "max_tokens": 16},
    {"system": "You write CUDA.", "prompt": "A kernel that adds two vectors.", "max_tokens": 20},
    {"system": "", "prompt": "Say \"caf\u00e9 \u00fcber \U0001f600\"\n\ttwice.", "max_tokens": 12},
    {"system": "Answer with one word.", "prompt": "Is water wet?", "max_tokens": 16},
    {"system": "", "prompt": "Write __global__ void f(float* x) {", "max_tokens": 1},
]


def cache_with_model(home):
    """A Hugging Face cache that holds the model by name, so that the server lists it."""
    repository = home / "hub" / ("models--" + NAME.replace("/", "--"))
    snapshot = repository / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0" * 40)
    for file in MODEL.iterdir():
        if file.name != ".stamp":
            (snapshot / file.name).symlink_to(file.resolve())


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def start(home, port, log):
    environment = {**os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1"}
    environment.pop("HF_HUB_CACHE", None)
    code = "import sys; from transformers.cli.transformers import main; sys.exit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", code, "serve", NAME, "--host", "127.0.0.1", "--port", str(port),
         "--device", "cpu", "--dtype", "float32"],
        env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        preexec_fn=end_with_parent)


def wait_for(server, url, seconds):
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + seconds
    while time.monotonic() < until and server.poll() is None:
        try:
            with direct.open(url, timeout=10):
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    return False


def ask(url, requests, *options):
    """Exit code, answers by number, stderr."""
    run = subprocess.run([DRIVER, url, *options], text=True, capture_output=True,
                         input="".join(json.dumps(request) + "\n" for request in requests),
                         env={**os.environ, "no_proxy": "*", "NO_PROXY": "*"})
    assert KEY not in run.stdout + run.stderr
    answers = {}
    for line in run.stdout.splitlines():
        answer = json.loads(line)
        assert answer["number"] not in answers
        answers[answer.pop("number")] = answer
    return run.returncode, answers, run.stderr.strip()


def expected():
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    model = AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32)
    for request in REQUESTS:
        messages = [{"role": "user", "content": request["prompt"]}]
        if request["system"]:
            messages.insert(0, {"role": "system", "content": request["system"]})
        prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True,
                                               return_tensors="pt", return_dict=True)
        with torch.inference_mode():
            ids = model.generate(**prompt, do_sample=False, max_new_tokens=request["max_tokens"])
        ids = ids[0, prompt["input_ids"].shape[1]:]
        yield {"text": tokenizer.decode(ids, skip_special_tokens=True), "tokens": len(ids),
               "finish": "length" if len(ids) >= request["max_tokens"] else "stop"}


def compare(url):
    truth = dict(enumerate(expected()))
    assert {answer["finish"] for answer in truth.values()} == {"length", "stop"}, truth
    for count, *options in (len(REQUESTS), "--concurrency", "3"), (1, "--model", NAME, "--key", KEY, "--concurrency", "1"):
        code, answers, said = ask(url + "/v1", REQUESTS[:count], *options)
        assert code == 0 and said == NAME, (code, said)
        assert answers == {i: truth[i] for i in range(count)}, f"{options}: {answers}\nare not {truth}"
    # A model that the server does not serve, and a path that it does not have.
    code, answers, said = ask(url + "/v1", REQUESTS[:2], "--model", "other", "--key", KEY)
    assert code == 0 and len(answers) == 2, (code, said)
    for answer in answers.values():
        assert "answers 400: Server is pinned to" in answer["error"], answer
    code, answers, said = ask(url + "/v2", REQUESTS, "--model", NAME)
    assert code == 1 and not answers and said.endswith("answers 404: Not Found"), (code, said)
    code, _, said = ask(url + "/v2", REQUESTS)
    assert code == 1 and "/v2/models answers 404: Not Found" in said, (code, said)
    return truth


def main():
    if not is_serve_available():
        print("skipped: the oracle environment lacks fastapi, uvicorn or openai (`transformers serve`)")
        return 77
    if not os.path.exists(DRIVER) or not MODEL.exists():
        print(f"skipped: no {DRIVER if MODEL.exists() else MODEL}")
        return 77
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/log", "w+") as log:
        cache_with_model(pathlib.Path(folder))
        server = start(pathlib.Path(folder), port, log)
        good = False
        try:
            assert wait_for(server, url + "/health", 600), "the server does not start"
            truth = compare(url)
            good = True
        finally:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()
            if not good:
                log.seek(0)
                print(log.read()[-6000:], file=sys.stderr)
    code, answers, _ = ask(url + "/v1", REQUESTS[:1], "--model", NAME, "--attempts", "2")
    assert code == 0 and "(after 2 attempts)" in answers[0]["error"], answers
    print(f"{len(truth)} answers as transformers generates them, e.g. {truth[0]['text']!r}")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
