"""This opens a page of cuset-view --html in a headless Chromium: the page shows what the records
say."""

import bisect
import json
import os
import random
import subprocess

import _chromium
from _tool import built, case, room as folder, skip

if not _chromium.find():
    skip("Chromium is not installed")
seed = 20261122
print("seed", seed)
rnd = random.Random(seed)


def run(*arguments):
    """The lines that a tool prints."""
    done = subprocess.run([built(arguments[0]), *arguments[1:]], cwd=folder, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().split("\n")[:-1]  # an id may hold U+2028


def scored(name, response, spans=(), mean=0.7, tail=2):
    """Tokens of one to six bytes, some of which split characters, and a few template tokens."""
    size, ends, end = len(response.encode()), [], 0
    while end < size:
        end = min(size, end + rnd.randrange(1, 7))
        ends.append(end)
    ends += [size] * tail
    return {"id": name, "response": response, "tag": {"spans": list(spans)}, "score": {
        "model": "m", "end": ends, "confidence": [float(f"{rnd.random() ** (1 / mean - 1):.6g}") for _ in ends]}}


def write(name, records):
    (folder / name).write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def code(lines):
    body = "".join(f"    if (x[{i}] > {i}) x[{i}] = __fmaf_rn(x[{i}], 2.0f, y[{i % 7}]);\n" for i in range(lines))
    text = f"#include <cstdio>\n\n__global__ void work(float* x, const float* y) {{\n{body}}}\n\nint main() {{\n    work<<<1, 32>>>(nullptr, nullptr);\n}}\n"
    begin, launch = text.index("{"), text.index("<<<")
    return text, [{"kind": "kernel", "name": "work", "begin": begin, "end": text.index("}\n\n") + 1},
                  {"kind": "launch", "name": "work", "begin": launch, "end": text.index(">>>") + 3}]


nasty = ('int a; // </script><script>document.title = "broken"</script> <!-- <b>bold</b> &amp; "quoted"\n'
         "// caf\u00e9 \u6f22\u5b57 \U0001f600 \u2028 \u202e\x1b[31m \x00 \\u003c\n\tint b;\n")
nasty_shown = nasty.replace("\u2028", "<U+2028>").replace("\u202e", "<U+202E>").replace("\x1b", "\u241b").replace("\x00", "\u2400")
records = [scored("plain", *code(30)), scored("</script><img src=x onerror=alert(1)>\u2028\x00", nasty, mean=0.5),
           scored("windowed", *code(60)), scored("no tokens", "int a;\n", tail=0), scored("untagged", code(5)[0])]
records[3]["score"].update(end=[], confidence=[])
write("scored.jsonl", records)
# One record gives the place of its window.
windowed = [json.loads(line) for line in run("cuset-window", "--records", "--plain", "--size", "40", "scored.jsonl")]
records[2] = windowed[2]
write("scored.jsonl", records)
run("cuset-view", "-q", "--html", "page.html", "scored.jsonl")
every = sorted(c for record in records for c in record["score"]["confidence"])
first, nasty_record, third = records[0], records[1], records[2]

browser = _chromium.Browser()
value = browser.value


def shown():
    """The code as a person would copy it from the page."""
    return value("[...document.querySelectorAll('.line:not(.edge) .text')].map(e => e.textContent).join('\\n')")


def show(name):
    value("document.getElementById('filter').value = ''; document.getElementById('filter').dispatchEvent(new Event('input'))")
    value(f"[...document.querySelectorAll('#list li')].find(e => e.querySelector('.id').textContent === {json.dumps(name)}).click()")
    assert value("document.getElementById('name').textContent") == name


def piece(token):
    """A JavaScript expression for a token's (first) element, by its position in the bytes."""
    return f"pieceOf({token})"


# By the text alone: the elements in order, and the bytes of each.
PIECE_OF = """
window.ends = %s;
window.pieceOf = token => {
  let at = 0;
  const begin = token ? ends[token - 1] : 0, encoder = new TextEncoder();
  for (const e of document.querySelectorAll('[data-piece]')) {
    const size = encoder.encode(e.textContent).length;
    const end = at + size + (e.classList.contains('newline') ? 1 : 0);
    if (begin >= at && begin < end) return e;
    at = end;
  }
};
"""


def table_lines(size, number, *options):
    return [row.split("\t")[3] for row in run("cuset-window", *options, "--size", str(size), "scored.jsonl")][number]


def framed():
    numbers = value("[...document.querySelectorAll('.framed .number')].map(e => Number(e.dataset.line))")
    return f"{numbers[0]}-{numbers[-1]}"


case("The page opens without an error, and makes no request")
browser.open(folder / "page.html")
assert browser.requests == [(folder / "page.html").resolve().as_uri()], browser.requests
assert not browser.errors, browser.errors
assert value("document.querySelectorAll('#list li').length") == 5
# The hardest sample comes first, and is open.
lowest = value("[...document.querySelectorAll('#list .value')].map(e => Number(e.textContent))")
assert lowest == sorted(lowest), lowest
assert value("document.querySelector('#list [aria-selected=true] .value').textContent") == f"{lowest[0]:.3f}"

case("A record's content is shown as text, whatever it looks like")
show(records[1]["id"].replace("\u2028", "<U+2028>").replace("\x00", "\u2400"))
assert shown() + "\n" == nasty_shown + "\n", (shown(), nasty_shown)
assert value("document.title").startswith("</script><img src=x"), value("document.title")
assert value("document.images.length + document.querySelectorAll('main script, main b, nav img').length") == 0
assert not browser.errors, browser.errors

case("Hovering over a token shows its probability and its rank")
show("plain")
assert shown() + "\n" == first["response"] + "\n"
value(PIECE_OF % first["score"]["end"])
confidence = first["score"]["confidence"]
for token in (3, 17, 40):
    value(f"{piece(token)}.scrollIntoView({{block: 'center'}})")
    browser.point(1, 1)
    browser.hover_until(piece(token), "!document.getElementById('note').hidden")
    note = value("document.getElementById('note').textContent")
    begin = first["score"]["end"][token - 1]
    text = first["response"].encode()[begin:first["score"]["end"][token]].decode()
    assert note.startswith(text.replace("\n", "\u21b5").replace(" ", "\u2423") + " " + str(confidence[token])), (token, note, text)
    rank = bisect.bisect_left(every, confidence[token]) + 1
    assert f"rank {rank:,} of {len(every):,} in this file" in note, (note, rank)
    assert f"token {token + 1:,} of {len(confidence):,}" in note, note
    # The curve's mark stands over it too.
    x = value("Number(document.querySelector('#curve circle').getAttribute('cx'))")
    width = value("document.getElementById('curve').clientWidth")
    assert abs(x - (34 + (width - 46) * (token + 0.5) / len(confidence))) < 0.6, (token, x)
    # Its colour is that of its step in the scale.
    step = sum(confidence[token] < edge for edge in (0.9, 0.7, 0.5, 0.3, 0.1, 0.01))
    assert value(f"[...{piece(token)}.classList].filter(c => /^s[0-9]$/.test(c)).join()") == (f"s{step}" if step else ""), token

case("In the other direction, the curve shows the token in the code")
box = value("(b => [b.x, b.y, b.width, b.height])(document.getElementById('curve').getBoundingClientRect())")
for token in (len(confidence) - 12, 25):
    browser.point(box[0] + 34 + (box[2] - 46) * (token + 0.5) / len(confidence), box[1] + box[3] / 2, click=True)
    assert value(f"document.querySelector('.current') === {piece(token)}"), token
    assert value(f"(r => r.top >= 0 && r.bottom <= innerHeight)({piece(token)}.getBoundingClientRect())"), token
    assert value("document.getElementById('curve').getAttribute('aria-valuenow')") == str(token + 1)
    assert str(confidence[token]) in value("document.getElementById('spoken').textContent")

case("The frame is at the record's window, or at that which cuset-window finds")
assert framed() == table_lines(256, 0), (framed(), table_lines(256, 0))
show("windowed")
value(PIECE_OF % third["score"]["end"])
assert framed() == table_lines(40, 2, "--clipped"), (framed(), table_lines(40, 2, "--clipped"))
begin, end = third["window"]["token"]
assert value(f"{piece(begin)}.classList.contains('from') && document.querySelectorAll('.from').length === 1")
assert value(f"{piece(end - 1)}.classList.contains('to') || ends[{end - 1}] === ends[{end - 2}]"), end
assert f"hardest {end - begin} tokens, mean {third['window']['min']:.3f}" == value("document.querySelector('.frame').textContent")
# Kernels and launches are marked on their lines.
kernel = [i + 1 for i in range(3, 64)]
marked = value("[...document.querySelectorAll('.line:not(.edge)')].map((e, i) => e.querySelector('.mark.kernel.on') ? i + 1 : 0).filter(Boolean)")
source = third["response"].encode()
span = third["tag"]["spans"][0]
assert marked == list(range(source[:span["begin"]].count(b"\n") + 1, source[:span["end"] - 1].count(b"\n") + 2)), marked

case("A sample without tokens, and one without tags")
show("no tokens")
assert shown() == "int a;" and "no tokens" in value("document.getElementById('numbers').textContent")
browser.hover("document.querySelector('[data-piece]')")
assert value("document.getElementById('note').hidden")
show("untagged")

case("By keyboard alone")
show("plain")
value("document.activeElement.blur()")
for _ in range(30):
    browser.key("Tab")
    if value("document.activeElement.id") == "code":
        break
assert value("document.activeElement.id") == "code" and value("document.getElementById('list').tabIndex") == 0
browser.key("w")
at = value("Number(document.getElementById('curve').getAttribute('aria-valuenow'))")
browser.key("ArrowRight")
assert value("Number(document.getElementById('curve').getAttribute('aria-valuenow'))") > at
browser.wait_for("!document.getElementById('note').hidden")
line = value("document.querySelector('.current').closest('.line').querySelector('.number').dataset.line")
browser.key("ArrowDown")
below = value("document.querySelector('.current').closest('.line').querySelector('.number').dataset.line")
assert int(below) > int(line), (line, below)
browser.key("ArrowUp")
assert value("document.querySelector('.current').closest('.line').querySelector('.number').dataset.line") == line
browser.key("Home")
# A token that began on the line before has a piece there, too.
assert value("[...document.querySelectorAll('.current')].some(e => e.previousElementSibling === null || e.closest('.text').firstElementChild.classList.contains('current'))")
browser.key("Escape")
assert value("document.getElementById('note').hidden")
name = value("document.getElementById('name').textContent")
browser.key("n")
other = value("document.getElementById('name').textContent")
browser.key("p")
assert other != name and value("document.getElementById('name').textContent") == name
browser.key("/")
assert value("document.activeElement.id") == "filter"
browser.type("windo")
assert value("[...document.querySelectorAll('#list .id')].map(e => e.textContent).join()") == "windowed"
browser.key("Enter")
assert value("document.getElementById('name').textContent") == "windowed" and value("document.activeElement.id") == "list"

case("Light and dark: by the system, and by the switch")
background = "getComputedStyle(document.body).backgroundColor"
browser.theme("light")
light = value(background)
browser.theme("dark")
dark = value(background)
assert light == "rgb(255, 255, 255)" and dark == "rgb(20, 20, 27)", (light, dark)
shades = value("getComputedStyle(document.querySelector('#legend .s6')).backgroundColor")
value("document.getElementById('theme').click()")
assert value(background) == light and value("document.getElementById('theme').textContent") == "Theme: light"
assert value("getComputedStyle(document.querySelector('#legend .s6')).backgroundColor") != shades
value("document.getElementById('theme').click()")
browser.theme("light")
assert value(background) == dark
value("document.getElementById('theme').click()")

case("An address with a sample's name opens that sample")
browser.open(folder / "page.html", "#untagged")
assert value("document.getElementById('name').textContent") == "untagged"

case("A kernel of --hardest: it alone is unfolded, and the rest is a button away")
run("cuset-view", "-q", "--hardest", "1", "--size", "16", "--html", "kernel.html", "scored.jsonl")
browser.open(folder / "kernel.html")
source = shown()
visible = "[...document.querySelectorAll('.line:not(.edge)')].map((e, i) => e.hidden ? 0 : i + 1).filter(Boolean)"
row = run("cuset-window", "--within", "kernel", "--top", "1", "--size", "16", "scored.jsonl")[0].split("\t")
record = next(r for r in records if r["id"] == row[2])
span = record["tag"]["spans"][0]
text = record["response"].encode()
body = list(range(text[:span["begin"]].count(b"\n") + 1, text[:span["end"] - 1].count(b"\n") + 2))
assert value(visible) == body, (value(visible), body)
assert value("document.getElementById('name').textContent") == f"kernel work of {row[2]}"
assert f"mean {float(row[0]):.3f}" in value("document.querySelector('.frame').textContent")
lines = value("document.querySelectorAll('.line:not(.edge)').length")
assert value("[...document.querySelectorAll('.fold')].map(e => e.textContent).join()") == \
    f"\u2026 {body[0] - 1} lines,\u2026 {lines - body[-1]} lines"
value("document.querySelector('.fold').click()")
assert value(visible) == list(range(1, body[-1] + 1))
# A token of the curve in a folded line unfolds it.
box = value("(b => [b.x, b.y, b.width, b.height])(document.getElementById('curve').getBoundingClientRect())")
browser.point(box[0] + 34 + (box[2] - 46) * 0.999, box[1] + box[3] / 2, click=True)
assert value(visible) == list(range(1, lines + 1)) and shown() == source

case("Roles are underlined, each by a line of its own, and can be switched off")
run("cuset-tag", "--roles", "scored.jsonl", "-o", "roles.jsonl")
run("cuset-view", "-q", "--id", "plain", "--roles", "all", "--html", "roles.html", "roles.jsonl")
browser.open(folder / "roles.html")
roles = next(json.loads(line) for line in (folder / "roles.jsonl").open() if '"plain"' in line)
wanted = {}
for role, begin, end in roles["tag"]["roles"]:
    text = roles["response"].encode()[begin:end].decode()
    wanted[role] = wanted.get(role, "") + "".join(text.split())
for role, text in wanted.items():
    assert value(f"[...document.querySelectorAll('#code .role-{role}')].map(e => e.textContent.replace(/\\s/g, '')).join('')") == text, role
line = "getComputedStyle(document.querySelector('#code .role-index')).textDecorationLine"
assert value(line) == "underline" and value("!document.getElementById('roles').hidden")
press = "[...document.querySelectorAll('#roles button')].find(e => e.textContent === 'index')"
value(press + ".click()")
assert value(line) == "none" and value(press + ".getAttribute('aria-pressed')") == "false"
assert value(line.replace("role-index", "role-memory")) == "underline"
value(press + ".click()")
assert value(line) == "underline" and value("new Set([...document.querySelectorAll('#roles button')].map(e => getComputedStyle(e).textDecorationStyle + getComputedStyle(e).textDecorationColor)).size") == 9
value("document.querySelector('#code .role-index').scrollIntoView({block: 'center'})")
browser.point(1, 1)
browser.hover_until("document.querySelector('#code .role-index')", "!document.getElementById('note').hidden")
assert "index" in value("document.getElementById('note').lastChild.textContent")
browser.open(folder / "page.html")
assert value("document.getElementById('roles').hidden")

case("Before and after")
after = json.loads(json.dumps(records))
for record in after:
    record["score"]["confidence"] = [float(f"{rnd.random():.6g}") for _ in record["score"]["confidence"]]
write("after.jsonl", after[::-1])  # in another order: matched by id
run("cuset-view", "-q", "--compare", "--html", "compared.html", "scored.jsonl", "after.jsonl")
browser.open(folder / "compared.html", "#plain")
value(PIECE_OF % first["score"]["end"])
later = after[0]["score"]["confidence"]
for token in (5, 30, 31, 32, 33, 34):
    change = later[token] - confidence[token]
    step = sum(abs(change) >= edge for edge in (0.05, 0.2, 0.5))
    assert value(f"[...{piece(token)}.classList].filter(c => /^[rf][0-9]$/.test(c)).join()") == \
        (f"{'f' if change < 0 else 'r'}{step}" if step else ""), (token, change)
value(f"{piece(30)}.scrollIntoView({{block: 'center'}})")
browser.point(1, 1)
browser.hover_until(piece(30), "!document.getElementById('note').hidden")
assert f"{confidence[30]} \u2192 {later[30]}" in value("document.getElementById('note').textContent")
assert not browser.errors, browser.errors

case("Five hundred samples: all are listed, but only one is drawn")
count = 50 if os.environ.get("CUSET_SANITIZERS") else 500
write("many.jsonl", [scored(f"sample {i}", *code(rnd.randrange(10, 80)), mean=rnd.uniform(0.3, 0.9)) for i in range(count)])
run("cuset-view", "-q", "--html", "many.html", "many.jsonl")
browser.open(folder / "many.html")
assert value("document.querySelectorAll('#list li').length") == count
assert value("document.querySelectorAll('.line').length") < 100
lowest = value("[...document.querySelectorAll('#list .value')].map(e => Number(e.textContent))")
assert lowest == sorted(lowest)
for _ in range(5):
    browser.key("n")
assert value("document.querySelectorAll('#list li')[5].getAttribute('aria-selected')") == "true"
browser.key("/")
browser.type(f"sample {count - 1}")
assert value("document.querySelectorAll('#list li').length") == 1
browser.key("Enter")
assert value("document.getElementById('name').textContent") == f"sample {count - 1}"
browser.hover_until("document.querySelectorAll('.framed [data-piece]')[3]", "!document.getElementById('note').hidden")
assert not browser.errors, browser.errors
browser.close()

case("The hardest N samples, and the requested one")
run("cuset-view", "-q", "--hardest", "3", "--within", "response", "--html", "few.html", "many.jsonl")
text = (folder / "few.html").read_text(encoding="utf-8")
heads = [json.loads(part.split("</script>")[0]) for part in text.split('class="head">')[1:]]
table = sorted((float(row.split("\t")[0]), row.split("\t")[2]) for row in run("cuset-window", "many.jsonl"))
assert [head["id"] for head in heads] == [name for _, name in table[:3]], (heads, table[:3])
