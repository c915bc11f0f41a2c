"""--columns reads pairs as LLaMA-Factory's converters of alpaca and sharegpt do: random data sets and records, against
what its documentation and code say, in Python."""

import json
import os
import random
import subprocess

from _tool import assert_exit, assert_that, built, case, room, run_tool

PROBE = os.path.join(os.environ["CUSET_BUILD"], "tests", "record_probe")
rng = random.Random(int(os.environ.get("CUSET_SEED", "20261123")))
os.chdir(room)

FIELDS = ["instruction", "input", "output", "prompt", "response", "system", "history", "conversations",
          "messages", "question", "tools", "a b", "é"]
ROLES = ["human", "gpt", "user", "assistant", "system", "observation", "function_call"]


def data_set():
    sharegpt = rng.random() < 0.5
    info = {"file_name": "x.json", "num_samples": 3}
    if sharegpt or rng.random() < 0.5:
        info["formatting"] = "sharegpt" if sharegpt else "alpaca"
    if rng.random() < 0.8:
        names = rng.sample(FIELDS, 7)
        wanted = (["messages", "system", "tools"] if sharegpt else
                  ["prompt", "query", "response", "history", "system", "images"])
        must = ["messages"] if sharegpt else ["response"]
        info["columns"] = {c: n for c, n in zip(wanted, names) if c in must or rng.random() < 0.7}
    if sharegpt and rng.random() < 0.7:
        roles = rng.sample(ROLES, 5)
        info["tags"] = {"role_tag": rng.choice(["from", "role"]), "content_tag": rng.choice(["value", "content"]),
                        "user_tag": roles[0], "assistant_tag": roles[1]}
        for tag, role in zip(["system_tag", "observation_tag", "function_tag"], roles[2:]):
            if rng.random() < 0.7:
                info["tags"][tag] = role
    return info


def settle(info):
    """The columns and tags as LLaMA-Factory's parser settles them: what is given replaces all."""
    alpaca = info.get("formatting", "alpaca") == "alpaca"
    columns = {"prompt": "instruction", "query": "input", "response": "output", "messages": "conversations"}
    columns = info.get("columns", columns)
    tags = info.get("tags", {"role_tag": "from", "content_tag": "value", "user_tag": "human", "assistant_tag": "gpt",
                             "system_tag": "system", "observation_tag": "observation", "function_tag": "function_call"})
    return alpaca, columns, tags


def convert(info, record):
    """(conversation, response), or None for what cuset refuses."""
    alpaca, columns, tags = settle(info)
    if any(record.get(columns[c]) for c in ("tools", "images") if c in columns):
        return None
    get = lambda c: record.get(columns[c]) if c in columns else None
    system = get("system")
    if system is not None and not isinstance(system, str):
        return None
    talk = [["system", system]] if system else []
    if alpaca:
        history = get("history")
        if history is not None:
            if not isinstance(history, list) or not all(isinstance(r, list) and len(r) == 2 for r in history):
                return None
            for question, answer in history:
                talk += [["user", question], ["assistant", answer]]
        if not isinstance(get("response"), str) or ("prompt" in columns and not isinstance(get("prompt"), str)):
            return None
        if get("query") is not None and not isinstance(get("query"), str):
            return None
        question = "\n".join(t for t in (get("prompt"), get("query")) if t)
        return talk + [["user", question]], get("response")
    messages = get("messages")
    if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
        return None
    names = {tags[t]: n for t, n in (("user_tag", "user"), ("assistant_tag", "assistant"), ("system_tag", "system"))
             if t in tags}
    turns = []
    for message in messages:
        role, content = message.get(tags["role_tag"]), message.get(tags["content_tag"], "")
        if role not in names:
            return None
        turns.append([names[role], content])
    if turns and turns[0][0] == "system":
        talk = []
    while turns and turns[-1][0] != "assistant":
        turns.pop()
    return (talk + turns[:-1], turns[-1][1]) if turns else None


def text():
    return rng.choice(["", "x", "a\nb", "é\"\\", "__global__ void k() {}"])


def record(info):
    _, columns, tags = settle(info)
    out = {}
    for field in FIELDS:
        if rng.random() < 0.5:
            out[field] = text()
    for column, field in columns.items():
        r = rng.random()
        if column == "messages":
            roles = [tags[t] for t in tags if t.endswith("_tag") and t not in ("role_tag", "content_tag")]
            easy = [tags["user_tag"], tags["assistant_tag"]]
            first = [tags["system_tag"]] if "system_tag" in tags and rng.random() < 0.3 else []
            chosen = first + easy * rng.randrange(1, 3) if r < 0.7 else [rng.choice(roles + ROLES) for _ in range(3)]
            out[field] = [{tags["role_tag"]: role, tags["content_tag"]: text(), "more": 1} for role in chosen]
        elif column == "history":
            out[field] = [[text(), text()] for _ in range(rng.randrange(3))] if r < 0.9 else None
        elif column in ("tools", "images"):
            out[field] = rng.choice([[], "", None, [], "", None, ["x"], "x"])
        else:
            out[field] = text() if r < 0.93 else rng.choice([None, 5])
    return out


accepted = total = 0
for i in range(60):
    info = data_set()
    json.dump({"other": {}, "set%d" % i: info}, open("info.json", "w"))
    where = "info.json:set%d" % i
    case(f"set {i}")
    records = [record(info) for _ in range(40)]
    json.dump(records, open("data.json", "w"), indent=1)
    probe = subprocess.run([PROBE, where], stdin=open("data.json"), stdout=subprocess.PIPE, check=True)
    answers = [json.loads(l) for l in probe.stdout.splitlines()]
    assert len(answers) == len(records)
    for r, got in zip(records, answers):
        want = convert(info, r)
        assert (want is None) == ("error" in got), (info, r, got, want)
        total += 1
        if want:
            accepted += 1
            assert (got["conversation"], got["response"]) == want, (info, r, got, want)
    tag = run_tool(built("cuset-tag"), "--plain", "-q", "--columns", where, "--on-error=skip", "--rejects=bad", "data.json")
    tagged = [json.loads(l) for l in tag.stdout.splitlines()]
    # A tool that wants no prompt may accept more: the prompt's fields are not looked at.
    kept = [r for r in records if convert(info, r)]
    for t in tagged:
        t.pop("tag")
    assert tag.returncode in (0, 3) and all(r in tagged for r in kept), (info, tag.stderr)
assert total / 5 < accepted < total * 19 / 20, (accepted, total)

# A wrong command line leaves an open frame, which the next tool does not take for a good end.
for arguments in (["--columns", "info.json"], ["--columns", "info.json:none"], ["--columns", where, "--prompt-field=p"]):
    p = run_tool(built("cuset-tag"), *arguments, "data.json")
    assert_exit(arguments, p, 2, "cuset-tag: --columns: ")
    assert_that(arguments, p.stdout)
