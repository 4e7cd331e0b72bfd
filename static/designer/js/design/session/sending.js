// Sends the edits one after the other. Owns whether sending is held, as while a step back is taken: an edit that reached the
// server in between would be of another state than the one that its author saw.

import { form } from "../fields.js";
import { asked, isSignedOut, refusalWords } from "../requests.js";
import { capture, discard, drop, hasUnsent, isSending, isTyping, opened, putBack, settled, take } from "./edits.js";
import { say, sayNews, saySlow } from "./note.js";
import { bar, estimatedHash, key } from "./page.js";
import { answered, failed, isAway, out } from "./server.js";
import { settleSoon } from "./settling.js";
import { showNamed } from "./showing.js";
import { awayWords, sayWhereItStands } from "./standing.js";
import { tellTabs } from "./tabs.js";
import { keepDisputed } from "./unsent.js";
import { isSaving, save } from "./version.js";

const WAIT_MS = 5000;
const SIGN_IN_MS = 2000; // between looks whether the visitor is signed in again
const MAY_PASS = [408, 425, 429]; // beside faults of the server: refusals of the moment
const OUTLIVES_BYTES = 60_000; // of a request that goes on when its page is left: browsers allow 64 KiB

let held = false;
let again = 0; // the timer of the next try

export const isHeld = () => held;
export const isBusy = () => hasUnsent() || isSending() || held || isTyping();

export function hold() {
  held = true;
}

export function release() {
  held = false;
}

export async function send() {
  if (isSending() || held || !hasUnsent()) {
    return;
  }
  const edit = take();
  const { seen } = bar().dataset;
  const answer = await post(edit);
  if (answer.isAway) {
    away(answer.status);
    return;
  }
  if (answer.isSignedOut) {
    putBack();
    out();
    sayWhereItStands();
    sendAgain(SIGN_IN_MS);
    return;
  }
  answered();
  bar()?.removeAttribute("data-away");
  if (answer.status === 200 || answer.status === 409) {
    kept(edit, seen, answer);
  } else {
    refused(answer);
  }
}

// In this order: the edit leaves the browser's memory only once its answer is shown, and other tabs hear of it after that.
function kept(edit, seen, answer) {
  drop();
  opened(answer.address);
  showNamed(answer.html);
  settled(edit, seen);
  if (answer.status === 409) {
    keepDisputed(key(), document.getElementById("session-conflict").outerHTML);
  }
  tellTabs();
  if (hasUnsent()) {
    send();
  } else if (isSaving()) {
    save();
  } else {
    settleSoon();
  }
}

async function post(edit) {
  const sent = new URLSearchParams({
    page: edit.page, number: edit.number, step: edit.step, base: edit.base, fields: JSON.stringify(edit.fields),
    was: JSON.stringify(edit.was), shown: bar().dataset.spec, estimated_hash: estimatedHash(),
  }).toString();
  try {
    const answer = await asked(form().dataset.edits, {
      method: "POST", body: sent, redirect: "manual", keepalive: sent.length < OUTLIVES_BYTES,
    }, saySlow);
    sayWhereItStands();
    const { status } = answer;
    return {
      isAway: status >= 500 || MAY_PASS.includes(status), isSignedOut: isSignedOut(answer), status, html: await answer.text(),
      address: answer.headers.get("Design-Opened"),
    };
  } catch {
    return { isAway: true };
  }
}

function sendAgain(afterMs) {
  clearTimeout(again);
  again = setTimeout(send, afterMs);
}

function away(status) {
  putBack();
  const againMs = failed(status);
  say(awayWords());
  bar()?.setAttribute("data-away", "");
  sendAgain(againMs);
}

function refused(answer) {
  if (answer.status === 400 || answer.status === 413) { // what it can never take would hold up all that follows
    discard();
    document.dispatchEvent(new CustomEvent("session:refused"));
    sayNews(`The server refused this change (${answer.status}). The page shows what it has.`);
  } else {
    putBack();
    say(refusalWords(answer.status));
  }
}

export function changed() {
  capture();
  sayWhereItStands();
  send();
}

export function flush() {
  if (isTyping()) {
    changed();
  }
}

// What is requested of the current state waits until the server has that state; not for ever, where it is away.
export async function whenSent() {
  flush();
  const until = Date.now() + WAIT_MS;
  while (isBusy() && !isAway() && Date.now() < until) {
    await new Promise((done) => { setTimeout(done, 20); });
  }
}

window.addEventListener("online", send);
window.addEventListener("pagehide", flush);
