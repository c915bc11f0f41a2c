(() => {
"use strict";
// The page is whole without this script, which only finds answers in it.
const element = id => document.getElementById(id);
const answers = [...document.querySelectorAll(".answer")];
const texts = new Map();  // in lower case, each made when it is first asked for

function textOf(answer) {
  if (!texts.has(answer))
    texts.set(answer, [answer.dataset.family, answer.dataset.task + "/" + answer.dataset.sample, answer.textContent].join(" ").toLowerCase());
  return texts.get(answer);
}
// Offers each value that answers have, in the order in which they come, with how many have it.
function offer(name, first) {
  const counts = new Map(first.map(([value, text, of]) => [value, {text, count: answers.filter(of).length}]));
  for (const answer of answers) {
    const value = answer.dataset[name];
    if (!counts.has(value)) counts.set(value, {text: value, count: 0});
    if (!first.some(([taken]) => taken === value)) ++counts.get(value).count;
  }
  for (const [value, {text, count}] of counts)
    element(name).append(new Option(`${text} (${count})`, value));
  return counts.size - first.length;
}
const passed = answer => answer.querySelector("summary em").className === "passed";
// No value of an answer has a line break.
const every = "\nevery", failing = "\nfailing";
function matches(answer) {
  const outcome = element("outcome").value, family = element("family").value;
  return (outcome === every || (outcome === failing ? !passed(answer) : answer.dataset.outcome === outcome)) &&
    (family === every || answer.dataset.family === family) &&
    element("words").value.toLowerCase().split(/\s+/).every(word => textOf(answer).includes(word));
}
function show() {
  let shown = 0;
  for (const answer of answers) {
    answer.hidden = !matches(answer);
    shown += !answer.hidden;
  }
  element("found").textContent = `${shown} of ${answers.length} shown`;
}
function unfold(open) {
  for (const answer of answers) if (!answer.hidden) answer.open = open;
}
// An address that ends in #TASK/SAMPLE opens that answer.
function openNamed() {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* a bare % stands for itself */ }
  const answer = answers.find(a => a.dataset.task + "/" + a.dataset.sample === name);
  if (!answer) return;
  answer.hidden = false;
  answer.open = true;
  answer.scrollIntoView();
}

// A name in a table leads to the answers that have it.
function lead(name) {
  for (const cell of document.querySelectorAll(`[data-filter=${name}] td:first-child`)) {
    if (![...element(name).options].some(option => option.value === cell.textContent)) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...cell.childNodes);
    button.addEventListener("click", () => {
      const value = button.textContent;
      for (const id of ["outcome", "family"]) element(id).value = id === name ? value : every;
      element("words").value = "";
      show();
      element("filter").scrollIntoView();
    });
    cell.append(button);
  }
}

offer("outcome", [[every, "every outcome", () => true], [failing, "not passed", a => !passed(a)]]);
element("family").hidden = offer("family", [[every, "every family", () => true]]) < 2;
lead("outcome");
lead("family");
for (const id of ["words", "outcome", "family"]) element(id).addEventListener("input", show);
element("filter").addEventListener("submit", event => event.preventDefault());
element("unfold").addEventListener("click", () => unfold(true));
element("fold").addEventListener("click", () => unfold(false));
document.addEventListener("keydown", event => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
  event.preventDefault();
  element("words").focus();
});
addEventListener("hashchange", openNamed);
element("filter").hidden = false;
show();
openNamed();
})();
