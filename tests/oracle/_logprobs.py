"""This runs logprob_dump, and computes the same with transformers."""
import json
import subprocess
import sys

import torch

from _checks import driver

DRIVER = driver("logprob_dump")


def ours(model, requests, *options):
    """Log-probabilities of each (tokens, prompt length), and the driver's statistics."""
    lines = "".join(json.dumps({"tokens": list(map(int, tokens)), "prompt": prompt}) + "\n"
                    for tokens, prompt in requests)
    run = subprocess.run([DRIVER, str(model), *map(str, options)], input=lines, text=True,
                         capture_output=True)
    if run.returncode != 0:
        sys.exit(f"logprob_dump {model} {options} ends with {run.returncode}: {run.stderr}")
    replies = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(replies) == len(requests)
    for reply in replies:
        assert "error" not in reply, reply
    return [torch.tensor(reply["log_probability"]) for reply in replies], json.loads(run.stderr)


def refused(model, *options):
    """Exit code and message of a load that must fail."""
    run = subprocess.run([DRIVER, str(model), *map(str, options)], input="", text=True,
                         capture_output=True)
    return run.returncode, run.stderr.strip()


def theirs(model, requests):
    """The same from a transformers model, one sample at a time, in float after the logits."""
    out = []
    last_prefix, all_values = None, None
    with torch.inference_mode():
        for tokens, prompt in requests:
            ids = torch.tensor([list(map(int, tokens))])
            if tokens[:-1] != last_prefix:  # requests for a whole distribution share their prefix
                last_prefix = tokens[:-1]
                logits = model(ids[:, :-1], use_cache=False).logits[0].float()
                all_values = logits.log_softmax(-1)
            out.append(all_values.gather(1, ids[0, 1:, None])[prompt - 1:, 0])
    return out


def worst(a, b):
    assert all(x.shape == y.shape for x, y in zip(a, b))
    return max((x - y).abs().max().item() for x, y in zip(a, b))


def root_mean_square(a, b):
    return torch.cat([x - y for x, y in zip(a, b)]).square().mean().sqrt().item()
