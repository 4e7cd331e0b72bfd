// The estimate that follows by itself once nothing has changed for a moment. Owns the timer of that moment.

import { form } from "../fields.js";
import "../following.js";
import { isStale, markResult } from "../freshness.js";
import { hasUnsent } from "./edits.js";

const SETTLE_MS = 900;
const AGAIN_MS = 2000; // after a request that got no answer
const FAULT_MS = 8000; // after one that failed in the server

let settling = 0;

export function settleSoon() {
  clearTimeout(settling);
  settling = setTimeout(settle, SETTLE_MS);
}

function settle() {
  const stale = document.getElementById("stale-note");
  const asks = stale?.textContent || isStale() || !document.querySelector("#result, .job");
  if (hasUnsent() || !form().dataset.design || !asks) {
    return; // with edits unsent it would be of a state that is over: their answer settles again
  }
  const target = document.getElementById("follow") ? "#follow" : "#job"; // what is visible stays until the new one is there
  window.htmx?.ajax("POST", `${form().action}settle/`, { target, swap: "innerHTML", values: { follow: target === "#follow" ? 1 : "" } })
    .catch(() => setTimeout(settleSoon, AGAIN_MS)); // htmx has reported it
}

// A fault of the server, or a session that has ended, may pass as well.
document.addEventListener("htmx:responseError", ({ detail: { xhr, pathInfo } }) => {
  if (xhr.status >= 500 && pathInfo.requestPath.endsWith("/settle/")) {
    setTimeout(settleSoon, FAULT_MS);
  }
});

// An estimate that arrives late is of what the form said before: it is followed by one of what it says now.
document.addEventListener("htmx:afterSwap", markResult);
document.addEventListener("htmx:afterSettle", (event) => {
  markResult();
  if (event.detail.target?.id === "job" && isStale()) {
    document.getElementById("stale-note").textContent = "Updating";
    settleSoon();
  }
});
