// What waits for a new result (`.follow`) asks the server in turn, and its answer goes to the page by way of the element that
// asked. One whose place another answer has taken is aborted: it would look for that place and fail.

const AGAIN_MS = 1000;

document.addEventListener("htmx:beforeCleanupElement", ({ target }) => {
  if (target.matches?.(".follow")) { // a text has no `matches`
    window.htmx.trigger(target, "htmx:abort");
  }
});

// A question that is put once and got no answer, as from a server that starts again, is put again: by a copy of what asked.
function askAgain({ detail: { elt, xhr } }) {
  if (xhr?.status >= 400 && xhr.status < 500) {
    return;
  }
  setTimeout(() => {
    if (elt.isConnected && elt.matches("[hx-trigger^='load delay']")) {
      const again = elt.cloneNode(true);
      elt.replaceWith(again);
      window.htmx.process(again);
    }
  }, AGAIN_MS);
}

for (const lost of ["htmx:sendError", "htmx:responseError", "session:ended"]) {
  document.addEventListener(lost, askAgain);
}
