"""Tasks and candidates attack the evaluator itself with folders that become links, removed rights,
and outputs that are no files. They do so as root and as a plain user, whose sandboxes differ."""

import os
import stat

from _eval import (assert_that, candidate, comparer, generator, modes, need_sandbox, nvcc, prelude, room, run, task,
                   verdicts, write, write_candidates, write_tasks)

need_sandbox()
right = "load(); twice(); store();"
# A script prints this if it sees the caller's secret; only then does it pass.
peek = """
import glob, os
def secrets():
    for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/task/*/environ"):
        try:
            if b"open-sesame" in open(path, "rb").read(): yield path
        except OSError: pass
"""
own = "/proc/self"


def mode_of(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def through(folder):
    """gen.py: the required data first, and then the host's `folder` in the place of data."""
    return generator + f"\nimport os\nos.rename('data', 'old')\nos.symlink({str(folder)!r}, 'data')\n"


def judge(as_user, tasks, *candidates, flags=(), **variables):
    folder = room / ("user" if as_user else ".")
    folder.mkdir(exist_ok=True)
    if as_user:
        os.chown(folder, 65534, 65534)
    path = folder / "v.jsonl"
    path.unlink(missing_ok=True)
    done = run("--nvcc", nvcc, "--launcher=env", "--tasks", write_tasks(room / "t.jsonl", *tasks),
               "--verdicts", path, "--timeout=300", "--memory=4", *flags,
               write_candidates(room / "c.jsonl", *candidates), as_user=as_user, **variables)
    kinds = {key: v["failure"] for key, v in verdicts(path).items()}
    unjudged = [kind == "evaluator" for kind in kinds.values()]
    assert_that(f"ends well (user: {as_user})", done.returncode == (1 if all(unjudged) else 3 if any(unjudged) else 0),
                done.returncode, done.stderr.decode())
    return kinds, verdicts(path)


for as_user in modes():
    user = "user" if as_user else "root"
    owner = 65534 if as_user else os.geteuid()
    # A folder that only the evaluator's user may read.
    secret = room / f"secret-{user}"
    secret.mkdir()
    for name, text in (("x.bin", b"open-sesame"), ("y_ref.bin", b"open-sesame"), ("key", b"key")):
        write(secret / name, text).chmod(0o600)
    secret.chmod(0o700)
    for path in (secret, *secret.iterdir()):
        os.chown(path, owner, owner)

    tasks = [
        task(1, **{"gen.py": through(secret)}),
        task(2, **{"gen.py": generator + f"\nfor n in ('x', 'y_ref'):\n"
                   f"    os.remove(f'data/{{n}}.bin')\n    os.symlink({str(secret)!r} + f'/{{n}}.bin', f'data/{{n}}.bin')\n"}),
        task(3, **{"gen.py": "import shutil\nshutil.rmtree('data')\n"}),
        task(4, **{"gen.py": "import shutil\nshutil.rmtree('data')\nopen('data', 'w')\n"}),
        task(5, **{"gen.py": generator + "\nfor i in range(9000): open(f'data/{i}.bin', 'w')\n"}),
        task(6, **{"gen.py": generator + "\nfor n in os.listdir('data'): os.chmod('data/' + n, 0)\n"
                   "os.chmod('data', 0)\nos.chmod('.', 0)\n"}),
        task(7, **{"gen.py": generator + "\nos.mkfifo('data/a.bin')\nos.mkdir('data/b.bin')\n"
                   "os.symlink('/etc/passwd', 'data/c.bin')\nopen('data/\\xff\\n\\x1b.bin', 'w')\n"}),
        task(8, **{"gen.py": generator + peek + "\nassert not list(secrets())\n",
                   "compare.py": peek + "assert not list(secrets())\n" + comparer}),
        task(9),
        # A sparse file that is larger than the program may write.
        task(10, **{"gen.py": generator + "\nopen('data/y_ref.bin', 'wb').truncate(5 << 30)\n"}),
        task(11, **{"gen.py": generator + "\nfor i in range(12): open(f'data/{i}.bin', 'wb').truncate(400 << 20)\n"}),
    ]
    found, whole = judge(as_user, tasks, *(candidate(i, 0, right) for i in range(1, 12)),
                         CUSET_API_KEY="open-sesame")
    wanted = {(i, 0): "evaluator" for i in (1, 2, 3, 4, 5, 10, 11)} | {(i, 0): None for i in (6, 7, 8, 9)}
    assert_that(f"tasks, {user}", found == wanted, {k: v for k, v in whole.items() if found[k] != wanted[k]})
    for number, words in ((1, "no folder data"), (2, "data/x.bin"), (3, "no folder data"),
                          (4, "no folder data"), (5, "more than 1000 files"), (11, "more than 4294967296 bytes")):
        assert_that(f"reason {number}, {user}", words in whole[number, 0]["diagnostic"], whole[number, 0])
    assert_that(f"the host's folder, {user}", mode_of(secret) == 0o700
                and all(mode_of(path) == 0o600 for path in secret.iterdir()))

    # A program removes rights from its own outputs; right outputs stay right.
    bodies = [
        ("folder", right + 'chmod("data", 0555);', None),
        ("closed folder", right + 'chmod("data", 0);', None),
        ("closed work folder", right + 'chmod("data", 0); chmod(".", 0);', None),
        ("output", right + 'chmod("data/y.bin", 0);', None),
        ("all", right + 'chmod("data/y.bin", 0); chmod("data", 0); chmod(".", 0);', None),
        ("output is a folder", 'mkdir("data/y.bin", 0);', "missing_output"),
        ("output is a link", f'symlink("{secret}/key", "data/y.bin"); chmod("data", 0555);', "missing_output"),
        ("link in a closed folder", right + f'mkdir("d", 0755); symlink("{secret}", "d/l");'
         ' chmod("d", 0555);', None),
        ("no folder", 'rename("data", "other");', "missing_output"),
    ]
    found, whole = judge(as_user, [task(1)], *(candidate(1, i, body)
                                              for i, (_, body, _) in enumerate(bodies)))
    for i, (name, _, kind) in enumerate(bodies):
        assert_that(f"{name}, {user}", found[1, i] == kind, whole[1, i])
    assert_that(f"is a folder, {user}", whole[1, 5]["diagnostic"] == "data/y.bin is a folder", whole[1, 5])
    assert_that(f"is a link, {user}", whole[1, 6]["diagnostic"] == "data/y.bin is a link", whole[1, 6])
    assert_that(f"no folder, {user}", "no folder data" in whole[1, 8]["diagnostic"], whole[1, 8])
    assert_that(f"the link's end, {user}", mode_of(secret) == 0o700 and mode_of(secret / "key") == 0o600)
    left = list((room / ("user" if as_user else ".") / "scratch").iterdir())
    assert_that(f"nothing is left, {user}", not left, left)

    # A compare.py puts something else in the place of an output. The next comparison could then
    # pass wrongly, or all could end. It cannot, since each comparison has its own folder.
    two = task(1, outputs=[{"name": "y"}, {"name": "z"}], **{
        "gen.py": generator + "open('data/z_ref.bin', 'wb').write(b'z' * 8)\n",
        "bench.cu": prelude + "int main() {" + right + ' FILE* f = fopen("data/z.bin", "wb");'
                    ' fwrite("zzzzzzzz", 1, 8, f); fclose(f); }'})
    both = comparer.replace('print("T" if', 'z = open("data/z.bin", "rb").read()\n'
                            'print("T" if z[:1] == b"k" or z == b"z" * 8 and')
    for name, change in (("link", f"os.symlink('{secret}/key', 'data/z.bin')"),
                         ("pipe", "os.mkfifo('data/z.bin')"),
                         ("folder", "os.mkdir('data/z.bin')"),
                         ("closed", "open('data/z.bin', 'w'); os.chmod('data', 0); os.chmod('.', 0)")):
        hostile = both + (f"\nfor change in ('os.remove(\"data/z.bin\")', {change!r}):\n"
                          "    try: exec(change)\n    except OSError: pass\n")
        done = run("--nvcc", nvcc, "--launcher=env", "--check-tasks", "--tasks",
                   write_tasks(room / "t.jsonl", dict(two, **{"compare.py": hostile}), task(2)),
                   as_user=as_user)
        assert_that(f"check of {name}, {user}", done.returncode == 0 and done.stdout.count(b'"weak":[]') == 2,
                    done.stdout, done.stderr)
