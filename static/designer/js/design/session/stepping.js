// Steps back and forth. Owns the order in which they are taken, and what is typed while one is under way.

import { write } from "../fields.js";
import { LOOK_MS } from "../looks.js";
import { SIGNED_OUT, asked, isSignedOut } from "../requests.js";
import { hasUnsent, newStep } from "./edits.js";
import { lookAgain } from "./looking.js";
import { NO_ANSWER, say, saySlow } from "./note.js";
import { bar, estimatedHash } from "./page.js";
import { isOut, out, whatFailed } from "./server.js";
import { changed, hold, release, whenSent } from "./sending.js";
import { settleSoon } from "./settling.js";
import { show } from "./showing.js";
import { sayWhereItStands } from "./standing.js";
import { tellTabs } from "./tabs.js";

let turn = Promise.resolve();
let meanwhile = {}; // field → its text

// The answer of a step replaces the form, so that what is typed before it comes is put aside, and typed again after it.
export function putAside({ name, type, checked, value }) {
  meanwhile[name] = type === "checkbox" && !checked ? "" : value;
}

// Steps are taken one after the other, each from the state that the one before has shown.
function go(direction) {
  turn = turn.catch(() => {}).then(() => takeStep(direction));
}

async function takeStep(direction) {
  await whenSent();
  const button = document.querySelector(`[data-step-${direction}] button:not(:disabled)`);
  if (hasUnsent() && !isOut()) {
    say(`${whatFailed()} Your changes are kept in this browser, and no step can be taken until they are sent.`);
  }
  if (hasUnsent() || !button) {
    return;
  }
  hold();
  const html = await stepped(button.closest("form").action);
  release();
  if (html === null) {
    say(isOut() ? SIGNED_OUT : `${NO_ANSWER} Try again in a moment.`);
    setTimeout(lookAgain, LOOK_MS); // the step may have been taken, and only its answer lost
  } else {
    showOwn(html);
  }
  retype();
}

// The answer to an edit that was not made of the fields: what is typed next is a step of its own.
export function showOwn(html) {
  newStep("after");
  show(html);
  tellTabs();
  settleSoon();
}

async function stepped(address) {
  const body = new URLSearchParams({ estimated_hash: estimatedHash(), shown: bar().dataset.spec }).toString();
  try {
    const answer = await asked(address, { method: "POST", body }, saySlow);
    if (isSignedOut(answer)) {
      out();
    }
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
    meanwhile = {};
    changed();
  }
}

document.addEventListener("submit", (event) => {
  if (event.target.matches("[data-step-back], [data-step-forth]")) {
    event.preventDefault();
    go(event.target.matches("[data-step-back]") ? "back" : "forth");
  }
});

document.addEventListener("studio:step", ({ detail }) => go(detail)); // of a key (keys.js)
