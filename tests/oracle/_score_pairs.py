"""This compares cuset-score end to end with transformers, on a real model, for the pairs of
score_pairs.py and score_pairs_shared.py.

Ids and byte offsets must be identical, and f32 confidences within 1e-4. bf16 may be at most 1.5
times as far from the f32 values as transformers' own bf16, since both have rounding noise, but not
the same noise.
"""

import json
import os
import pathlib
import subprocess
import sys

source = pathlib.Path(os.environ["CUSET_SOURCE"])
score = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-score"
model_folder = pathlib.Path(os.environ["CUSET_DEPS"]) / "models" / "SmolLM2-135M-Instruct"
for needed in (score, model_folder / "tokenizer.json"):
    if not needed.exists():
        print(f"skipped: {needed} is absent")
        sys.exit(77)

import torch  # noqa: E402
import transformers  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

torch.set_num_threads(2)
max_tokens = 1024


def infer_seqlen(prompt, reply, limit):
    """LLaMA-Factory 0.9's rule, written from its description."""
    if reply * 2 < limit:
        room = limit
    elif prompt * 2 < limit:
        room = limit - prompt
    else:
        room = int(limit * (reply / (prompt + reply)))
    kept = min(room, reply)
    return min(max(limit - kept, 0), prompt), kept


tokenizer = Tokenizer.from_file(str(model_folder / "tokenizer.json"))
chat = transformers.AutoTokenizer.from_pretrained(model_folder)


def encode(pair):
    prompt_text = chat.apply_chat_template([{"role": "user", "content": pair["prompt"]}],
                                           tokenize=False, add_generation_prompt=True)
    prompt = tokenizer.encode(prompt_text, add_special_tokens=False).ids
    reply = tokenizer.encode(pair["response"] + "<|im_end|>\n", add_special_tokens=False)
    size = len(pair["response"].encode())
    # Converts character offsets to bytes. Checks only tokens of whole characters; those are all
    # tokens of ASCII text.
    byte_at = [0]
    for character in pair["response"] + "<|im_end|>\n":
        byte_at.append(byte_at[-1] + len(character.encode()))
    ends = [min(byte_at[end], size) for _, end in reply.offsets]
    kept_prompt, kept_reply = infer_seqlen(len(prompt), len(reply.ids), max_tokens)
    return prompt[:kept_prompt], reply.ids[:kept_reply], ends[:kept_reply]


def oracle(encoded, dtype):
    model = transformers.AutoModelForCausalLM.from_pretrained(model_folder, dtype=dtype)
    model.eval()
    rows = []
    with torch.inference_mode():
        for prompt, reply, _ in encoded:
            logits = model(torch.tensor([prompt + reply])).logits[0, len(prompt) - 1:-1].float()
            log_p = logits.log_softmax(-1).gather(1, torch.tensor(reply)[:, None])[:, 0]
            rows.append(log_p.double().exp())
    return rows


def ours(pairs, dtype):
    lines = "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs)
    run = subprocess.run([score, "--model", model_folder, "--plain", "-q", "-t2", "--dtype", dtype,
                          "--device", "cpu", f"--max-tokens={max_tokens}"],
                         input=lines.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line)["score"] for line in run.stdout.decode().splitlines()]


def error(rows, truth):
    return torch.cat([(row - want).abs() for row, want in zip(rows, truth)]).mean().item()


def some(pairs, count):
    """Short pairs first, which include whole replies; then the longest, which are cut."""
    pairs = sorted(pairs, key=lambda pair: len(pair["response"]))
    return pairs[:count - 1] + pairs[-1:]


def compare(pairs):
    """The number of failures; prints each."""
    encoded = [encode(pair) for pair in pairs]
    failures = 0
    truth = oracle(encoded, torch.float32)
    scored = ours(pairs, "f32")
    assert len(scored) == len(pairs)
    worst = 0.0
    for pair, (_, ids, ends), got, want in zip(pairs, encoded, scored, truth):
        if got["id"] != ids or got["end"] != ends:
            print(f"{pair['id']}: ids or ends differ")
            failures += 1
            continue
        worst = max(worst, (torch.tensor(got["confidence"], dtype=torch.float64) - want).abs().max().item())
    tokens = sum(len(ids) for _, ids, _ in encoded)
    print(f"f32: {len(pairs)} pairs, {tokens} tokens, max |confidence difference| {worst:.2e}")
    if worst > 1e-4:
        failures += 1

    half = oracle(encoded, torch.bfloat16)
    mine = [torch.tensor(row["confidence"], dtype=torch.float64) for row in ours(pairs, "bf16")]

    print(f"bf16: mean |confidence - f32 truth|: ours {error(mine, truth):.2e}, "
          f"transformers {error(half, truth):.2e}")
    if error(mine, truth) > 1.5 * error(half, truth):
        failures += 1
    return failures
