// The note under the bar. It owns the usual words, which come back once nothing else is to be said, and news until it was read.

export const NO_ANSWER = "The server does not answer.";

const READ_MS = 6000; // that news stays, whatever is answered meanwhile

let news = null;

const note = () => document.getElementById("session-note");

// The usual words lie with the element: an answer of the server replaces both at once.
export function say(text) {
  if (note()) {
    note().dataset.usual ??= note().textContent;
    note().textContent = text;
  }
}

// What has happened. Answers of the server come every second or two, and none of them takes the news away unread.
export function sayNews(text) {
  const own = { text };
  news = own;
  say(text);
  setTimeout(() => {
    if (news === own) {
      news = null;
    }
    if (note()?.textContent === text) {
      unsay();
    }
  }, READ_MS);
}

export function unsay() {
  if (news) {
    say(news.text);
  } else if (note()?.dataset.usual !== undefined) {
    note().textContent = note().dataset.usual;
    delete note().dataset.usual;
  }
}

export const saySlow = () => say("Waiting for the server. Your changes are kept in this browser until it answers.");
