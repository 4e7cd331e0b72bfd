// What two have changed at once. The server answers with both values, and its note stays until one of them is chosen: in the page,
// and in the browser (`unsent`), so that a reload does not choose for its reader. Owns nothing else.

import { write } from "../fields.js";
import { newStep } from "./edits.js";
import { key } from "./page.js";
import { changed } from "./sending.js";
import { disputed, keepDisputed } from "./unsent.js";

const note = () => document.getElementById("session-conflict");
const rows = () => [...note().querySelectorAll("[data-field]")];

export function restoreConflict() {
  const html = disputed(key());
  if (html) {
    note().outerHTML = html;
  }
}

function clear() {
  keepDisputed(key(), "");
  note().replaceChildren();
  note().className = "";
}

// The server kept theirs, so that taking it changes nothing; mine is one more edit, which Undo takes back.
document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-show-theirs]")) {
    clear();
  } else if (target.closest("[data-keep-mine]")) {
    const mine = rows();
    clear();
    newStep("mine");
    write(Object.fromEntries(mine.map(({ dataset }) => [dataset.field, dataset.text])));
    changed();
  }
});

// A field that its reader sets again is settled: neither of the two values is offered any more.
document.addEventListener("input", ({ target }) => {
  const settled = target.closest("#design-form") && rows().find(({ dataset }) => dataset.field === target.name);
  if (!settled) {
    return;
  }
  settled.remove();
  if (rows().length) {
    keepDisputed(key(), note().outerHTML);
  } else {
    clear();
  }
});
