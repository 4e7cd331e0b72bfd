// The session of a design: every edit is sent as it is made and kept on the server; what could not be sent is kept here,
// and sent when the server is back. Steps back and forth, other tabs and people, and the estimate that follows by itself.

import { differences, form, markChanged, values, write } from "./fields.js";
import { fadeChanges, isStale, markResult } from "./freshness.js";
import { LOOK_MS, stateSince } from "./looks.js";
import { place } from "./placing.js";
import { asked, refusalWords } from "./requests.js";
import { add, disputed, keep, keepDisputed, takeOver } from "./unsent.js";

const DEBOUNCE_MS = 20;
const SETTLE_MS = 900;
const WAIT_MS = 5000;
const NAMED_MS = 6000; // that the note names who has changed the design
const RETRY_MS = [500, 1000, 2000, 4000, 8000];
const OUTLIVES_BYTES = 60_000; // of a request that goes on when its page is left: browsers allow 64 KiB
const SAVING = "Saving…";
const NO_ANSWER = "The server does not answer.";

const bar = () => document.getElementById("studio-bar");
const note = () => document.getElementById("session-note");
const key = () => form().dataset.design || form().dataset.edits;
const estimatedHash = () => document.getElementById("estimated-hash")?.value ?? "";
const channel = "BroadcastChannel" in window ? new BroadcastChannel("clusterwright") : null;

let queue = []; // edits not yet on the server, oldest first: {page, number, step, base, fields, was, at}
let last = {}; // what the form held when the newest edit was made of it
let sending = false;
let turn = Promise.resolve(); // of the steps back and forth
let stepping = false;
const meanwhile = {}; // what was typed while a step was under way: field → its text
let saving = ""; // what keeps a version and could not be sent: it is sent when the server is back
let failures = 0;
let typing = 0;
let settling = 0;
let looking = false;
let steps = 0;
let step = "";

function newStep(name) {
  steps += 1;
  step = `${name}.${Date.now().toString(36)}.${steps}`;
}

const remember = () => keep(key(), queue);

function say(text) {
  if (note()) {
    note().dataset.usual ??= note().textContent;
    note().textContent = text;
  }
}

function unsay() {
  if (note()?.dataset.usual !== undefined) {
    note().textContent = note().dataset.usual;
    delete note().dataset.usual;
  }
}

const saySlow = () => say("Waiting for the server. Your changes are kept in this browser until it answers.");

// Nothing is called kept before the server has said so.
function sayWhereItStands() {
  if (failures || queue.length || typing) {
    say(failures ? awayWords() : SAVING);
  } else {
    unsay();
  }
}

// An answer of the server in its place; what is not sent yet stays in the fields.
function show(html) {
  if (typing) {
    capture();
  }
  place(html);
  if (queue.length) {
    write(Object.assign({}, ...queue.map(({ fields }) => fields)));
  }
  last = values();
  markResult();
  fadeChanges();
  sayWhereItStands();
}

// ---------------------------------------------------------------- sending

async function send() {
  if (sending || stepping || !queue.length) {
    return;
  }
  sending = true;
  const edit = queue[0];
  const { seen } = bar().dataset;
  const answer = await post(edit);
  sending = false;
  if (answer.isAway) {
    away();
    return;
  }
  failures = 0;
  bar()?.removeAttribute("data-away");
  if (answer.status !== 200 && answer.status !== 409) {
    refused(answer);
    return;
  }
  queue.shift();
  opened(answer.address);
  const before = values();
  show(answer.html);
  nameChange(bar().dataset.by, Object.keys(differences(values(), before).fields));
  seenWith(edit, seen);
  remember();
  if (answer.status === 409) {
    keepDisputed(key(), document.getElementById("session-conflict").outerHTML);
  }
  tellTabs();
  if (queue.length) {
    send();
  } else if (saving) {
    save();
  } else {
    settleSoon();
  }
}

// Edits that were made while this one was under way saw the state that it led to, if nobody else has come in between.
function seenWith(edit, before) {
  const now = bar().dataset.seen;
  if (edit.base === before && Number(now) <= Number(before) + 1) {
    queue.filter(({ base }) => base === before).forEach((later) => { later.base = now; });
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
    const html = await answer.text();
    return {
      isAway: answer.status >= 500, status: answer.type === "opaqueredirect" ? 302 : answer.status, html,
      address: answer.headers.get("Design-Opened"),
    };
  } catch {
    return { isAway: true };
  }
}

function opened(address) {
  if (!address) {
    return;
  }
  keep(key(), []);
  form().action = address;
  form().dataset.edits = `${address}edits/`;
  form().dataset.design = address.split("/").at(-2);
  history.replaceState(history.state, "", address);
  remember();
}

const isSaver = (element) => element?.matches?.("#version-form, #save-slot [type=submit]");

// A version that was to be saved while the server was away: once what was changed is there, so that it is of that.
function save() {
  const element = document.querySelector(saving);
  saving = "";
  if (element?.matches("form")) {
    element.requestSubmit();
  } else {
    element?.click();
  }
}

document.addEventListener("htmx:sendError", ({ detail }) => lost(detail));
document.addEventListener("htmx:responseError", ({ detail }) => {
  if (detail.xhr.status >= 500) {
    lost(detail);
  }
});

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.successful && !queue.length && !typing) {
    unsay();
  }
});

function lost({ elt }) {
  if (!isSaver(elt)) {
    if (!queue.length && !saving) {
      say(`${NO_ANSWER} This part of the page could not be requested. Try again in a moment.`);
    }
    return;
  }
  saving = elt.matches("form") ? "#version-form" : "#save-slot [type=submit]";
  failures += 1;
  say(`${NO_ANSWER} This version is saved as soon as it is back.`);
  setTimeout(() => { if (saving && !queue.length) { failures = 0; save(); } }, RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]);
}

const awayWords = () => `${NO_ANSWER} Your changes are kept in this browser and sent as soon as it is back${saving ? ", then the version is saved" : ""}.`;

function away() {
  failures += 1;
  remember();
  say(awayWords());
  bar()?.setAttribute("data-away", "");
  setTimeout(send, RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]);
}

function refused(answer) {
  if (answer.status === 400 || answer.status === 413) { // what it can never take would hold up all that follows
    queue.shift();
    remember();
    showState();
    say(`The server refused this change (${answer.status}). The page shows what it has.`);
    return;
  }
  remember();
  say(refusalWords(answer.status));
}

// ---------------------------------------------------------------- other tabs, other people

function clearConflict() {
  keepDisputed(key(), "");
  document.getElementById("session-conflict").replaceChildren();
  document.getElementById("session-conflict").className = "";
}

// The state that the server has, where it is another than ``seen``: what others have changed is marked with their name.
async function showState(seen = "") {
  const shown = bar().dataset.seen;
  const answer = await stateSince(seen);
  const html = answer?.status === 200 ? await answer.text() : null;
  if (html !== null && !isBusy() && bar().dataset.seen === shown) { // not over what was typed meanwhile
    const before = values();
    show(html);
    nameChange(bar().dataset.by, Object.keys(differences(values(), before).fields));
    settleSoon();
  }
}

function nameChange(by, names = []) {
  if (by && names.length) {
    markChanged(names, by);
    say(`Changed by ${by}.`);
    setTimeout(sayWhereItStands, NAMED_MS);
  }
}

const isBusy = () => Boolean(queue.length || sending || stepping || typing);

function tellTabs() {
  channel?.postMessage({ design: form().dataset.design, seen: bar().dataset.seen });
}

// Others who hold a link, other browsers and programs have no channel to this page: it looks for their edits while it is visible.
async function lookAgain() {
  if (document.visibilityState === "visible" && form()?.dataset.design && !isBusy() && !looking) {
    looking = true;
    await showState(bar().dataset.seen);
    looking = false;
  }
}

document.addEventListener("visibilitychange", lookAgain);
setInterval(lookAgain, LOOK_MS);

channel?.addEventListener("message", ({ data }) => {
  if (form() && data.design === form().dataset.design && data.seen !== bar().dataset.seen) {
    lookAgain();
  }
});

// ---------------------------------------------------------------- the estimate that follows

function settleSoon() {
  clearTimeout(settling);
  settling = setTimeout(settle, SETTLE_MS);
}

function settle() {
  const stale = document.getElementById("stale-note");
  const asks = stale?.textContent || isStale() || !document.querySelector("#result, .job");
  if (queue.length || !form().dataset.design || !asks) {
    return;
  }
  const target = document.getElementById("follow") ? "#follow" : "#job"; // what is visible stays until the new one is there
  window.htmx?.ajax("POST", `${form().action}settle/`, { target, swap: "innerHTML", values: { follow: target === "#follow" ? 1 : "" } });
}

// An estimate that arrives late is of what the form said before: it is followed by one of what it says now.
document.addEventListener("htmx:afterSwap", markResult);
document.addEventListener("htmx:afterSettle", (event) => {
  markResult();
  if (event.detail.target?.id === "job" && isStale()) {
    document.getElementById("stale-note").textContent = "Updating";
    settleSoon();
  }
});

// ---------------------------------------------------------------- steps back and forth

// Steps are taken one after the other, each from the state that the one before has shown.
function go(direction) {
  turn = turn.catch(() => {}).then(() => takeStep(direction));
}

async function takeStep(direction) {
  await whenSent();
  const button = stepButton(direction);
  if (queue.length) {
    say(`${NO_ANSWER} Your changes are kept in this browser, and no step can be taken until they are sent.`);
  }
  if (queue.length || !button) {
    return;
  }
  stepping = true;
  const html = await stepped(button.closest("form").action);
  stepping = false;
  if (html === null) {
    say(`${NO_ANSWER} Try again in a moment.`);
    setTimeout(lookAgain, LOOK_MS);
  } else {
    newStep("after");
    show(html);
    tellTabs();
    settleSoon();
  }
  retype();
}

async function stepped(address) {
  const body = new URLSearchParams({ estimated_hash: estimatedHash(), shown: bar().dataset.spec }).toString();
  try {
    const answer = await asked(address, { method: "POST", body }, saySlow);
    sayWhereItStands();
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

// What was typed while a step was under way is an edit of the state that it led to.
function retype() {
  if (Object.keys(meanwhile).length) {
    write(meanwhile);
    for (const name of Object.keys(meanwhile)) {
      delete meanwhile[name];
    }
    changed();
  }
}

function stepButton(direction) {
  return document.querySelector(`[data-step-${direction}] button:not(:disabled)`);
}

// Another part of the page has made an edit of its own (a pasted spec): its answer is shown as one of ours.
document.addEventListener("studio:answer", ({ detail }) => {
  opened(detail.address);
  newStep("after");
  show(detail.html);
  tellTabs();
  settleSoon();
});

// What is requested of the current state waits until the server has that state; not for ever, where it is away.
async function whenSent() {
  flush();
  const until = Date.now() + WAIT_MS;
  while (isBusy() && !failures && Date.now() < until) {
    await new Promise((done) => { setTimeout(done, 20); });
  }
}

document.addEventListener("htmx:confirm", (event) => {
  if (!event.detail.elt.closest("#design-form, [data-after-edits]") || !isBusy()) {
    return;
  }
  event.preventDefault();
  whenSent().then(() => event.detail.issueRequest(true));
});

// ---------------------------------------------------------------- what is heard

// An edit of what the form holds now, if that is anything else than before; of the same step it goes into the one that waits.
function capture() {
  clearTimeout(typing);
  typing = 0;
  const now = values();
  const { fields, was } = differences(now, last);
  last = now;
  if (!Object.keys(fields).length) {
    return;
  }
  add(queue, { step, base: bar().dataset.seen, fields, was }, sending ? queue[0] : null);
  remember();
}

function changed() {
  capture();
  sayWhereItStands();
  send();
}

function flush() {
  if (typing) {
    changed();
  }
}

document.addEventListener("input", ({ target }) => {
  if (stepping && target.closest("#design-form")) {
    meanwhile[target.name] = target.type === "checkbox" ? (target.checked ? target.value : "") : target.value;
  } else if (target.closest("#design-form")) {
    clearTimeout(typing);
    typing = setTimeout(changed, DEBOUNCE_MS);
    sayWhereItStands();
  }
});

document.addEventListener("focusin", (event) => {
  if (event.target.closest("#design-form")) {
    flush();
    newStep(event.target.name || "form");
  }
});

document.addEventListener("change", (event) => {
  if (event.target.closest("#design-form")) {
    flush();
    if (event.target.type !== "range") {
      newStep(event.target.name || "form"); // the moves of a slider are one step until it is left
    }
  }
});

document.addEventListener("submit", (event) => {
  if (event.target.matches("[data-step-back], [data-step-forth]")) {
    event.preventDefault();
    go(event.target.matches("[data-step-back]") ? "back" : "forth");
  }
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-show-theirs]")) {
    clearConflict();
  } else if (event.target.closest("[data-keep-mine]")) {
    const rows = [...document.querySelectorAll("#session-conflict [data-field]")];
    clearConflict();
    newStep("mine");
    write(Object.fromEntries(rows.map(({ dataset }) => [dataset.field, dataset.text])));
    changed();
  }
});

document.addEventListener("studio:step", ({ detail }) => go(detail));

window.addEventListener("online", send);
window.addEventListener("pagehide", flush);
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) {
    send();
    lookAgain();
  }
});

function start() {
  if (!form()) {
    return;
  }
  newStep("form");
  last = values();
  queue = takeOver(key(), !form().dataset.design);
  const conflict = disputed(key());
  if (conflict) {
    document.getElementById("session-conflict").outerHTML = conflict;
  }
  markResult();
  if (queue.length) {
    write(Object.assign({}, ...queue.map(({ fields }) => fields)));
    last = values();
    say("Sending changes that were kept in this browser.");
    send();
  } else if (form().dataset.design) {
    settleSoon();
  }
}

start();
