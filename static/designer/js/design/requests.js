// Requests of the session: signed, and given up where no answer comes.

const SLOW_MS = 400; // without an answer, after which the page says that it waits
const GIVE_UP_MS = 10_000; // without an answer, after which it is asked again

export function headers() {
  return {
    "Content-Type": "application/x-www-form-urlencoded",
    "X-CSRFToken": JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"],
    "Studio": "1",
  };
}

export async function asked(address, options, saySlow) {
  const slow = setTimeout(saySlow, SLOW_MS);
  try {
    return await fetch(address, { ...options, headers: headers(), signal: AbortSignal.timeout(GIVE_UP_MS) });
  } finally {
    clearTimeout(slow);
  }
}

export function refusalWords(status) {
  if (status === 302 || status === 403) {
    return "You are signed out. Your changes are kept in this browser: sign in and open this page again.";
  }
  return status === 404
    ? "This design is not there any more."
    : `The server refused this change (${status}). It is kept in this browser: reload the page to try again.`;
}
