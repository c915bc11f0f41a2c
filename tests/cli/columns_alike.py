#!/usr/bin/env python3
# The tools that show prompts to a model ask by --columns what they ask of the same pairs in their own
# fields, out of a JSON array.
import json, os, subprocess, tempfile

BIN = os.environ["CUSET_BIN"]
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
tools = [t for t in ("cuset-score", "cuset-train", "cuset-sample") if os.path.exists(os.path.join(BIN, t))]
if not tools:
    print("skipped: a build without LibTorch")
    raise SystemExit(77)


def shown(tool, *arguments, code=0):
    p = subprocess.run([os.path.join(BIN, tool), "--show", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert p.returncode == code, (tool, arguments, p)
    return p.stdout if code == 0 else p.stderr


json.dump({"set": {"columns": {"prompt": "q", "query": "more", "response": "a", "system": "rules", "history": "before",
                               "tools": "t"}},
           "talk": {"formatting": "sharegpt", "columns": {"messages": "talk"},
                    "tags": {"role_tag": "who", "content_tag": "says", "user_tag": "me", "assistant_tag": "it",
                             "system_tag": "boss"}},
           "mute": {"columns": {"prompt": "q"}}}, open("info.json", "w"))
# Fields that would make a task of another kind, or a conversation, without --columns.
json.dump([{"q": "Write a kernel.", "more": "In CUDA.", "a": "code", "rules": "Be brief.", "before": [["hi", "ho"]],
            "t": "", "prompt": "not this", "harness": "x", "messages": [{"role": "user", "content": "nor this"}]}],
          open("set.json", "w"), indent=2)
json.dump([{"talk": [{"who": "boss", "says": "Be brief."}, {"who": "me", "says": "hi"}, {"who": "it", "says": "ho"},
                     {"who": "me", "says": "Write a kernel.\nIn CUDA."}, {"who": "it", "says": "code"}]}],
          open("talk.json", "w"))
wanted = (b"--- system\nBe brief.\n--- user\nhi\n--- assistant\nho\n--- user\nWrite a kernel.\nIn CUDA.\n")
for tool in tools:
    # A tool that reads responses shows the answer too.
    of_tool = wanted if tool == "cuset-sample" else wanted + b"--- assistant\ncode\n"
    assert shown(tool, "--columns", "info.json:set", "set.json") == of_tool, tool
    assert shown(tool, "--columns", "info.json:talk", "talk.json") == of_tool, tool
    said = shown(tool, "--columns", "info.json:set", "--prompt-field=q", "set.json", code=2)
    assert said == tool.encode() + b": --columns: it goes with neither --prompt-field nor --response-field\n", said
    # Only a tool that reads no response can do without one.
    if tool == "cuset-sample":
        assert shown(tool, "--columns", "info.json:mute", "set.json") == b"--- user\nWrite a kernel.\n"
    else:
        said = shown(tool, "--columns", "info.json:mute", "set.json", code=2)
        assert said == tool.encode() + b": --columns: the data set has no response\n", said
