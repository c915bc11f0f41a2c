#!/usr/bin/env python3
"""This measures a model in bfloat16 and quantised, in turn: the time of decoding a token (decode_dump), and the peak
memory of scoring (logprob_dump), as ratios to bfloat16 and to the size of the model's file.

    CUSET_BUILD=build/release python3 tests/bench/quantised_base.py --model DIR [--forms none,nf4,int8]
        [--batch 1] [--prompt 30] [--new 32] [--repeat 3] [--threads 2] [--score TOKENS]

The model's type must be bfloat16; tests/bench/random_model.py makes large ones. Of all steps of a form the quickest and
the median of the best repetition count: other programs on the machine only slow them. --score 0 leaves scoring out.
Nothing here asserts; it prints.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUSET_BUILD", ROOT / "build" / "release"))


def run(program, model, form, threads, lines, *words):
    done = subprocess.run([BUILD / "tests" / program, model, "--device", "cpu", "--dtype", "bf16", "--threads",
                           str(threads), "--quantize", form, *words], input=lines, text=True, capture_output=True,
                          check=True)
    return json.loads(done.stderr.strip().splitlines()[-1])


def tokens(count, seed):
    return [(7 * seed + 13 * i) % 5000 + 10 for i in range(count)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--forms", default="none,nf4,int8")
    for name, value in dict(batch=1, prompt=30, new=32, repeat=3, threads=2, score=4096).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    forms = options.forms.split(",")
    size = sum(file.stat().st_size for file in options.model.glob("*.safetensors"))
    prompts = "".join(json.dumps({"tokens": tokens(options.prompt, i)}) + "\n" for i in range(options.batch))
    found = {form: [] for form in forms}
    for _ in range(options.repeat):
        for form in forms:
            found[form].append(run("decode_dump", options.model, form, options.threads, prompts,
                                   "--new", str(options.new)))
    print(f"{options.model.name}, {size / 1e9:.2f} GB, {options.batch} sequences, {options.threads} threads")
    least = {form: min(min(f["steps"]) for f in found[form]) for form in forms}
    middle = {form: min(statistics.median(f["steps"]) for f in found[form]) for form in forms}
    for form in forms:
        print(f"  decoding {form:5} {found[form][0]['compute']}: step {1e3 * least[form]:.1f} ms ("
              f"{least[forms[0]] / least[form]:.2f} x), median {1e3 * middle[form]:.1f} ms ("
              f"{middle[forms[0]] / middle[form]:.2f} x), load {min(f['load'] for f in found[form]):.1f} s, "
              f"peak {found[form][0]['peak_kb'] * 1024 / size:.3f} of the file")
    if options.score == 0:
        return
    samples = "".join(json.dumps({"tokens": tokens(512, i), "prompt": 12}) + "\n"
                      for i in range(max(1, options.score // 512)))
    for form in forms:
        about = run("logprob_dump", options.model, form, options.threads, samples)
        print(f"  scoring {form:5} {about['tokens']} tokens: {about['run']:.1f} s, peak "
              f"{about['peak_kb'] * 1024 / 1e6:.0f} MB, {about['peak_kb'] * 1024 / size:.3f} of the file")


if __name__ == "__main__":
    main()
