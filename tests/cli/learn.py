"""One step of learning from verdicts, as a pipe: answers of a model, verdicts, rewards with advantages, pairs, an adapter
(--objective grpo). The tools' records have to fit each other; what each computes is tested elsewhere."""

import json
import subprocess
import sys

import _host_runtime
import _tasks
import _tiny_model as tiny
from _tool import assert_equal, assert_exit, assert_that, built, case, environment, json_lines, room

sample, evaluate, reward, curate, train = (built(f"cuset-{name}") for name in ("sample", "eval", "reward", "curate", "train"))
model = tiny.write(room / "model")
tasks = room / "tasks.jsonl"
tasks.write_bytes(json_lines([_tasks.scaling(i) for i in range(2)]))
_host_runtime.seed(room / "cache")
variables = environment(XDG_CACHE_HOME=room / "cache")


def run(tool, *words, data=b""):
    return subprocess.run([tool, *map(str, words)], input=data, capture_output=True, env=variables, cwd=room, check=False)


chat = ("--model", model, "--template=chatml", "--device=cpu", "-t1", "-q")
sampled = run(sample, *chat, "-n", 3, "--confidence", "--max-new-tokens=12", "--plain", tasks)
assert_exit("sampling", sampled, 0)
judged = run(evaluate, "-q", "--compile-only", "--backend", "host", "--tasks", tasks, "--verdicts", room / "v.jsonl",
             data=sampled.stdout)
if not (room / "v.jsonl").exists() or not (room / "v.jsonl").read_bytes():
    print("no judge here, so no verdicts:", judged.stderr.decode())
    sys.exit(77)

case("rewards, pairs and a step")
# A random model's answers hold no program. What sets them apart is how long they are.
rewarded = run(reward, "--plain", "--verdicts", room / "v.jsonl", "--reward", "correct - 0.01*tokens + 0.1*truncated",
               "--scale", "none", data=sampled.stdout)
assert_exit("rewards", rewarded, 0)
pairs = run(curate, "--plain", "-q", "--tasks", tasks, "--duplicates", "none", data=rewarded.stdout)
assert_exit("pairs", pairs, 0)
records = [json.loads(line) for line in pairs.stdout.splitlines()]
for pair, answer in zip(records, map(json.loads, rewarded.stdout.splitlines()), strict=True):
    assert_equal("what comes along", [pair[k] for k in ("task", "sample", "response", "score", "finish", "advantage", "reward")],
                 [answer[k] for k in ("task", "sample", "response", "score", "finish", "advantage", "reward")])
    assert_that("the prompt", "Scale_" in pair["prompt"], pair["id"])
(room / "pairs.jsonl").write_bytes(pairs.stdout)
done = run(train, *chat, "--objective=grpo", "--keep-truncated", "--epochs=1", "--no-shuffle", "--batch=6", "--dropout=0",
           "--lr=0.01", "-o", room / "adapter", room / "pairs.jsonl")
assert_exit("a step", done, 0)
steps = [json.loads(line) for line in (room / "adapter" / "trainer_log.jsonl").read_text().splitlines()]
# The model that drew the answers is the one that learns. Kept probabilities have six digits.
assert_that("on-policy", abs(steps[0]["ratio"] - 1) < 1e-4 and steps[0]["clip_share"] == 0, steps[0])
assert_that("an adapter", (room / "adapter" / "adapter_model.safetensors").exists())

case("what was drawn with another temperature is refused")
colder = run(sample, *chat, "--temperature=0.5", "--confidence", "--max-new-tokens=12", "--plain", tasks)
assert_exit("sampling", colder, 0)
answers = [json.loads(line) | {"prompt": "Scale.", "advantage": 1} for line in colder.stdout.splitlines()]
(room / "colder.jsonl").write_bytes(json_lines(answers))
done = run(train, *chat, "--objective=grpo", "-o", room / "none", room / "colder.jsonl")
assert_exit("training", done, 1, '"score.temperature" is 0.5')
