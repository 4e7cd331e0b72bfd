// The session of a design: every edit is sent as it is made and kept on the server; what could not be sent is kept here,
// and sent when the server is back. Steps back and forth, other tabs and people, and the estimate that follows by itself.
//
// Here is what the form is heard to say; `session/` has a module for each state that has to be remembered, and its one owner.

import { form } from "./fields.js";
import { markResult } from "./freshness.js";
import { restoreConflict } from "./session/conflict.js";
import { begin, hasUnsent, newStep, opened, rewrite, type } from "./session/edits.js";
import { lookAgain } from "./session/looking.js";
import { say } from "./session/note.js";
import { changed, flush, isBusy, isHeld, send, whenSent } from "./session/sending.js";
import { settleSoon } from "./session/settling.js";
import { sayWhereItStands } from "./session/standing.js";
import { putAside, showOwn } from "./session/stepping.js";

const DEBOUNCE_MS = 20;

document.addEventListener("input", ({ target }) => {
  if (!target.closest("#design-form")) {
    return;
  }
  if (isHeld()) {
    putAside(target);
  } else {
    type(changed, DEBOUNCE_MS);
    sayWhereItStands();
  }
});

document.addEventListener("focusin", ({ target }) => {
  if (target.closest("#design-form")) {
    flush();
    newStep(target.name || "form");
  }
});

document.addEventListener("change", ({ target }) => {
  if (target.closest("#design-form")) {
    flush();
    if (target.type !== "range") {
      newStep(target.name || "form"); // the moves of a slider are one step until it is left
    }
  }
});

// A request of htmx that reads the current state, such as for a file or a version, waits for the edits before it.
document.addEventListener("htmx:confirm", (event) => {
  if (event.detail.elt.closest("#design-form, [data-after-edits]") && isBusy()) {
    event.preventDefault();
    whenSent().then(() => event.detail.issueRequest(true));
  }
});

// Another part of the page has made an edit of its own (a pasted spec): its answer is shown as one of ours.
document.addEventListener("studio:answer", ({ detail }) => {
  opened(detail.address);
  showOwn(detail.html);
});

// Back by the browser's button, the page is as it was left, and both the server and the queue may have moved on.
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) {
    send();
    lookAgain();
  }
});

function start() {
  begin();
  restoreConflict();
  markResult();
  if (hasUnsent()) {
    rewrite();
    say("Sending changes that were kept in this browser.");
    send();
  } else if (form().dataset.design) {
    settleSoon();
  }
}

if (form()) {
  start();
}
