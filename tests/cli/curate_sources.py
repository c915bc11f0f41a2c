#!/usr/bin/env python3
"""cuset-curate --from-sources: files of a folder or a tar archive become pairs, with a template or with a server's
instruction; and the data card. Archives come from Python's tarfile and from tar."""

import functools
import hashlib
import http.server
import io
import json
import socket
import subprocess
import tarfile
import threading

from _tool import assert_exit, assert_that, built, room, run_tool

curate = built("cuset-curate")


run = functools.partial(run_tool, curate, "--plain")


def records(text):
    return [json.loads(l) for l in text.splitlines()]


kernel = "__global__ void {0}(float* x) {{ x[threadIdx.x] = {1} * x[threadIdx.x] - {0}_factor(threadIdx.y); }}\n"
long_name = "deep/" * 40 + "z.cu"
files = {"b/two.cu": "// SPDX-License-Identifier: MIT\n" + kernel.format("two", 2), "a.cu": kernel.format("one", 1) * 2,
         "b/copy.cu": "/* a copy */\n" + kernel.format("two", 2), "b/no.txt": "text", long_name: kernel.format("z", 9) * 3}
folder = room / "sources"
for name, text in files.items():
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
(folder / "link.cu").symlink_to("a.cu")
ask = room / "source.ask"
ask.write_text("--- system\nYou write CUDA.\n--- user\nWrite the file {path}.\n")
kept_paths = ["a.cu", "b/two.cu", long_name]
done = run("-q", "--from-sources", folder, "--ask", ask, "--rejects", room / "rejects")
rows = records(done.stdout)
assert_that("a pair of each file", [r["id"] for r in rows] == kept_paths, done)
assert_that("the template", rows[0]["prompt"] == "Write the file a.cu." and rows[0]["system"] == "You write CUDA.")
assert_that("provenance", all(r["sha256"] == hashlib.sha256(files[r["path"]].encode()).hexdigest() and
                              r["response"] == files[r["path"]] for r in rows))
gone = records((room / "rejects").read_bytes())
assert_that("of copies, the one with a licence stays",
            [(r["id"], r["curate"]["reason"], r["curate"]["of"], r["license"]) for r in gone] ==
            [("b/copy.cu", "exact_duplicate", "b/two.cu", "none")], gone)

# What a file says of its licence counts, and else the licence of the nearest folder.
notice = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"
repository = {"a.cu": kernel.format("a", 1), "own.cu": "// SPDX-License-Identifier: Zlib\n" + kernel.format("own", 2),
              "part/b.cu": "// Copyright 2020 X, see LICENSE\n" + kernel.format("b", 3), "part/LICENSE-2.0.txt":
              "Apache License\n  Version 2.0, January 2004\n", "part/in/c.cu": kernel.format("c", 4), "LICENSE": notice,
              "zz/closed.cu": "// Copyright 2020 X. All rights reserved.\n" + kernel.format("d", 5), "zz/COPYING": "Ask us."}
wanted = {"a.cu": ("MIT", "LICENSE"), "own.cu": ("Zlib", None), "part/b.cu": ("Apache-2.0", "part/LICENSE-2.0.txt"),
          "part/in/c.cu": ("Apache-2.0", "part/LICENSE-2.0.txt"), "zz/closed.cu": ("LicenseRef-all-rights-reserved", None)}
for name, text in repository.items():
    (room / "repository" / name).parent.mkdir(parents=True, exist_ok=True)
    (room / "repository" / name).write_text(text)
with tarfile.open(room / "repository.tar", "w") as archive:
    for name in sorted(repository, key=lambda name: "LICENSE" in name):  # behind what they are about
        archive.add(room / "repository" / name, name)
for place in room / "repository", room / "repository.tar":
    done = run("-q", "--from-sources", place, "--ask", ask, "--duplicates", "none")
    found = {r["path"]: (r["license"], r.get("license_file")) for r in records(done.stdout)}
    assert_that("licences", found == wanted, place, found)
    done = run("-q", "--from-sources", place, "--ask", ask, "--duplicates", "none", "--license", "allow=MIT,Zlib")
    assert_that("allowed licences", {r["path"] for r in records(done.stdout)} == {"a.cu", "own.cu"}, done)
assert_exit("no licence", run("--from-sources", folder, "--ask", ask, "--license", "allow=MTI"), 2, '"MTI" is no SPDX name', "MIT")

# Of headers, those with a kernel.
headers = {"k.cuh": kernel.format("in_cuh", 5), "k.h": kernel.format("in_h", 6) * 2, "sub/k.inl": kernel.format("in_inl", 7) * 3,
           "plain.h": "// __global__ stands in a comment alone\nint f();\n", "plain.cuh": "__device__ int g() { return 1; }\n",
           "k.cpp": kernel.format("in_cpp", 8), "one.cu": kernel.format("cu", 9) * 4}
for name, text in headers.items():
    (room / "headers" / name).parent.mkdir(parents=True, exist_ok=True)
    (room / "headers" / name).write_text(text)
with tarfile.open(room / "headers.tar", "w") as archive:
    for name in sorted(headers):
        archive.add(room / "headers" / name, name)
for place in room / "headers", room / "headers.tar":
    done = run("-q", "--from-sources", place, "--ask", ask, "--duplicates", "none", "--card", room / "headers.md")
    assert_that("headers with kernels", [r["path"] for r in records(done.stdout)] == ["k.cuh", "k.h", "one.cu", "sub/k.inl"], done)
    card = (room / "headers.md").read_text()
    assert_that("the card", all(f"source files ({ending})" in card for ending in (".cu", ".cuh", ".h", ".inl")), card)

whole = run("-q", "--from-sources", folder, "--ask", ask, "--duplicates", "none").stdout
for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
    archive = room / f"s{form}.tar"
    with tarfile.open(archive, "w", format=form) as tar:
        for name in sorted(files):
            if form != tarfile.USTAR_FORMAT or len(name) < 200:
                tar.add(folder / name, name)
        tar.add(folder / "link.cu", "link.cu")
    found = run("-q", "--from-sources", archive, "--ask", ask, "--duplicates", "none")
    wanted = records(whole)[:None if form != tarfile.USTAR_FORMAT else 3]
    assert_that(f"tar format {form}", records(found.stdout) == wanted[:len(records(found.stdout))] and
                len(records(found.stdout)) >= 3, found)
# Names that are none, a comment that looks like one, and a file that is too large.
odd = room / "odd.tar"
with tarfile.open(odd, "w", format=tarfile.PAX_FORMAT) as archive:
    for name, pax, size in (("plain.cu", {"comment": "a path=wrong.cu"}, 0), ("tab\tand\nline.cu", {}, 0), ("/top/../up.cu", {}, 0),
                            ("large.cu", {}, (64 << 20) + 1), ("folder.cu/", {}, 0), ("last.cu", {}, 0)):
        text = kernel.format("k" + str(len(name)), 1).encode()
        entry = tarfile.TarInfo(name)
        entry.pax_headers = pax
        entry.size = size or len(text)
        if name.endswith("/"):
            entry.type, entry.size = tarfile.DIRTYPE, 0
        archive.addfile(entry, io.BytesIO(text.ljust(entry.size)))
done = run("-q", "--from-sources", odd, "--ask", ask, "--duplicates", "none")
assert_that("odd names", [r["path"] for r in records(done.stdout)] == ["plain.cu", "tab\tand\nline.cu", "/top/../up.cu", "last.cu"], done)
assert_that("what is too large is told of", b"large.cu: more than 64 MiB" in done.stderr, done.stderr)
with tarfile.open(odd, "w", format=tarfile.GNU_FORMAT, encoding="latin-1") as archive:
    entry = tarfile.TarInfo("caf\xe9.cu")
    archive.addfile(entry, io.BytesIO(b""))
assert_exit("a name that is no UTF-8", run("-q", "--from-sources", odd, "--ask", ask), 1, "UTF-8")
tar = (room / f"s{tarfile.PAX_FORMAT}.tar").read_bytes()
for pack in (["gzip", "-c"], ["zstd", "-qc"]):
    packed = subprocess.run(pack, input=tar, capture_output=True).stdout
    assert_that(pack[0], run("-q", "--from-sources", "-", "--ask", ask, "--duplicates", "none", data=packed).stdout == whole)
    assert_exit(f"cut {pack[0]}", run("-q", "--from-sources", "-", "--ask", ask, data=packed[:-20]), 1)
for cut in (100, 512, 700, len(tar) - 20000 if len(tar) > 21000 else 1500):
    assert_exit(f"an archive cut at {cut}", run("-q", "--from-sources", "-", "--ask", ask, data=tar[:cut]), 1, "archive")
assert_exit("no archive", run("-q", "--from-sources", "-", "--ask", ask, data=b"x" * 2000), 1, "no tar archive")
assert_exit("no such folder", run("-q", "--from-sources", room / "none", "--ask", ask), 1, "none")
(folder / "latin.cu").write_bytes(b"\n// caf\xe9\n__global__ void f() {}\n")
assert_exit("no UTF-8", run("-q", "--from-sources", folder, "--ask", ask), 1, "latin.cu: line 2, byte 0xe9 (--encoding latin1", "UTF-8")
done = run("-q", "--from-sources", folder, "--ask", ask, "--encoding=latin1", "--duplicates=none")
latin, = [r for r in records(done.stdout) if r["path"] == "latin.cu"]
assert_that("Latin-1", latin["response"] == (folder / "latin.cu").read_bytes().decode("latin-1") and
            latin["sha256"] == hashlib.sha256((folder / "latin.cu").read_bytes()).hexdigest(), latin)
done = run("-q", "--from-sources", folder, "--ask", ask, "--on-error=skip", "--rejects", room / "rejects")
assert_that("no UTF-8, skipped", done.returncode == 3 and len(records(done.stdout)) == 3, done)
bad = [r for r in records((room / "rejects").read_bytes()) if r["curate"]["reason"] == "bad_record"]
assert_that("its reject names it", len(bad) == 1 and "latin.cu: line 2, byte 0xe9" in bad[0]["curate"]["message"], bad)
(folder / "latin.cu").unlink()

# ---- a server that writes the instructions ----
asked, fail = [], [0]


class server(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, code, body):
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def do_GET(self):
        self.reply(200, {"data": [{"id": "served"}]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        question = body["messages"][-1]["content"]
        asked.append(question)
        if question.startswith("Describe/"):
            text, more = said[question.split("/")[1][:-3]]
            end = {"finish_reason": more.get("finish_reason")}
            return self.reply(200, {"choices": [{"message": {"content": text} | more} | end]})
        if "deep/" in question:
            return self.reply(400, {"error": {"message": "too deep"}})
        if len(asked) == 1:
            return self.reply(503, {})
        self.reply(200, {"choices": [{"message": {"content": f"Do what {question.split()[1]} does."}}]})


listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), server)
threading.Thread(target=listener.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{listener.server_port}/v1"
ask.write_text("--- user\nDescribe {path} :\n{response}\n")
words = ["--from-sources", folder, "--ask", ask, "--endpoint", url, "--resume", room / "kept.jsonl", "--rejects", room / "rejects"]
done = run("-q", *words)
rows = records(done.stdout)
assert_that("instructions", [(r["id"], r["prompt"]) for r in rows] ==
            [(p, f"Do what {p} does.") for p in kept_paths[:2]], done)
assert_that("the file was asked", any(files["a.cu"] in q for q in asked))
assert_that("no instruction", [(r["id"], r["curate"]["reason"]) for r in records((room / "rejects").read_bytes())] ==
            [("b/copy.cu", "exact_duplicate"), (long_name, "no_instruction")])
# The first of two servers refuses connections: the other one answers all.
refusing = socket.socket()
refusing.bind(("127.0.0.1", 0))
two = run("-q", *words[:4], "--endpoint", f"http://127.0.0.1:{refusing.getsockname()[1]}/v1,{url}", "--requests-per-minute=100000",
          "--rejects", room / "rejects")
assert_that("of two servers", two.stdout == done.stdout and two.stderr.count(b"the other servers take its requests") == 1, two)
before = len(asked)
again = run("-q", *words)
assert_that("resumed", again.stdout == done.stdout and len(asked) == before + 1, len(asked) - before)
bench = room / "bench.jsonl"
bench.write_text(json.dumps({"id": 1, "prompt": "Do what a.cu does."}) + "\n")
screened = run("-q", *words, "--against", bench, "--ngram", "4")
assert_that("an instruction of a benchmark", [r["id"] for r in records(screened.stdout)] == ["b/two.cu"], screened)

# ---- what is no whole instruction, and what the model thought ----
said = {"plain": ("Do it.", {}), "thought": ("Do it.", {"reasoning_content": "a secret"}),
        "in the text": ("<think>a secret</think>\n\n Do it.\n", {}), "begun by the prompt": ("a secret</think>Do it.", {}),
        "thought alone": ("<think>a secret</think>\n", {}), "null": (None, {"reasoning": "a secret"}),
        "cut": ("Do", {"finish_reason": "length"}), "cut thought": (None, {"reasoning": "a secret", "finish_reason": "length"}),
        "no end of a thought": ("\n<think>a secret", {"finish_reason": "stop"})}
prompts = {"plain": "Do it.", "thought": "Do it.", "in the text": "Do it.\n", "begun by the prompt": "Do it."}
reasons = {"thought alone": "no_instruction", "null": "no_instruction"} | dict.fromkeys(
    ("cut", "cut thought", "no end of a thought"), "cut_instruction")
for name in said:
    (room / "said").mkdir(exist_ok=True)
    (room / "said" / f"{name}.cu").write_text("__global__ void k() {}\n")
ask.write_text("--- user\nDescribe/{path}/now\n")
words = ["--from-sources", room / "said", "--ask", ask, "--duplicates", "none", "--endpoint", url, "--resume",
         room / "said.jsonl", "--rejects", room / "rejects"]
before = len(asked)
done = run(*words)
kept, gone = done.stdout, (room / "rejects").read_bytes()
assert_that("prompts without thoughts", {r["id"][:-3]: r["prompt"] for r in records(kept)} == prompts, done)
assert_that("reasons", {r["id"][:-3]: r["curate"]["reason"] for r in records(gone)} == reasons, gone)
assert_that("they are counted", [line.split()[1:3] for line in done.stderr.decode().splitlines() if "_instruction" in line] ==
            [["no_instruction", "2"], ["cut_instruction", "3"]], done.stderr.decode())
assert_that("no thought is written", b"secret" not in kept + gone, kept + gone)
again = run("-q", *words)
assert_that("resumed with cut answers", again.stdout == kept and (room / "rejects").read_bytes() == gone and
            len(asked) - before == len(said), len(asked) - before)
for line in ('{"id":"a"}\n', '{"id":"a","instruction":3}\n'):
    (room / "broken.jsonl").write_text(line)
    assert_exit(f"kept {line}", run("-q", *words[:6], "--endpoint", url, "--resume", room / "broken.jsonl"), 1,
                "broken.jsonl:1:", "instruction")
listener.shutdown()

# ---- the card ----
card = room / "README.md"
assert_exit("card", run("-q", "--from-sources", folder, "--ask", ask, "--card", card, "--against", bench, "--report", room / "t"), 0)
text = card.read_text()
head = text.split("---\n")[1]
assert_that("the card begins with YAML", text.startswith("---\n") and "license: other\n" in head and "- n<1K\n" in head, text)
for part in ("3 pairs of 4 records, with 6 kernels", "--from-sources", "Screened against 1 tasks of", "exact_duplicate",
             "| `none` | 2 |", "| `MIT` | 1 |", "| 100 % |"):
    assert_that(f"the card says {part}", part in text, text)

for names, wanted in ((["MIT"], "mit"), (["GPL-3.0-or-later"], "gpl-3.0"), (["MIT", "ISC"], "other"), (["Beerware"], "other")):
    given = [{"prompt": "p", "response": f"// SPDX-License-Identifier: {n}\nint a{i};"} for i, n in enumerate(names)]
    run("-q", "--dry-run", "--card", card, data=given)
    assert_that(f"the Hub's name of {names}", f"\nlicense: {wanted}\n" in card.read_text(), card.read_text())

for words, fault in ((["--from-sources", folder], "--ask FILE"), (["--endpoint", url], "--from-sources"),
                     (["--resume", "x"], "--endpoint"), (["--requests-per-minute=1"], "--endpoint"), (["--from-sources", folder, "--ask", ask, "x.jsonl"], "FILEs"),
                     (["--from-sources", folder, "--ask", ask, "--tasks", "t"], "--tasks")):
    assert_exit(" ".join(map(str, words)), run(*words), 2, fault)
