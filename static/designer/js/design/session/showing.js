// Answers of the server, put in their places. Owns nothing: what is typed or unsent is kept by `edits`, and outlives an answer.

import { differences, markChanged, values } from "../fields.js";
import { fadeChanges, markResult } from "../freshness.js";
import { place } from "../placing.js";
import { capture, isTyping, rewrite } from "./edits.js";
import { sayNews } from "./note.js";
import { bar } from "./page.js";
import { sayWhereItStands } from "./standing.js";

export function show(html) {
  if (isTyping()) {
    capture(); // before the answer's form takes the place of the one that is typed in
  }
  place(html);
  rewrite();
  markResult();
  fadeChanges();
  sayWhereItStands();
}

// An answer that may hold what others have changed: their fields are marked with their name.
export function showNamed(html) {
  const before = values();
  show(html);
  const names = Object.keys(differences(values(), before).fields);
  const { by } = bar().dataset;
  if (by && names.length) {
    markChanged(names, by);
    sayNews(`Changed by ${by}.`);
  }
}
