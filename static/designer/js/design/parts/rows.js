// A line of parts as rows: part, pieces, and a length where the part is a cable. Without this script it is the line.
// Parts are chosen from those of this design's bill of materials and of the catalog, which are fetched when they are needed.

import { each, keepInside, make, write } from "./elements.js";

const NONE = "none";
const ENTRY = /^([^\s:]+)(?:\s+(\S+)\s*m)?(?:\s*:\s*(.*))?$/i;
const list = make("datalist", { id: "parts-offered" });
let offered = new Map(); // what is typed for a part → its name
let of = null; // the design and state that they are of

async function offer() {
  const form = document.getElementById("design-form");
  const now = `${form.dataset.design} ${document.getElementById("studio-bar")?.dataset.seen ?? ""}`;
  if (of === now) {
    return;
  }
  of = now;
  try {
    const answer = await fetch(form.dataset.edits.replace(/edits\/.*/, "parts/"), { headers: { Accept: "application/json" } });
    const { parts } = await answer.json();
    offered = new Map(parts.map(({ part, name }) => [part, name]));
    list.replaceChildren(...parts.map(({ part, name, note }) => make("option", { value: part, label: `${name}${note && `, ${note}`}` })));
  } catch {
    of = null; // asked again with the next focus; an id can be typed all the same
  }
}

// An entry of the line as part, with its length where it has one, and pieces.
function split(entry) {
  const [, part, length, pieces] = entry.match(ENTRY) ?? [null, entry];
  return [length ? `${part} ${length} m` : part, pieces ?? ""];
}

const joined = ([part, pieces]) => (part && pieces ? `${part}: ${pieces}` : part);
const entriesOf = (line) => (line && line !== NONE ? line.split(";").map((one) => one.trim()).filter(Boolean) : []);
const entryOf = (row) => joined([...row.querySelectorAll("input")].map((input) => input.value.trim()));
const isTyped = (row) => !entryOf(row) || entryOf(row) !== row.dataset.entry;

function name(row) {
  const part = row.querySelector("input").value.trim();
  row.querySelector(".cell-note").textContent = offered.get(part) ?? "";
}

function rowOf(part, pieces) {
  const what = make("input", { type: "text", list: list.id, value: part, autocomplete: "off", spellcheck: "false", "aria-label": "Part", placeholder: "Part", maxlength: "120" });
  const count = make("input", { type: "text", inputmode: "numeric", class: "numeric", value: pieces, autocomplete: "off", "aria-label": "Pieces", placeholder: "all" });
  const out = make("button", { type: "button", class: "quiet-button", title: "Take out" }, "×", make("span", { class: "visually-hidden" }, `Take ${part || "this part"} out`));
  const row = make("div", { class: "part-row", "data-entry": joined([part, pieces]) }, what, count, out, make("span", { class: "cell-note" }));
  what.addEventListener("focus", () => offer().then(() => name(row)));
  return row;
}

// Rows by the field of their line. A form that takes the place of another goes on with those of the same entries, and with those
// that were just added or typed in.
const rowsOf = new Map();
let carried = new Map();
const unfinished = new Map(); // by the same field: what takes up that a row is typed in
let isLeaving = false; // a form that is taken out of the page loses its focus: what is typed goes on, and is not finished

function connect(field) {
  const rows = make("div", { class: "part-rows" });
  const add = make("button", { type: "button", class: "button small" }, "Add a part");
  const holder = make("div", { class: "part-list" }, rows, add);
  let shown = null;

  function save() {
    if (isLeaving) {
      return;
    }
    for (const row of rows.children) {
      row.dataset.entry = entryOf(row);
    }
    shown = [...rows.children].map(entryOf).filter(Boolean).join("; ") || (shown ? NONE : "");
    write(field, shown);
  }

  function show(before = [...rows.children]) {
    if (field.value === shown) {
      return;
    }
    shown = field.value;
    const left = [...before];
    const saved = entriesOf(shown).map(split).map((entry) => {
      const at = left.findIndex((row) => row.dataset.entry === joined(entry));
      return at === -1 ? rowOf(...entry) : left.splice(at, 1)[0];
    });
    rows.replaceChildren(...saved, ...left.filter(isTyped));
    nameAll();
  }

  function nameAll() {
    if (rows.children.length && !field.closest("details:not([open])")) {
      offer().then(() => [...rows.children].forEach(name));
    }
  }

  rows.addEventListener("input", ({ target }) => {
    name(target.closest(".part-row"));
  });
  rows.addEventListener("change", save);
  function finish() {
    if ([...rows.children].some((row) => entryOf(row) !== row.dataset.entry)) {
      save();
    }
  }

  rows.addEventListener("focusout", finish); // a field that was moved into this form fires no change
  rows.addEventListener("click", ({ target }) => {
    if (target.closest("button")) {
      target.closest(".part-row").remove();
      save();
      add.focus();
    }
  });
  add.addEventListener("click", () => {
    const row = rowOf("", "");
    rows.append(row);
    row.querySelector("input").focus();
  });
  field.form.addEventListener("toggle", nameAll, true);
  keepInside(holder);
  field.parentElement.querySelector(".part-list")?.remove();
  field.hidden = true;
  field.after(holder);
  isLeaving = false;
  show(carried.get(field.name));
  rowsOf.set(field.name, () => [...rows.children]);
  unfinished.set(field.name, finish);
  return () => show();
}

document.addEventListener("studio:replacing", () => {
  isLeaving = true;
  carried = new Map([...rowsOf].map(([of, standing]) => [of, standing()]));
});
window.addEventListener("pagehide", () => unfinished.forEach((finish) => finish())); // a page that is left fires no change
document.body.append(list);
each("input[data-rows]", connect);
