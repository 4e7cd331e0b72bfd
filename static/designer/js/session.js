// The session of a design: every edit is sent as it is made and kept on the server; what could not be sent is kept here,
// and sent when the server is back. Steps back and forth, other tabs, and the estimate that follows by itself.

const DEBOUNCE_MS = 20;
const SETTLE_MS = 900;
const WAIT_MS = 5000;
const RETRY_MS = [500, 1000, 2000, 4000, 8000];
const OUTLIVES_BYTES = 60_000; // of a request that goes on when its page is left: browsers allow 64 KiB
const STORE = "clusterwright.unsent.";

const form = () => document.getElementById("design-form");
const bar = () => document.getElementById("studio-bar");
const note = () => document.getElementById("session-note");
const key = () => STORE + (form().dataset.design || form().dataset.edits);
const channel = "BroadcastChannel" in window ? new BroadcastChannel("clusterwright") : null;

let queue = []; // edits not yet on the server, oldest first: {step, body}
let sending = false;
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
      localStorage.setItem(key(), JSON.stringify(queue));
    } else {
      localStorage.removeItem(key());
    }
  } catch {
    // a browser that keeps nothing still sends
  }
}

function say(text) {
  if (note()) {
    note().textContent = text;
  }
}

// ---------------------------------------------------------------- showing what the server answered

function place(html) {
  const answer = new DOMParser().parseFromString(html, "text/html");
  const focus = document.activeElement;
  const within = focus?.closest?.("#design-form") ? { name: focus.name, at: focus.selectionStart } : null;
  for (const part of [...answer.body.children]) {
    const there = part.id && document.getElementById(part.id);
    if (part.id === "computed-values" && !there) {
      document.body.append(part);
    } else if (there && part.id === "preview-problems") {
      there.replaceChildren(...part.childNodes);
    } else if (there && part.id === "summary" && there.children.length) {
      placeFigures(there, part);
    } else if (there && part.id === "design-form") {
      replaceForm(there, part);
    } else if (there) {
      there.replaceWith(part);
      window.htmx?.process(part);
    }
  }
  if (within && !form().contains(document.activeElement)) {
    const input = form().elements[within.name];
    input?.focus({ preventScroll: true });
    if (within.at !== null && input?.setSelectionRange && input.type === "text") {
      input.setSelectionRange(within.at, within.at);
    }
  }
  document.dispatchEvent(new CustomEvent("studio:shown"));
}

// Each figure in its place, so that the strip keeps its scroll and its question marks.
function placeFigures(strip, fresh) {
  for (const item of fresh.querySelectorAll("[data-figure]")) {
    const there = strip.querySelector(`[data-figure="${item.dataset.figure}"]`);
    for (const part of [".figure-value", ".figure-foot"]) {
      const [old, now] = [there.querySelector(part), item.querySelector(part)];
      if (old.innerHTML !== now.innerHTML) {
        old.replaceWith(now);
      }
    }
  }
}

function replaceForm(old, fresh) {
  const open = [...old.querySelectorAll("details")].map((block) => block.open);
  const groups = old.querySelector(".form-groups");
  const top = [groups?.scrollTop ?? 0, old.scrollTop];
  old.replaceWith(fresh);
  [...fresh.querySelectorAll("details")].forEach((block, i) => {
    block.open = open[i] || block.open;
  });
  if (fresh.querySelector(".form-groups")) {
    fresh.querySelector(".form-groups").scrollTop = top[0];
  }
  fresh.scrollTop = top[1];
  window.htmx?.process(fresh);
  document.dispatchEvent(new CustomEvent("studio:form"));
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
  if (sending || !queue.length) {
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
  channel?.postMessage({ design: form().dataset.design, at: bar().dataset.at });
  if (queue.length) {
    send();
  } else if (resumed) {
    resumed = false;
    showState(); // the form shows what was kept here, too
  } else {
    settleSoon();
  }
}

async function post(edit) {
  const sent = `${edit.body}&step=${encodeURIComponent(edit.step)}&base=${bar().dataset.at}`;
  try {
    const answer = await fetch(form().dataset.edits, {
      method: "POST", body: sent, headers: headers(), redirect: "manual", keepalive: sent.length < OUTLIVES_BYTES,
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
  const save = form().querySelector("[type=submit][hx-post]");
  save?.setAttribute("hx-post", address);
  window.htmx?.process(form());
  history.replaceState(history.state, "", address);
  remember();
}

function away() {
  failures += 1;
  remember();
  say("The server does not answer. Your changes are kept here and sent as soon as it is back.");
  bar()?.setAttribute("data-away", "");
  setTimeout(send, RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]);
}

function refused(answer) {
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

function clearConflict() {
  document.getElementById("session-conflict").replaceChildren();
  document.getElementById("session-conflict").className = "";
}

async function showState() {
  const hash = document.getElementById("estimated-hash")?.value ?? "";
  const answer = await fetch(`${form().action}state/?estimated_hash=${encodeURIComponent(hash)}`, { headers: headers() }).catch(() => null);
  if (answer?.ok) {
    place(await answer.text());
    settleSoon();
  }
}

channel?.addEventListener("message", ({ data }) => {
  if (form() && data.design === form().dataset.design && data.at !== bar().dataset.at && !queue.length) {
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

async function go(button) {
  const target = button.closest("form");
  await whenSent();
  const hash = document.getElementById("estimated-hash")?.value ?? "";
  const sent = `estimated_hash=${encodeURIComponent(hash)}`;
  const answer = await fetch(target.action, { method: "POST", body: sent, headers: headers() }).catch(() => null);
  if (!answer?.ok) {
    say("The server does not answer. Try again in a moment.");
    return;
  }
  newStep("after");
  place(await answer.text());
  channel?.postMessage({ design: form().dataset.design, at: bar().dataset.at });
  settleSoon();
}

function stepButton(direction) {
  return document.querySelector(`[data-step-${direction}] button:not(:disabled)`);
}

// Another part of the page has made an edit of its own (a pasted spec): its answer is shown as one of ours.
document.addEventListener("studio:answer", ({ detail }) => {
  opened(detail.address);
  newStep("after");
  place(detail.html);
  channel?.postMessage({ design: form().dataset.design, at: bar().dataset.at });
  settleSoon();
});

// What is asked for of the state in sight waits until the server has that state; not for ever, where it is away.
async function whenSent() {
  flush();
  const until = Date.now() + WAIT_MS;
  while ((queue.length || sending) && Date.now() < until) {
    await new Promise((done) => { setTimeout(done, 20); });
  }
}

document.addEventListener("htmx:confirm", (event) => {
  if (event.detail.elt.closest("#design-form") && (queue.length || sending || typing)) {
    event.preventDefault();
    whenSent().then(() => event.detail.issueRequest(true));
  }
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
  if (event.target.closest("#design-form")) {
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
    go(event.submitter ?? event.target.querySelector("button"));
  }
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-show-theirs]")) {
    queue = [];
    remember();
    clearConflict();
    showState();
  } else if (event.target.closest("[data-keep-mine]")) {
    bar().dataset.at = document.getElementById("session-conflict").dataset.at;
    clearConflict();
    send();
  }
});

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.closest?.("input, textarea, select, [contenteditable]")) {
    return;
  }
  const letter = event.key.toLowerCase();
  const direction = letter === "y" || (letter === "z" && event.shiftKey) ? "forth" : letter === "z" ? "back" : "";
  const button = direction && stepButton(direction);
  if (button) {
    event.preventDefault();
    go(button);
  }
});

window.addEventListener("online", send);
window.addEventListener("pagehide", flush);

function start() {
  if (!form()) {
    return;
  }
  newStep("form");
  try {
    queue = JSON.parse(localStorage.getItem(key()) ?? "[]");
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
