// The edits of this page that the server has not acknowledged. Owns their queue, which of them is under way, what the fields
// held when the newest was made, the step that the next belongs to, and what was acknowledged while the page was being left. It
// sends nothing.

import { differences, form, values, write } from "../fields.js";
import { bar, key } from "./page.js";
import { add, keep, takeOver } from "./unsent.js";

const LEAVING_MS = 10_000; // after which a page that was to be left, as for a file, has stayed

let queue = []; // oldest first: {page, number, step, base, fields, was, at}
let underWay = null; // the oldest, while the server is asked to keep it: nothing may go into it any more
let last = {}; // what the form held when the newest edit was made of it
let typing = 0; // the timer of what is typed, until it becomes an edit
let steps = 0;
let step = ""; // what is changed within one step is taken back by one Undo
let leaving = 0; // the timer of a page that is being left
let late = []; // edits acknowledged since then

export const hasUnsent = () => queue.length > 0;
export const isSending = () => underWay !== null;
export const isTyping = () => typing !== 0;

// A name that no other page gives: the server keeps steps of several pages in one history.
export function newStep(name) {
  steps += 1;
  step = `${name}.${Date.now().toString(36)}.${steps}`;
}

const remember = () => keep(key(), [...late, ...queue]);

// The next page may be made before the server has what it acknowledges from here on. That page shows these edits and sends them
// once more, which the server knows, or it would take its own tab's edits for somebody else's.
function leave() {
  clearTimeout(leaving);
  leaving = setTimeout(stay, LEAVING_MS);
}

function stay() {
  clearTimeout(leaving);
  leaving = 0;
  if (late.length) {
    late = [];
    remember();
  }
}

window.addEventListener("beforeunload", leave);
window.addEventListener("pageshow", ({ persisted }) => persisted && stay());

// ---------------------------------------------------------------- from fields to edits

// Letters that follow each other closely become one edit.
export function type(then, afterMs) {
  clearTimeout(typing);
  typing = setTimeout(then, afterMs);
}

// An edit of what the form holds now, if that is anything else than before; of the same step it goes into the one that waits.
export function capture() {
  clearTimeout(typing);
  typing = 0;
  const now = values();
  const { fields, was } = differences(now, last);
  last = now;
  if (Object.keys(fields).length) {
    add(queue, { step, base: bar().dataset.seen, fields, was }, underWay);
    remember();
  }
}

// An answer fills the form with what the server has: what it has not got yet stays in the fields, and is no new edit.
export function rewrite() {
  write(Object.assign({}, ...queue.map(({ fields }) => fields)));
  last = values();
}

// What pages before this one have left in the browser is sent by this one.
export function begin() {
  newStep("form");
  last = values();
  queue = takeOver(key(), !form().dataset.design);
}

// ---------------------------------------------------------------- from the queue to the server

export function take() {
  underWay = queue[0];
  return underWay;
}

// The edit under way got no answer, or a refusal that may pass: it is sent again later.
export function putBack() {
  underWay = null;
  remember();
}

// The edit under way is on the server. The browser remembers it until `settled`, when its answer is shown.
export function drop() {
  const edit = takeOff();
  if (leaving) {
    late.push({ ...edit, acknowledged: Date.now() });
  }
}

function takeOff() {
  underWay = null;
  return queue.shift();
}

// The edit under way is one that the server can never take.
export function discard() {
  takeOff();
  remember();
}

// Edits that were made while one was under way saw the state that it led to, if nobody else has come in between: their
// base moves on, or the server would take this page's own edit for somebody else's and find a conflict.
export function settled(edit, seenBefore) {
  const { seen } = bar().dataset;
  if (edit.base === seenBefore && Number(seen) <= Number(seenBefore) + 1) {
    queue.filter(({ base }) => base === seenBefore).forEach((later) => { later.base = seen; });
  }
  remember();
}

// The first edit of an unsaved design makes the design: the page goes on under its address, and so does what is kept here.
export function opened(address) {
  if (!address) {
    return;
  }
  keep(key(), late); // a page that is loaded again at the old address looks for them there
  late = [];
  form().action = address;
  form().dataset.edits = `${address}edits/`;
  form().dataset.design = address.split("/").at(-2);
  history.replaceState(history.state, "", address);
  remember();
}
