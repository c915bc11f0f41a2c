"use strict";
(() => {
const settings = JSON.parse(document.getElementById("settings").textContent);
const compared = settings.models.length === 2;
const element = id => document.getElementById(id);
const make = (tag, name, text) => {
  const e = document.createElement(tag);
  if (name) e.className = name;
  if (text !== undefined) e.textContent = text;
  return e;
};
const draw = (tag, attributes, parent) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const name in attributes) e.setAttribute(name, attributes[name]);
  if (parent) parent.append(e);
  return e;
};
const mean = (values, first, last) => {
  let sum = 0;
  for (let i = first; i < last; ++i) sum += values[i];
  return sum / (last - first);
};
const signed = (value, digits) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(digits);
const number = value => value.toLocaleString("en");

// ---- Samples: heads are read at once, bodies when they are looked at -----------------------------

const bodies = document.querySelectorAll("script.body");
const samples = [...document.querySelectorAll("script.head")].map((script, index) => {
  const head = JSON.parse(script.textContent);
  head.index = index;
  head.lowest = head.means.length ? head.means[1] : 1;
  head.change = head.means.length === 4 ? head.means[2] - head.means[0] : 0;
  head.title = head.kernel ? `kernel ${head.kernel.name} of ${head.id}` : head.id;
  head.names = head.kernel ? head.kernel.name : head.spans.map(span => span.name).filter((name, i, all) => name && all.indexOf(name) === i).join(", ");
  head.searched = (head.id + "\n" + head.names).toLowerCase();
  return head;
});
const readBody = index => JSON.parse(bodies[index].textContent);
const tokenCount = samples.reduce((sum, head) => sum + head.tokens, 0);

// Every confidence of the page in order, for ranks: gathered while nothing else is to be done.
let sortedConfidences = null;
const everyConfidence = new Float64Array(tokenCount);
let gathered = 0, gatheredTokens = 0;
function gather(mayGoOn) {
  while (gathered < samples.length && mayGoOn()) {
    const values = readBody(gathered++).confidence;
    everyConfidence.set(values, gatheredTokens);
    gatheredTokens += values.length;
  }
  if (gathered === samples.length && !sortedConfidences) sortedConfidences = everyConfidence.sort();
}
function gatherWhenIdle() {
  const idle = window.requestIdleCallback || (f => setTimeout(() => f({timeRemaining: () => 8}), 20));
  idle(deadline => {
    gather(() => deadline.timeRemaining() > 2);
    if (!sortedConfidences) gatherWhenIdle();
  });
}
// 1 is the least likely token; equals share the best rank.
function rankOf(confidence) {
  gather(() => true);
  let low = 0, high = sortedConfidences.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sortedConfidences[middle] < confidence) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

// ---- Colours --------------------------------------------------------------------------------------

const below = confidence => settings.confidence_edges.filter(edge => confidence < edge).length;
function shadeOf(sample, first, last) {
  if (first >= last) return "";
  if (!compared) {
    const step = below(Math.min(...sample.confidence.slice(first, last)));
    return step ? "s" + step : "";
  }
  let most = 0;
  for (let t = first; t < last; ++t) {
    const change = sample.after[t] - sample.confidence[t];
    const step = settings.change_edges.filter(edge => Math.abs(change) >= edge).length * Math.sign(change);
    if (Math.abs(step) > Math.abs(most)) most = step;
  }
  return most ? (most > 0 ? "r" : "f") + Math.abs(most) : "";
}
function showLegend() {
  const legend = element("legend");
  const cell = (name, text) => legend.append(make("span", name, text));
  if (compared) {
    cell("", "fell by");
    settings.change_edges.map((edge, i) => [i, edge]).reverse().forEach(([i, edge]) => cell("f" + (i + 1), "≥" + edge));
    cell("", "rose by");
    settings.change_edges.forEach((edge, i) => cell("r" + (i + 1), "≥" + edge));
  } else {
    cell("", "confidence ≥" + settings.confidence_edges[0]);
    settings.confidence_edges.forEach((edge, i) => cell("s" + (i + 1), "<" + edge));
  }
}

// Roles are a layer of its own: each can be switched off.
function showRoles() {
  element("roles").hidden = !settings.roles.length;
  for (const role of settings.roles) {
    const button = make("button", "role-" + role, role);
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    button.onclick = () => {
      const hides = element("code").classList.toggle("hide-" + role);
      button.setAttribute("aria-pressed", String(!hides));
    };
    element("roles").append(button);
  }
}

// The text of a piece, with an element around each part that has a role.
function withRoles(text, parts) {
  const out = [];
  let at = 0;
  for (const [, begin, end, role] of parts) {
    out.push(text.slice(at, begin), make("span", "role-" + settings.role_names[role], text.slice(begin, end)));
    at = end;
  }
  return [...out, text.slice(at)];
}

const themes = ["auto", "light", "dark"];
let theme = 0;
function setTheme(index) {
  theme = index % themes.length;
  if (theme) document.documentElement.dataset.theme = themes[theme];
  else delete document.documentElement.dataset.theme;
  element("theme").textContent = "Theme: " + themes[theme];
  try { localStorage.setItem("cuset-view-theme", themes[theme]); } catch { /* a page without storage */ }
}

// ---- The list -------------------------------------------------------------------------------------

const orders = {
  "hardest window": (a, b) => a.lowest - b.lowest,
  ...(compared ? {"fell most": (a, b) => a.change - b.change, "rose most": (a, b) => b.change - a.change} : {}),
  "order of the file": () => 0,
  "id": (a, b) => a.id.localeCompare(b.id, "en", {numeric: true}),
  "most tokens": (a, b) => b.tokens - a.tokens,
};
let listed = [];
function showList() {
  const words = element("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const order = orders[element("sort").value];
  listed = samples.filter(head => words.every(word => head.searched.includes(word)))
    .sort((a, b) => order(a, b) || a.index - b.index);
  const items = document.createDocumentFragment();
  for (const head of listed) {
    const item = make("li");
    item.id = "sample" + head.index;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", String(shown !== null && shown.head === head));
    item.append(make("span", "id", head.id),
                make("span", "value", compared ? signed(head.change, 3) : head.lowest.toFixed(3)));
    const bar = make("span", "bar"), filled = make("i");
    filled.style.width = 100 * head.lowest + "%";
    bar.append(filled);
    item.append(bar, make("span", "under", head.names));
    items.append(item);
  }
  element("list").replaceChildren(items);
  element("found").textContent = listed.length === samples.length
    ? `${number(samples.length)} samples` : `${number(listed.length)} of ${number(samples.length)} samples`;
}
function markListed() {
  for (const item of element("list").querySelectorAll('[aria-selected="true"]')) item.setAttribute("aria-selected", "false");
  const item = shown && element("sample" + shown.head.index);
  element("list").setAttribute("aria-activedescendant", item ? item.id : "");
  if (!item) return;
  item.setAttribute("aria-selected", "true");
  item.scrollIntoView({block: "nearest"});
}
function step(by) {
  if (!listed.length) return;
  const at = shown ? listed.indexOf(shown.head) : -1;
  open(listed[Math.max(0, Math.min(listed.length - 1, at < 0 ? 0 : at + by))]);
}

// ---- The code -------------------------------------------------------------------------------------

let shown = null;  // {head, confidence, after, smooth, pieces: [{element, first, last, line}], pieceOf}
let current = -1;  // token

function smoothed(values) {
  const sums = new Float64Array(values.length + 1);
  values.forEach((value, i) => { sums[i + 1] = sums[i] + value; });
  const before = Math.floor(settings.smoothing / 2), after = settings.smoothing - before;
  return values.map((_, t) => {
    const first = Math.max(0, t - before), last = Math.min(values.length, t + after);
    return (sums[last] - sums[first]) / (last - first);
  });
}

function addMargin(line, index, sample, first, last) {
  const margin = make("span", "number");
  margin.dataset.line = index + 1;
  line.append(margin);
  const spark = draw("svg", {class: "spark", viewBox: "0 0 46 16", preserveAspectRatio: "none", "aria-hidden": "true"}, line);
  const cells = Math.min(8, last - first);
  let path = "";
  for (let cell = 0; cell < cells; ++cell) {
    const from = first + Math.floor((last - first) * cell / cells);
    const to = first + Math.floor((last - first) * (cell + 1) / cells);
    path += `M${3 + 5.6 * cell} 16V${(15 - 14 * mean(sample.smooth, from, to)).toFixed(1)}`;
  }
  if (path) draw("path", {d: path}, spark);
  if (compared) {
    const change = make("span", "change");
    const value = cells ? mean(sample.after, first, last) - mean(sample.confidence, first, last) : 0;
    change.dataset.change = !cells ? "" : Math.abs(value) < .005 ? "0.00" : signed(value, 2);
    line.append(change);
  }
  for (const kind of ["kernel", "launch"]) {
    const mark = make("span", "mark " + kind);
    const on = sample.head.spans.filter(span => (span.kind === "launch") === (kind === "launch") && index >= span.lines[0] && index <= span.lines[1]);
    if (on.length) {
      mark.classList.add("on");
      mark.title = on.map(span => span.kind + " " + span.name).join(", ");
    }
    line.append(mark);
  }
}

function open(head) {
  const sample = readBody(head.index);
  sample.head = head;
  sample.smooth = smoothed(compared ? sample.after : sample.confidence);
  sample.smoothBefore = compared ? smoothed(sample.confidence) : null;
  sample.pieces = [];
  sample.pieceOf = [];
  sample.rolesOf = new Map();
  for (const part of sample.roles) {
    if (!sample.rolesOf.has(part[0])) sample.rolesOf.set(part[0], []);
    sample.rolesOf.get(part[0]).push(part);
  }
  const code = document.createDocumentFragment();
  const [windowFirst, windowLast] = head.window;
  // An edge of the frame stands behind a margin like any line.
  const edge = (name, text, index) => {
    const line = make("div", "line edge");
    addMargin(line, index, sample, 0, 0);
    line.append(make("div", name, text));
    code.append(line);
  };
  let next = 0, first = 0, last = 0, text = make("span", "text"), lineFirst = -1, lineCount = 0;
  // The lines that are not shown, above or below, are one button that shows them.
  const shownLines = head.shown || [0, Infinity];
  const folded = {above: [], below: []};
  const fold = lines => {
    if (!lines.length) return;
    const button = make("button", "fold", `… ${number(lines.length)} ${lines.length === 1 ? "line" : "lines"}`);
    button.type = "button";
    button.onclick = () => {
      for (const line of lines) line.hidden = false;
      button.remove();
    };
    lines[0].before(button);
  };
  const endLine = () => {
    const line = make("div", "line");
    if (lineCount < shownLines[0]) folded.above.push(line);
    if (lineCount >= shownLines[1]) folded.below.push(line);
    line.hidden = lineCount < shownLines[0] || lineCount >= shownLines[1];
    if (head.frame && lineCount === head.frame[0]) {
      const kept = compared ? ` → ${head.means[3].toFixed(3)}` : "";
      edge("frame", `hardest ${number(head.counted)} tokens, mean ${head.means[1].toFixed(3)}${kept}`, lineCount - .5);
    }
    if (head.frame && lineCount >= head.frame[0] && lineCount <= head.frame[1]) line.classList.add("framed");
    addMargin(line, lineCount, sample, lineFirst < 0 ? last : lineFirst, last);
    line.append(text);
    code.append(line);
    if (head.frame && lineCount === head.frame[1]) edge("frame foot", "", lineCount + .5);
    text = make("span", "text");
    lineFirst = -1;
    ++lineCount;
  };
  sample.text.forEach((piece, index) => {
    if (sample.count[index] >= 0) [first, last] = [next, next += sample.count[index]];
    if (lineFirst < 0) lineFirst = first;
    const ends = piece.endsWith("\n");
    const span = make("span");
    span.append(...withRoles(ends ? piece.slice(0, -1) : piece, sample.rolesOf.get(index) || []));
    span.dataset.piece = index;
    if (first === last) span.classList.add("unscored");
    else if (piece === "") span.classList.add("end");
    if (ends) span.classList.add("newline");
    const shade = shadeOf(sample, first, last);
    if (shade) span.classList.add(shade);
    if (first < last && sample.count[index] >= 0 && windowFirst >= first && windowFirst < last) span.classList.add("from");
    if (first < last && windowLast > first && windowLast <= last && !(sample.count[index + 1] < 0)) span.classList.add("to");
    sample.pieces.push({element: span, first, last, line: lineCount});
    for (let t = first; t < last; ++t) if (sample.pieceOf[t] === undefined) sample.pieceOf[t] = index;
    text.append(span);
    if (ends) endLine();
  });
  if (text.childNodes.length) endLine();
  fold(folded.above);
  fold(folded.below);
  shown = sample;
  current = -1;
  const lines = make("div", "lines");
  lines.append(code);
  element("code").replaceChildren(lines);
  element("code").scrollTop = element("code").scrollLeft = 0;
  showTitle();
  markListed();
  hideNote();
  showCurve();
  goToWindow();
  try { history.replaceState(null, "", "#" + encodeURIComponent(head.title)); } catch { /* where pages have no address */ }
}

function showTitle() {
  const head = shown.head, arrow = (a, b) => b === undefined ? a.toFixed(3) : `${a.toFixed(3)} → ${b.toFixed(3)}`;
  element("name").textContent = head.title;
  document.title = head.title + " – cuset-view";
  const own = head.kernel ? `${head.kernel.place}, lines ${lineRange(head.kernel.lines)}, ` : "";
  element("numbers").textContent = !head.tokens ? "no tokens"
    : `${own}${number(head.kernel ? head.kernel.tokens : head.tokens)} tokens, mean ${arrow(head.means[0], head.means[2])}, hardest window ${arrow(head.means[1], head.means[3])}`;
  element("spans").replaceChildren(...head.spans.map(span => {
    const button = make("button", span.kind === "launch" ? "launch" : "kernel", `${span.kind} ${span.name} ${lineRange(span.lines)}`);
    button.type = "button";
    button.onclick = () => {
      unfold(lineElement(span.lines[0]));
      lineElement(span.lines[0]).scrollIntoView({block: "start"});
    };
    return button;
  }));
}
const lineRange = ([first, last]) => first === last ? first + 1 : `${first + 1}–${last + 1}`;
function unfold(line) {
  if (!line.hidden) return;
  for (const button of element("code").querySelectorAll(".fold")) button.click();
}
const lineElement = line => element("code").querySelectorAll(".line:not(.edge)")[line];

function goToWindow() {
  const [first, last] = shown.head.window;
  if (first === last) return;
  select(first);
  const label = element("code").querySelector(".frame");
  if (label) label.scrollIntoView({block: "nearest"}), label.scrollIntoView({block: "start"});
  element("code").scrollLeft = 0;
  if (label) element("code").scrollTop -= 40;
}

// ---- One token: in the code, on the curve, in the note --------------------------------------------

function visible(text) {
  return text.replace(/\n/g, "↵").replace(/\t/g, "⇥").replace(/ /g, "␣");
}
function textOf(token) {
  const own = shown.pieces.map((piece, i) => piece.first <= token && token < piece.last ? shown.text[i] : "");
  return visible(own.join(""));
}
function select(token, options = {}) {
  if (!shown || token < 0 || token >= shown.head.tokens) return;
  for (const e of element("code").querySelectorAll(".current")) e.classList.remove("current");
  current = token;
  const piece = shown.pieces[shown.pieceOf[token]];
  unfold(piece.element.closest(".line"));
  for (const p of piecesOf(token)) p.element.classList.add("current");
  if (options.scroll) piece.element.scrollIntoView({block: options.scroll, inline: "nearest"});
  moveCursor();
  const curve = element("curve");
  curve.setAttribute("aria-valuenow", token + 1);
  curve.setAttribute("aria-valuetext", spoken(token));
  if (options.note) showNote(piece.element.getBoundingClientRect());
  if (options.speak) element("spoken").textContent = spoken(token);
}
const piecesOf = token => {
  const found = [];
  for (let i = shown.pieceOf[token]; i < shown.pieces.length && shown.pieces[i].first <= token && token < shown.pieces[i].last; ++i) found.push(shown.pieces[i]);
  return found;
};
const spoken = token => `${textOf(token) || "template token"}: ` + (compared
  ? `${shown.confidence[token]}, then ${shown.after[token]}` : String(shown.confidence[token]));

function showNote(box) {
  const note = element("note"), piece = shown.pieces[shown.pieceOf[current]];
  note.replaceChildren();
  const shared = piece.last - piece.first;
  for (let t = shared > 1 ? piece.first : current; t < (shared > 1 ? piece.last : current + 1); ++t) {
    const row = make("div"), confidence = shown.confidence[t];
    row.append(make("code", "", shared > 1 && t > piece.first ? "…" : textOf(t) || "▯ of the chat template"), " ",
               make("b", "", String(confidence)));
    if (compared) {
      row.append(" → ", make("b", "", String(shown.after[t])));
      note.append(row, make("div", "", signed(shown.after[t] - confidence, 4)));
    } else {
      note.append(row);
    }
    note.append(make("div", "", `rank ${number(rankOf(confidence))} of ${number(tokenCount)} in this file (1 is the least likely)`),
                make("div", "", `token ${number(t + 1)} of ${number(shown.head.tokens)}, around it ${shown.smooth[t].toFixed(3)}`));
  }
  if (shared > 1) note.append(make("div", "", `${shared} tokens share a character`));
  const roles = piecesOf(current).flatMap(p => shown.rolesOf.get(Number(p.element.dataset.piece)) || []).map(part => settings.role_names[part[3]]);
  if (roles.length) note.append(make("div", "", "role " + [...new Set(roles)].join(", ")));
  note.hidden = false;
  const left = Math.max(8, Math.min(box.left, innerWidth - note.offsetWidth - 8));
  const under = box.bottom + 8 + note.offsetHeight < innerHeight;
  note.style.left = left + "px";
  note.style.top = (under ? box.bottom + 8 : Math.max(8, box.top - note.offsetHeight - 8)) + "px";
}
function hideNote() { element("note").hidden = true; }

// ---- The curve ------------------------------------------------------------------------------------

const edge = {left: 34, right: 12, top: 12, bottom: 24};
let cursor = null;
function showCurve() {
  const box = element("curve"), width = box.clientWidth, height = box.clientHeight;
  const svg = draw("svg", {"aria-hidden": "true"});
  box.replaceChildren(svg);
  box.setAttribute("aria-valuemax", Math.max(1, shown.head.tokens));
  cursor = null;
  if (!shown.head.tokens) return;
  const x = at => edge.left + (width - edge.left - edge.right) * at / shown.head.tokens;
  const y = value => edge.top + (height - edge.top - edge.bottom) * (1 - value);
  const [first, last] = shown.head.window;
  draw("rect", {class: "window", x: x(first), y: edge.top, width: x(last) - x(first), height: y(0) - y(1)}, svg);
  for (const value of [0, .5, 1]) {
    draw("line", {class: "grid", x1: edge.left, x2: width - edge.right, y1: y(value), y2: y(value)}, svg);
    draw("text", {x: edge.left - 6, y: y(value) + 4, "text-anchor": "end"}, svg).textContent = value;
  }
  // Kernels and launches, under the curve.
  for (const span of shown.head.spans) {
    const inside = shown.pieces.filter(p => p.line >= span.lines[0] && p.line <= span.lines[1] && p.first < p.last);
    if (!inside.length) continue;
    const launch = span.kind === "launch";
    draw("rect", {class: launch ? "launch" : "kernel", x: x(inside[0].first), y: y(0) + (launch ? 9 : 3), height: 5,
                  width: Math.max(2, x(inside[inside.length - 1].last) - x(inside[0].first))}, svg);
  }
  const values = compared ? shown.after : shown.confidence;
  draw("path", {class: "raw", d: values.map((value, t) => `M${x(t + .5).toFixed(1)} ${y(0)}V${y(value).toFixed(1)}`).join("")}, svg);
  const line = (name, smooth) => draw("path", {class: name, d: "M" + smooth.map((value, t) => `${x(t + .5).toFixed(1)} ${y(value).toFixed(1)}`).join("L")}, svg);
  if (compared) line("before", shown.smoothBefore);
  line("smooth", shown.smooth);
  draw("text", {x: width - edge.right, y: height - 4, "text-anchor": "end"}, svg).textContent =
    `confidence, mean of ${settings.smoothing} tokens` + (compared ? "; dashed before" : "");
  cursor = {x, y, line: draw("line", {class: "cursor", y1: edge.top, y2: y(0)}, svg), dot: draw("circle", {r: 4}, svg)};
  moveCursor();
}
function moveCursor() {
  if (!cursor || current < 0) return;
  const x = cursor.x(current + .5);
  cursor.line.setAttribute("x1", x);
  cursor.line.setAttribute("x2", x);
  cursor.dot.setAttribute("cx", x);
  cursor.dot.setAttribute("cy", cursor.y(shown.smooth[current]));
}
function tokenAt(event) {
  const box = element("curve").getBoundingClientRect();
  const at = (event.clientX - box.left - edge.left) / (box.width - edge.left - edge.right);
  return Math.max(0, Math.min(shown.head.tokens - 1, Math.floor(at * shown.head.tokens)));
}

// ---- Pointer and keys -----------------------------------------------------------------------------

element("code").addEventListener("pointerover", event => {
  const target = event.target.closest("[data-piece]");
  if (!target) return hideNote();
  const piece = shown.pieces[target.dataset.piece];
  if (piece.first === piece.last) return hideNote();
  select(piece.first);
  showNote(target.getBoundingClientRect());
});
element("code").addEventListener("pointerleave", hideNote);
element("code").addEventListener("scroll", hideNote);
element("curve").addEventListener("pointermove", event => {
  if (shown && shown.head.tokens) select(tokenAt(event), {scroll: "center", note: true});
});
element("curve").addEventListener("pointerdown", event => {
  if (shown && shown.head.tokens) select(tokenAt(event), {scroll: "center", note: true, speak: true});
});
element("curve").addEventListener("pointerleave", hideNote);

// The scored piece of another line that is nearest to this one's middle.
function acrossLines(by) {
  const from = shown.pieces[shown.pieceOf[current]], box = from.element.getBoundingClientRect();
  for (let line = from.line + by; line >= 0 && line <= shown.pieces[shown.pieces.length - 1].line; line += by) {
    let best = null, least = Infinity;
    for (const piece of shown.pieces) {
      if (piece.line !== line || piece.first === piece.last || shown.pieces[shown.pieceOf[piece.first]] !== piece) continue;
      const b = piece.element.getBoundingClientRect(), away = Math.abs(b.left + b.width / 2 - box.left - box.width / 2);
      if (away < least) [best, least] = [piece, away];
    }
    if (best) return best.first;
  }
  return current;
}
function lineEnd(last) {
  const line = shown.pieces[shown.pieceOf[current]].line;
  const own = shown.pieces.filter(p => p.line === line && p.first < p.last);
  return last ? own[own.length - 1].last - 1 : own[0].first;
}
const after = token => Math.min(shown.head.tokens - 1, shown.pieces[shown.pieceOf[token]].last);
const ahead = token => Math.max(0, shown.pieces[shown.pieceOf[token]].first - 1);
const codeKeys = {
  ArrowRight: () => after(current), ArrowLeft: () => ahead(current),
  ArrowDown: () => acrossLines(1), ArrowUp: () => acrossLines(-1),
  Home: () => lineEnd(false), End: () => lineEnd(true),
};
const curveKeys = {
  ArrowRight: () => after(current), ArrowLeft: () => ahead(current),
  ArrowUp: () => after(current), ArrowDown: () => ahead(current),
  PageDown: () => Math.min(shown.head.tokens - 1, current + 32), PageUp: () => Math.max(0, current - 32),
  Home: () => 0, End: () => shown.head.tokens - 1,
};
let asked = 0;  // notes by key; what comes later takes the place of what is still to come
const plain = event => !event.ctrlKey && !event.metaKey && !event.altKey;
for (const [place, keys] of [["code", codeKeys], ["curve", curveKeys]])
  element(place).addEventListener("keydown", event => {
    if (!plain(event) || !keys[event.key] || !shown || !shown.head.tokens) return;
    event.preventDefault();
    const token = current < 0 ? shown.head.window[0] : keys[event.key]();
    select(token, {scroll: "nearest", speak: true});
    // Scrolling hides the note: it comes back when that is over.
    const mine = ++asked, sample = shown;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (mine === asked && sample === shown) showNote(shown.pieces[shown.pieceOf[current]].element.getBoundingClientRect());
    }));
  });
element("list").addEventListener("click", event => {
  const item = event.target.closest("li");
  if (item) open(samples[item.id.slice("sample".length)]);
});
const listKeys = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity};
element("list").addEventListener("keydown", event => {
  if (!plain(event) || !(event.key in listKeys)) return;
  event.preventDefault();
  step(listKeys[event.key]);
});
element("filter").addEventListener("input", () => { showList(); markListed(); });
element("filter").addEventListener("keydown", event => {
  if (event.key !== "Enter" && event.key !== "ArrowDown") return;
  event.preventDefault();
  if (listed.length && !listed.includes(shown && shown.head)) open(listed[0]);
  element("list").focus();
});
element("sort").addEventListener("change", () => { showList(); markListed(); });
element("theme").addEventListener("click", () => setTheme(theme + 1));
element("help").addEventListener("click", () => {
  element("keys").hidden = !element("keys").hidden;
  element("help").setAttribute("aria-expanded", String(!element("keys").hidden));
});
document.addEventListener("keydown", event => {
  if (event.key === "Escape") {
    ++asked;
    hideNote();
  }
  if (!plain(event) || event.target.matches("input, select")) return;
  const action = {
    "/": () => element("filter").focus(), n: () => step(1), p: () => step(-1), t: () => setTheme(theme + 1),
    w: () => { if (shown) { goToWindow(); element("code").focus({preventScroll: true}); } },
  }[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
new ResizeObserver(() => { if (shown) showCurve(); }).observe(element("curve"));

// ---- Begin ----------------------------------------------------------------------------------------

let kept = "auto";
try { kept = localStorage.getItem("cuset-view-theme"); } catch { /* a page without storage */ }
setTheme(Math.max(0, themes.indexOf(kept)));
if (compared) document.body.classList.add("compared");
element("summary").textContent = `${number(samples.length)} samples, ${number(tokenCount)} tokens` +
  (compared ? ` – ${settings.models[0]} → ${settings.models[1]}` : "");
showLegend();
showRoles();
for (const name in orders) element("sort").append(make("option", "", name));
showList();
let address = "";
try { address = decodeURIComponent(location.hash.slice(1)); } catch { /* no sample has such a name */ }
const begin = samples.find(head => head.title === address) || listed[0];
if (begin) open(begin);
gatherWhenIdle();
})();
