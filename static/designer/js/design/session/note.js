// The note under the bar. It owns the usual words, which come back once nothing else is to be said.

export const NO_ANSWER = "The server does not answer.";

const note = () => document.getElementById("session-note");

// The usual words lie with the element: an answer of the server replaces both at once.
export function say(text) {
  if (note()) {
    note().dataset.usual ??= note().textContent;
    note().textContent = text;
  }
}

export function unsay() {
  if (note()?.dataset.usual !== undefined) {
    note().textContent = note().dataset.usual;
    delete note().dataset.usual;
  }
}

export const saySlow = () => say("Waiting for the server. Your changes are kept in this browser until it answers.");
