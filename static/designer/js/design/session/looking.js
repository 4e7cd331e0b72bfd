// Looks for what others have changed. Owns whether a look is under way. Others who hold a link, other browsers and programs have
// no channel to this page: it asks for their edits while it is visible.

import { form } from "../fields.js";
import { LOOK_MS, stateSince } from "../looks.js";
import { renewed } from "../requests.js";
import { bar } from "./page.js";
import { isBusy } from "./sending.js";
import { answered, isOut, out } from "./server.js";
import { settleSoon } from "./settling.js";
import { showNamed } from "./showing.js";
import { sayWhereItStands } from "./standing.js";
import { hearTabs } from "./tabs.js";

let looking = false;

// A session that has ended is said, and the page goes on once its visitor has signed in again: what was to follow still does.
async function standOut(answer) {
  if (answer?.isSignedOut) {
    out();
    sayWhereItStands();
  } else if (answer?.ok && isOut() && (await renewed())?.ok) {
    answered();
    sayWhereItStands();
    settleSoon();
  }
}

// The state that the server has, where it is another than ``seen``.
async function showState(seen = "") {
  const shown = bar().dataset.seen;
  const answer = await stateSince(seen);
  await standOut(answer);
  if (answer?.html && !isBusy() && bar().dataset.seen === shown) { // not over what was typed or shown meanwhile
    showNamed(answer.html);
    settleSoon();
  }
}

export async function lookAgain() {
  if (document.visibilityState === "visible" && form()?.dataset.design && !isBusy() && !looking) {
    looking = true;
    try {
      await showState(bar().dataset.seen);
    } finally {
      looking = false;
    }
  }
}

document.addEventListener("session:ended", lookAgain);
document.addEventListener("session:refused", () => showState()); // the refused edit is still in the fields: any state is news
document.addEventListener("visibilitychange", lookAgain);
setInterval(lookAgain, LOOK_MS);
hearTabs(lookAgain);
