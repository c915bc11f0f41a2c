#!/usr/bin/env python3
"""Greedy continuations by llama.cpp, for sample_throughput.py: all sequences in one llama_batch, by
the low-level functions of llama_cpp.

    .deps/peers/bin/python3 tests/bench/llama_decode.py FILE.gguf --new N [--threads N]
        [--no-flash-attention] [--unified]

stdin, stdout and stderr are those of tests/oracle/decode_dump.cpp. Only llama_decode() and the wait
for it count as a step's time: choosing the likeliest token, in numpy here, does not.
"""
import argparse
import ctypes
import json
import resource
import sys
import time

import llama_cpp
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("--new", type=int, required=True)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--no-flash-attention", action="store_true")
parser.add_argument("--unified", action="store_true")
args = parser.parse_args()
prompts = [json.loads(line)["tokens"] for line in sys.stdin]


@llama_cpp.llama_log_callback
def silent(*_):
    pass


llama_cpp.llama_log_set(silent, ctypes.c_void_p(0))
llama_cpp.llama_backend_init()
start = time.perf_counter()
model = llama_cpp.llama_model_load_from_file(args.model.encode(),
                                             llama_cpp.llama_model_default_params())
if not model:
    sys.exit(f"llama.cpp cannot load {args.model}")
params = llama_cpp.llama_context_default_params()
count, longest = len(prompts), max(map(len, prompts)) + args.new
params.n_seq_max = count
params.n_ctx = count * ((longest + 255) // 256 * 256)  # every sequence has its part of it
params.n_batch = max(sum(map(len, prompts)), count)
params.n_threads = params.n_threads_batch = args.threads
params.flash_attn_type = 0 if args.no_flash_attention else 1
params.kv_unified = args.unified
params.no_perf = True
context = llama_cpp.llama_init_from_model(model, params)
if not context:
    sys.exit("llama.cpp cannot make a context")
load = time.perf_counter() - start
vocabulary = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(model))
batch = llama_cpp.llama_batch_init(params.n_batch, 0, 1)


def decode(lists, first):
    """The likeliest token after each list, and how long it took. lists[i] begins at first[i]."""
    rows, last = 0, []
    for sequence, (tokens, position) in enumerate(zip(lists, first)):
        for i, token in enumerate(tokens):
            batch.token[rows] = token
            batch.pos[rows] = position + i
            batch.n_seq_id[rows] = 1
            batch.seq_id[rows][0] = sequence
            batch.logits[rows] = i + 1 == len(tokens)
            rows += 1
        last.append(rows - 1)
    batch.n_tokens = rows
    begin = time.perf_counter()
    failed = llama_cpp.llama_decode(context, batch)
    llama_cpp.llama_synchronize(context)
    took = time.perf_counter() - begin
    if failed:
        sys.exit(f"llama_decode: {failed}")
    return [int(np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(context, row),
                                      (vocabulary,)).argmax()) for row in last], took


lengths = list(map(len, prompts))
tokens, prompt_seconds = decode(prompts, [0] * count)
written, steps = [[token] for token in tokens], []
for _ in range(args.new - 1):
    tokens, took = decode([[token] for token in tokens], lengths)
    lengths = [length + 1 for length in lengths]
    steps.append(took)
    for answer, token in zip(written, tokens):
        answer.append(token)
for answer in written:
    print(json.dumps({"tokens": answer}))
system = llama_cpp.llama_print_system_info().decode().strip().strip("|").strip()
print(json.dumps({"load": load, "prompt": prompt_seconds, "steps": steps,
                  "peak_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
                  "compute": system}), file=sys.stderr)
