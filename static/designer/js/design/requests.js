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

// A redirect leads to the sign-in page: followed, it would look like an answer.
export const isSignedOut = (answer) => answer?.type === "opaqueredirect";

const isSignIn = (address) => new URL(address, location.href).pathname === "/sign-in/";

const send = (address, options) => fetch(address, {
  ...options, redirect: "manual", headers: headers(), signal: AbortSignal.timeout(GIVE_UP_MS),
});

export async function asked(address, options, saySlow) {
  const slow = setTimeout(saySlow, SLOW_MS);
  try {
    const answer = await send(address, options);
    if (answer.status !== 403) {
      return answer;
    }
    const page = await renewed();
    if (page?.ok) {
      return await send(address, options);
    }
    return isSignedOut(page) ? page : answer; // without a cookie the token is wrong before anybody asks who it is
  } finally {
    clearTimeout(slow);
  }
}

// Who has signed in again elsewhere has another token than this page began with: it stands in the page as the server has it now.
export async function renewed() {
  const page = await fetch(location.href, { redirect: "manual", signal: AbortSignal.timeout(GIVE_UP_MS) }).catch(() => null);
  const html = page?.ok ? await page.text().catch(() => "") : "";
  const signed = new DOMParser().parseFromString(html, "text/html").body.getAttribute("hx-headers");
  if (signed) {
    document.body.setAttribute("hx-headers", signed);
    for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) {
      field.value = JSON.parse(signed)["X-CSRFToken"];
    }
  }
  return page;
}

// A part of the page that htmx requested: the sign-in page is no part of it.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (isSignIn(detail.xhr.responseURL)) {
    detail.shouldSwap = false;
    document.dispatchEvent(new CustomEvent("session:ended", { detail: { elt: detail.requestConfig.elt } }));
  }
});

export const SIGNED_OUT = "You are signed out. Sign in again in another tab, and this page goes on by itself: nothing typed is lost.";

export function refusalWords(status) {
  if (status === 403) {
    return "You may not change this design any more (403). Your changes are kept in this browser: ask its owner for the right to edit.";
  }
  return status === 404
    ? "This design is not there any more, or not open to you. Your changes are kept in this browser."
    : `The server refused this change (${status}). It is kept in this browser: reload the page to try again.`;
}
