"""The tools that show prompts to a model ask by --columns what they ask of the same pairs in their own fields, out of
a JSON array."""

import json
import os

from _tool import assert_equal, assert_exit, built, room, run_tool

os.chdir(room)


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
for tool in ("cuset-score", "cuset-train", "cuset-sample"):
    # A tool that reads responses shows the answer too.
    of_tool = wanted if tool == "cuset-sample" else wanted + b"--- assistant\ncode\n"
    for name, file in (("set", "set.json"), ("talk", "talk.json")):
        assert_equal(f"{tool}: {name}", run_tool(built(tool), "--show", "--columns", f"info.json:{name}", file).stdout, of_tool)
    assert_exit(f"{tool}: --prompt-field", run_tool(built(tool), "--show", "--columns", "info.json:set", "--prompt-field=q", "set.json"),
                2, f"{tool}: --columns: it goes with neither --prompt-field nor --response-field")
    # Only a tool that reads no response can do without one.
    mute = run_tool(built(tool), "--show", "--columns", "info.json:mute", "set.json")
    if tool == "cuset-sample":
        assert_equal("no response", mute.stdout, b"--- user\nWrite a kernel.\n")
    else:
        assert_exit(f"{tool}: no response", mute, 2, f"{tool}: --columns: the data set has no response")
