// What the note says of the edits, from what others own. Nothing is called kept before the server has said so.

import { hasUnsent, isTyping } from "./edits.js";
import { NO_ANSWER, say, unsay } from "./note.js";
import { isAway } from "./server.js";
import { isSaving } from "./version.js";

export const awayWords = () => `${NO_ANSWER} Your changes are kept in this browser and sent as soon as it is back${isSaving() ? ", then the version is saved" : ""}.`;

export function sayWhereItStands() {
  if (isAway() || hasUnsent() || isTyping()) {
    say(isAway() ? awayWords() : "Saving…");
  } else {
    unsay();
  }
}

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.successful && !hasUnsent() && !isTyping()) {
    unsay();
  }
});
