// The session of a design: every edit is sent as it is made and kept on the server; what could not be sent is kept here,
// and sent when the server is back. Steps back and forth, other tabs, and the estimate that follows by itself.

import { place } from "./placing.js";

const DEBOUNCE_MS = 20;
const SETTLE_MS = 900;
const WAIT_MS = 5000;
const SLOW_MS = 400; // without an answer, after which the page says that it waits
const GIVE_UP_MS = 10_000; // without an answer, after which it is asked again
const LOOK_MS = 10_000; // between looks at a design that others may edit
const RETRY_MS = [500, 1000, 2000, 4000, 8000];
const OUTLIVES_BYTES = 60_000; // of a request that goes on when its page is left: browsers allow 64 KiB
const CHOOSE_FIRST = "Choose first which of the two states is to stay.";
const NO_ANSWER = "The server does not answer.";
const STORE = "clusterwright.unsent.";

const form = () => document.getElementById("design-form");
const bar = () => document.getElementById("studio-bar");
const note = () => document.getElementById("session-note");
const key = () => STORE + (form().dataset.design || form().dataset.edits);
const channel = "BroadcastChannel" in window ? new BroadcastChannel("clusterwright") : null;

let queue = []; // edits not yet on the server, oldest first: {step, body}
let sending = false;
let turn = Promise.resolve(); // of the steps back and forth
let stepping = false;
const meanwhile = new Map(); // what was typed while a step was under way: field → its state
let saving = false; // a revision that could not be saved is saved when the server is back
let failures = 0;
let typing = 0;
let settling = 0;
let resumed = false;
let steps = 0;
let step = "";

function newStep(name) {
  steps += 1;
  step = `${name}.${Date.now().toString(36)}.${steps}`;
}

function body() {
  const data = new FormData(form());
  data.delete("csrfmiddlewaretoken");
  return new URLSearchParams(data).toString();
}

function remember() {
  try {
    if (queue.length) {
      localStorage.setItem(key(), JSON.stringify({ queue, seen: bar().dataset.seen }));
    } else {
      localStorage.removeItem(key());
    }
  } catch {
    // a browser that keeps nothing still sends
  }
}

function say(text) {
  if (note()) {
    note().dataset.usual ??= note().textContent;
    note().textContent = text;
  }
}

function unsay() {
  if (note()?.dataset.usual !== undefined) {
    note().textContent = note().dataset.usual;
  }
}

// ---------------------------------------------------------------- sending

function headers() {
  return {
    "Content-Type": "application/x-www-form-urlencoded",
    "X-CSRFToken": JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"],
    "Studio": "1",
  };
}

async function send() {
  if (sending || stepping || !queue.length) {
    return;
  }
  sending = true;
  const edit = queue[0];
  const answer = await post(edit);
  sending = false;
  if (answer.isAway) {
    away();
    return;
  }
  failures = 0;
  if (answer.status === 409) {
    conflict(answer.html);
    return;
  }
  if (answer.status !== 200) {
    refused(answer);
    return;
  }
  if (queue[0] === edit) {
    queue.shift();
  }
  opened(answer.address);
  remember();
  place(answer.html);
  tellTabs();
  if (queue.length) {
    send();
  } else if (saving) {
    save();
  } else if (resumed) {
    resumed = false;
    showState(); // the form shows what was kept here, too
  } else {
    settleSoon();
  }
}

// A request that says so where it waits, and fails where it waits for too long.
async function asked(address, options) {
  const slow = setTimeout(() => say("Waiting for the server. Your changes are kept here until it answers."), SLOW_MS);
  try {
    const answer = await fetch(address, { ...options, headers: headers(), signal: AbortSignal.timeout(GIVE_UP_MS) });
    unsay();
    return answer;
  } finally {
    clearTimeout(slow);
  }
}

async function post(edit) {
  const sent = `${edit.body}&step=${encodeURIComponent(edit.step)}&base=${encodeURIComponent(bar().dataset.seen)}`;
  try {
    const answer = await asked(form().dataset.edits, {
      method: "POST", body: sent, redirect: "manual", keepalive: sent.length < OUTLIVES_BYTES,
    });
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
  try {
    localStorage.removeItem(key());
  } catch {
    // nothing was kept
  }
  form().action = address;
  form().dataset.edits = `${address}edits/`;
  form().dataset.design = address.split("/").at(-2);
  const button = saveButton();
  if (button) {
    button.setAttribute("hx-post", address);
    button.textContent = "Save revision";
  }
  window.htmx?.process(form());
  history.replaceState(history.state, "", address);
  remember();
}

const saveButton = () => form().querySelector("[type=submit][hx-post]");

// A revision that was to be saved while the server was away: once what was changed is there, so that it is of that.
function save() {
  saving = false;
  saveButton()?.click();
}

document.addEventListener("htmx:sendError", ({ detail }) => lost(detail));
document.addEventListener("htmx:responseError", ({ detail }) => {
  if (detail.xhr.status >= 500) {
    lost(detail);
  }
});

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.successful && !queue.length) {
    unsay();
  }
});

function lost({ elt }) {
  if (elt !== saveButton()) {
    if (!queue.length && !saving) {
      say(`${NO_ANSWER} This part of the page could not be asked for. Try again in a moment.`);
    }
    return;
  }
  saving = true;
  failures += 1;
  say(`${NO_ANSWER} This revision is saved as soon as it is back.`);
  setTimeout(() => { if (saving && !queue.length) { save(); } }, RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]);
}

function away() {
  failures += 1;
  remember();
  say(`${NO_ANSWER} Your changes are kept here and sent as soon as it is back${saving ? ", then the revision is saved" : ""}.`);
  bar()?.setAttribute("data-away", "");
  setTimeout(send, RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]);
}

function refused(answer) {
  if ((answer.status === 400 || answer.status === 413) && queue.length > 1) {
    queue.shift(); // the next one is the whole form anew
    remember();
    send();
    return;
  }
  remember();
  const words = answer.status === 302 || answer.status === 403
    ? "You are signed out. Your changes are kept here: sign in and open this page again."
    : `The server refused this change (${answer.status}). It is kept here: reload the page to try again.`;
  say(words);
}

// ---------------------------------------------------------------- other tabs

function conflict(html) {
  const answer = new DOMParser().parseFromString(html, "text/html").getElementById("session-conflict");
  if (answer) {
    document.getElementById("session-conflict").replaceWith(answer);
  }
}

const isDisputed = () => Boolean(document.querySelector("#session-conflict p"));

function clearConflict() {
  document.getElementById("session-conflict").replaceChildren();
  document.getElementById("session-conflict").className = "";
}

// ``seen``: the edit that this page shows, where it is only to be replaced by another one.
async function showState(seen = "") {
  const hash = document.getElementById("estimated-hash")?.value ?? "";
  const address = `${form().action}state/?estimated_hash=${encodeURIComponent(hash)}&at=${seen}`;
  const shown = bar().dataset.seen;
  const answer = await fetch(address, { headers: headers() }).catch(() => null);
  const html = answer?.status === 200 ? await answer.text() : null;
  if (html !== null && !isBusy() && bar().dataset.seen === shown) { // not over what was typed meanwhile
    place(html);
    settleSoon();
  }
}

const isBusy = () => Boolean(queue.length || sending || stepping || typing);

function tellTabs() {
  channel?.postMessage({ design: form().dataset.design, seen: bar().dataset.seen });
}

// Others who hold a link, and other browsers, have no channel to this page: it looks for their edits while it is in sight.
function lookAgain() {
  if (document.visibilityState === "visible" && form()?.dataset.design && !isBusy()) {
    showState(bar().dataset.seen);
  }
}

document.addEventListener("visibilitychange", lookAgain);
setInterval(() => {
  if (form()?.dataset.others !== undefined) {
    lookAgain();
  }
}, LOOK_MS);

channel?.addEventListener("message", ({ data }) => {
  if (form() && data.design === form().dataset.design && data.seen !== bar().dataset.seen && !queue.length) {
    showState();
  }
});

// ---------------------------------------------------------------- the estimate that follows

function settleSoon() {
  clearTimeout(settling);
  settling = setTimeout(settle, SETTLE_MS);
}

function settle() {
  const stale = document.getElementById("stale-note");
  const asks = (stale?.textContent || !document.querySelector("#result, .job")) && !document.querySelector("#preview-problems .error");
  if (queue.length || !form().dataset.design || !asks) {
    return;
  }
  const target = document.getElementById("follow") ? "#follow" : "#job"; // what is in sight stays until the new one is there
  window.htmx?.ajax("POST", `${form().action}settle/`, { target, swap: "innerHTML", values: { follow: target === "#follow" ? 1 : "" } });
}

// An estimate that arrives late is of what the form said before: it is followed by one of what it says now.
document.addEventListener("htmx:afterSettle", (event) => {
  const hash = document.getElementById("estimated-hash")?.value;
  if (event.detail.target?.id === "job" && document.getElementById("result") && bar()?.dataset.spec && hash !== bar().dataset.spec) {
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
    say(isDisputed() ? CHOOSE_FIRST : `${NO_ANSWER} Your changes are kept here, and no step can be taken until they are sent.`);
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
    place(html);
    tellTabs();
    settleSoon();
  }
  retype();
}

async function stepped(address) {
  const hash = document.getElementById("estimated-hash")?.value ?? "";
  try {
    const answer = await asked(address, { method: "POST", body: `estimated_hash=${encodeURIComponent(hash)}` });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

// What was typed while a step was under way is an edit of the state that it led to.
function retype() {
  if (!meanwhile.size) {
    return;
  }
  for (const [name, was] of meanwhile) {
    const input = form().elements[name];
    if (input?.type === "checkbox") {
      input.checked = was.checked;
    } else if (input) {
      input.value = was.value;
    }
  }
  meanwhile.clear();
  changed();
  send();
}

function stepButton(direction) {
  return document.querySelector(`[data-step-${direction}] button:not(:disabled)`);
}

// Another part of the page has made an edit of its own (a pasted spec): its answer is shown as one of ours.
document.addEventListener("studio:answer", ({ detail }) => {
  opened(detail.address);
  newStep("after");
  place(detail.html);
  tellTabs();
  settleSoon();
});

// What is asked for of the state in sight waits until the server has that state; not for ever, where it is away.
async function whenSent() {
  flush();
  const until = Date.now() + WAIT_MS;
  while (isBusy() && !failures && !isDisputed() && Date.now() < until) {
    await new Promise((done) => { setTimeout(done, 20); });
  }
}

document.addEventListener("htmx:confirm", (event) => {
  if (!event.detail.elt.closest("#design-form") || !isBusy()) {
    return;
  }
  event.preventDefault();
  whenSent().then(() => {
    if (isDisputed()) {
      say(CHOOSE_FIRST);
    } else {
      event.detail.issueRequest(true);
    }
  });
});

// ---------------------------------------------------------------- what is heard

function changed() {
  clearTimeout(typing);
  typing = 0;
  const edit = { step, body: body() };
  if (queue.length && queue.at(-1).step === step && !(sending && queue.length === 1)) {
    queue[queue.length - 1] = edit;
  } else {
    queue.push(edit);
  }
  remember();
  send();
}

function flush() {
  if (typing) {
    changed();
  }
}

document.addEventListener("input", (event) => {
  if (stepping && event.target.closest("#design-form")) {
    meanwhile.set(event.target.name, { value: event.target.value, checked: event.target.checked });
  } else if (event.target.closest("#design-form")) {
    clearTimeout(typing);
    typing = setTimeout(changed, DEBOUNCE_MS);
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
    queue = [];
    remember();
    clearConflict();
    showState();
  } else if (event.target.closest("[data-keep-mine]")) {
    bar().dataset.seen = document.getElementById("session-conflict").dataset.seen;
    clearConflict();
    send();
  }
});

document.addEventListener("studio:step", ({ detail }) => go(detail));

window.addEventListener("online", send);
window.addEventListener("pagehide", flush);

function start() {
  if (!form()) {
    return;
  }
  newStep("form");
  try {
    const kept = JSON.parse(localStorage.getItem(key()) ?? "{}");
    queue = kept.queue ?? [];
    if (queue.length) {
      bar().dataset.seen = kept.seen; // what the first of them was an edit of: others may have gone on from there
    }
  } catch {
    queue = [];
  }
  if (queue.length) {
    resumed = true;
    say("Sending changes that were kept here.");
    send();
  } else if (form().dataset.design) {
    settleSoon();
  }
}

start();
