// A version that could not be saved because the server was away. Owns which of the two buttons asked for it; it is pressed again
// when the server is back, after the edits that came before it, so that the version is of what the page showed.

import { hasUnsent } from "./edits.js";
import { renewed } from "../requests.js";
import { NO_ANSWER, say } from "./note.js";
import { answered, failed, whatFailed } from "./server.js";

const FORM = "#version-form";
const BUTTON = "#save-slot [type=submit]";

let saving = ""; // the selector, not the element: an answer may replace that meanwhile

export const isSaving = () => saving !== "";

export function save() {
  const element = document.querySelector(saving);
  saving = "";
  if (element?.matches("form")) {
    element.requestSubmit();
  } else {
    element?.click();
  }
}

function retry() {
  if (saving && !hasUnsent()) { // with edits unsent, it is their turn first, and they call `save`
    answered();
    save();
  }
}

function lost({ elt, xhr }) {
  if (elt?.matches?.(`${FORM}, ${BUTTON}`)) {
    saving = elt.matches("form") ? FORM : BUTTON;
    const againMs = failed(xhr?.status);
    say(`${whatFailed()} This version is saved as soon as it is back.`);
    setTimeout(retry, againMs);
  } else if (!hasUnsent() && !saving) {
    say(`${xhr?.status ? `The server failed to answer (${xhr.status}).` : NO_ANSWER} This part of the page could not be requested. Try again in a moment.`);
  }
}

document.addEventListener("htmx:sendError", ({ detail }) => lost(detail));
document.addEventListener("htmx:responseError", ({ detail }) => {
  if (detail.xhr.status >= 500) {
    lost(detail);
  } else if (detail.xhr.status === 403 && detail.elt.matches("form, button")) {
    renewed().then((page) => page?.ok && say("This was refused, as you have signed in again since the page was opened. Press it again."));
  }
});
