"""This compares --template lf:NAME with LLaMA-Factory's own templates, token by token: prompts, labels, and
prompts alone, for dialogues with and without system messages, histories and thoughts.

The tokenizers are SmolLM2's with the special tokens of each template added, and the two of shared/data where
these are. LLaMA-Factory's template.py runs as it is; what its package imports beside it (data sets, images,
sound) is replaced by stubs, since templates of text use none of it.
"""

import importlib.abc
import importlib.machinery
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import types

from transformers import PreTrainedTokenizerFast

from _checks import check, finish

WANTED = "0.9.5"
DEPS = pathlib.Path(os.environ["CUSET_DEPS"])
BUILD = pathlib.Path(os.environ["CUSET_BUILD"])
SHARED = pathlib.Path(os.environ["CUSET_SOURCE"]).parent / "shared/data/tokenizers"


class Stub(types.ModuleType):
    """A module that has every name: a class of no use."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


class StubFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the packages of `missing`."""

    missing = set()

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in self.missing:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        pass


def factory_templates():
    found = list((DEPS / "oracle").glob("lib/python*/site-packages/llamafactory"))
    if not found:
        sys.exit("LLaMA-Factory is not installed: setup/setup.sh --oracles")
    version = [line for line in next(found[0].parent.glob("llamafactory-*.dist-info")).joinpath("METADATA").read_text(
        encoding="utf-8").splitlines() if line.startswith("Version: ")][0]
    check(f"LLaMA-Factory {WANTED}", version == "Version: " + WANTED)
    # The packages' own __init__ would import all of LLaMA-Factory.
    for name, folder in (("llamafactory", found[0]), ("llamafactory.data", found[0] / "data"),
                         ("llamafactory.extras", found[0] / "extras")):
        module = types.ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module
    sys.meta_path.append(StubFinder())
    while True:
        try:
            from llamafactory.data.template import TEMPLATES
            return TEMPLATES
        except ModuleNotFoundError as error:
            StubFinder.missing.add(error.name.split(".")[0])


TEMPLATES = factory_templates()
# name: beginning- and end-of-text tokens, and other special tokens
NAMES = {
    "chatml": (None, "<|im_end|>", ["<|im_start|>"]),
    "smollm": (None, "<|im_end|>", ["<|im_start|>"]),
    "smollm2": (None, "<|im_end|>", ["<|im_start|>"]),
    "qwen": (None, "<|im_end|>", ["<|im_start|>"]),
    "qwen3": (None, "<|im_end|>", ["<|im_start|>"]),
    "qwen3_nothink": (None, "<|im_end|>", ["<|im_start|>"]),
    "deepseekcoder": ("<\uff5cbegin\u2581of\u2581sentence\uff5c>", "<|EOT|>", []),
    "seed_coder": ("<[begin\u2581of\u2581sentence]>", "<[end\u2581of\u2581sentence]>", []),
    "llama3": ("<|begin_of_text|>", "<|eot_id|>", ["<|start_header_id|>", "<|end_header_id|>"]),
}
SHARED_FOR = {"deepseekcoder": "deepseek-coder", "qwen": "qwen2.5-coder", "qwen3": "qwen2.5-coder",
              "qwen3_nothink": "qwen2.5-coder", "chatml": "qwen2.5-coder"}

seed = random.SystemRandom().randrange(2**32)
print("seed", seed)
draw = random.Random(seed)
PIECES = ["\n", "\n\n", " ", "code", "__global__ void k() {}", "\u00e9", "\U0001f469", "```cuda\n", "<think>\n",
          "\n</think>\n\n", "</think>", "### Response:", "1", "}", "\t", "\r\n", "'s", "{{content}}", "<|im_end|>"]


def text():
    return "".join(draw.choice(PIECES) for _ in range(draw.randint(0, 8)))


def dialogue():
    turns = [{"role": "system", "content": text()}] if draw.random() < 0.4 else []
    for _ in range(draw.choice([0, 0, 1, 2])):
        turns += [{"role": "user", "content": text()}, {"role": "assistant", "content": text()}]
    return [*turns, {"role": "user", "content": text()}]


user = {"role": "user", "content": "Add two vectors."}
fixed = [([user], "__global__ void add(float* x) {}\n"), ([user], "\ncode"), ([user], "<think>\nHm.\n</think>\n\nx"),
         ([{"role": "system", "content": ""}, user], "x"), ([{"role": "system", "content": "S"}, user], ""),
         ([user, {"role": "assistant", "content": "<think>\nHm.\n</think>\n\n\nx"}, user], "x")]
cases = fixed + [(dialogue(), text()) for _ in range(200)]

with tempfile.TemporaryDirectory() as folder:
    compared = 0
    for name, (bos, eos, more) in NAMES.items():
        sources = [DEPS / "models/SmolLM2-135M-Instruct/tokenizer.json"]
        shared = SHARED / SHARED_FOR.get(name, "nothing") / "tokenizer.json"
        if shared.exists():
            sources.append(shared)
        for source in sources:
            words = PreTrainedTokenizerFast(tokenizer_file=str(source), bos_token=bos, eos_token=eos,
                                            additional_special_tokens=more)
            path = pathlib.Path(folder) / "tokenizer.json"
            words.backend_tokenizer.save(str(path))
            requests = [{"name": "lf:" + name, "messages": messages, "response": answer}
                        for messages, response in cases for answer in (response, None)]
            done = subprocess.run([BUILD / "tests/template_dump", path], check=True, stdout=subprocess.PIPE,
                                  input="".join(json.dumps(r) + "\n" for r in requests).encode())
            answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
            template = TEMPLATES[name]
            wrong = []
            for request, answer in zip(requests, answers, strict=True):
                if "error" in answer:
                    wrong.append((request, answer))
                    continue
                messages, response = request["messages"], request["response"]
                system = messages[0]["content"] if messages[0]["role"] == "system" else None
                turns = [m for m in messages if m["role"] != "system"]
                # With an answer that thinks, LLaMA-Factory puts no thought before it: a prompt alone.
                given = "<think>" if response is None else response
                prompt, labels = template.encode_oneturn(
                    words, [dict(m) for m in [*turns, {"role": "assistant", "content": given}]], system)
                same = answer["prompt_ids"] == prompt
                if response is not None:
                    same = same and answer["response_ids"] == labels and len(answer["ends"]) == len(labels) \
                        and answer["ends"] == sorted(answer["ends"]) \
                        and max(answer["ends"], default=0) <= len(response.encode())
                if not same:
                    wrong.append((request, answer, prompt, labels))
                compared += 1
            check(f"{name} with {source.parent.name}: {len(requests)} dialogues", not wrong)
            if wrong:
                print(*wrong[0], sep="\n")
print(compared, "dialogues")
finish()
