// What the note says of the edits, from what others own. Nothing is called kept before the server has said so.

import { hasUnsent, isTyping } from "./edits.js";
import { SIGNED_OUT } from "../requests.js";
import { say, unsay } from "./note.js";
import { isAway, isOut, whatFailed } from "./server.js";
import { isSaving } from "./version.js";

export const awayWords = () => `${whatFailed()} Your changes are kept in this browser and sent as soon as it is back${isSaving() ? ", then the version is saved" : ""}.`;

export function sayWhereItStands() {
  if (isOut()) {
    say(SIGNED_OUT);
  } else if (isAway() || hasUnsent() || isTyping()) {
    say(isAway() ? awayWords() : "Saving…");
  } else {
    unsay();
  }
}

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.successful && !hasUnsent() && !isTyping() && !isOut()) {
    unsay();
  }
});
