#!/usr/bin/env python3
"""This times the loss on the CPU over [rows x vocabulary] bfloat16 logits. token_loss() and torch's
log_softmax run in turn on the same threads and the same logits: alone, and with the product that
makes the logits.

    CUSET_BUILD=build/release .deps/oracle/bin/python3 tests/bench/loss_throughput.py
        [--rows 2048] [--vocabulary 49152] [--hidden 576] [--threads 2] [--rounds 5]

"log p": log_softmax(logits.float()) gathered, as scoring wants it. "log p and gradient": the same behind
cross-entropy's backward pass. Ours takes --threads threads over row blocks, makes no float logits and
leaves the gradient in bfloat16. "f32": float logits, a cacheful of rows at a time and in place, as
cuset-train has them. Both products of "with the products" are torch's, in float, since bfloat16 ones are
emulated where the processor has none. Nothing here asserts but that both agree; it prints.
"""
import argparse
import os
import pathlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import torch
import torch.nn.functional as F

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/kernels"))
import _c_kernels  # noqa: E402

CHUNK_BYTES = 24 << 20  # of float logits, as in lib/train/head_loss.cpp


def main():
    parser = argparse.ArgumentParser()
    for name, value in (("rows", 2048), ("vocabulary", 49152), ("hidden", 576), ("threads", 2), ("rounds", 5)):
        parser.add_argument("--" + name, type=int, default=value)
    a = parser.parse_args()
    build = pathlib.Path(os.environ.get("CUSET_BUILD", ROOT / "build/release"))
    kernels = _c_kernels.Kernels(build / "tests/libkernels_c.so")
    torch.set_num_threads(a.threads)
    torch.manual_seed(1)
    pool = ThreadPoolExecutor(a.threads)
    hidden = torch.randn(a.rows, a.hidden)
    head = torch.randn(a.vocabulary, a.hidden) * (3 / a.hidden**0.5)
    targets = torch.randint(0, a.vocabulary, (a.rows,))
    short_targets = targets.to(torch.int32)
    logits = (hidden @ head.t()).to(torch.bfloat16)
    gradient = torch.empty_like(logits)
    log_p = torch.empty(a.rows)
    chunk = max(16, CHUNK_BYTES // (4 * a.vocabulary))
    room = torch.empty(chunk, a.vocabulary)
    d_hidden = torch.empty(a.rows, a.hidden)

    def ours(x, first, to):
        def part(rows):
            begin, end = rows
            kernels.token_loss_cpu(kernels.rows(
                x[begin:end], short_targets[first + begin:first + end], log_p[first + begin:first + end],
                None if to is None else to[begin:end]))
        step = -(-len(x) // (4 * a.threads))
        list(pool.map(part, [(i, min(i + step, len(x))) for i in range(0, len(x), step)]))

    def ours_chunks(from_hidden, gradients):
        for first in range(0, a.rows, chunk):
            part = room[:min(chunk, a.rows - first)]
            if from_hidden:
                torch.mm(hidden[first:first + chunk], head.t(), out=part)
            else:
                part.copy_(logits[first:first + chunk])
            ours(part, first, part if gradients else None)
            if from_hidden and gradients:
                torch.mm(part, head, out=d_hidden[first:first + chunk])

    def torch_log_p(x):
        return torch.log_softmax(x.float(), -1).gather(1, targets[:, None]).squeeze(1)

    def torch_gradient(x, weight=None):
        leaf = x.detach().requires_grad_()
        values = leaf if weight is None else leaf @ weight.t()
        chosen = torch_log_p(values)
        (-chosen.sum()).backward()
        return chosen.detach(), leaf.grad

    def with_product(function):
        with torch.no_grad():
            return function(hidden @ head.t())

    plain = torch.no_grad()
    runs = {
        "log p": (plain(lambda: torch_log_p(logits)), lambda: ours(logits, 0, None)),
        "log p and gradient": (lambda: torch_gradient(logits), lambda: ours(logits, 0, gradient)),
        "log p, f32 chunks": (plain(lambda: torch_log_p(logits)), lambda: ours_chunks(False, False)),
        "log p and gradient, f32 chunks": (lambda: torch_gradient(logits), lambda: ours_chunks(False, True)),
        "log p, with the product": (lambda: with_product(torch_log_p), lambda: ours_chunks(True, False)),
        "log p and gradient, with the products": (lambda: torch_gradient(hidden, head),
                                                  lambda: ours_chunks(True, True)),
        "the products alone": (lambda: with_product(lambda x: x @ head), None),
    }
    wanted, wanted_gradient = torch_gradient(logits)
    ours(logits, 0, gradient)
    assert (log_p - wanted).abs().max() < 2e-5, "log p differs"
    # torch's gradient is rounded to bfloat16 once, as ours is.
    assert (gradient.float() - wanted_gradient.float()).abs().max() < 2**-8, "gradients differ"

    print(f"[{a.rows} x {a.vocabulary}], hidden {a.hidden}, {a.threads} threads, ours {kernels.cpu_name()}, "
          f"torch {torch.__version__} {torch.backends.cpu.get_cpu_capability()}, load {os.getloadavg()[0]:.1f}")
    print(f"{'':40}{'torch':>9}{'ours':>9}  best ratio (median)")
    for name, functions in runs.items():
        seconds = [[], []]
        for _ in range(a.rounds + 1):  # the first is not counted
            for which, function in enumerate(functions):
                if function is not None:
                    start = time.perf_counter()
                    function()
                    seconds[which].append(time.perf_counter() - start)
        theirs, mine = (s[1:] for s in seconds)
        if not mine:
            print(f"{name:40}{min(theirs):8.3f}s")
            continue
        print(f"{name:40}{min(theirs):8.3f}s{min(mine):8.3f}s  {min(theirs) / min(mine):6.1f}"
              f" ({median(theirs) / median(mine):.1f})", flush=True)


main()
