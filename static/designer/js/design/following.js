// What waits for a new result (`.follow`) asks the server in turn, and its answer goes to the page by way of the element that
// asked. One whose place another answer has taken is aborted: it would look for that place and fail.

document.addEventListener("htmx:beforeCleanupElement", ({ target }) => {
  if (target.matches?.(".follow")) { // a text has no `matches`
    window.htmx.trigger(target, "htmx:abort");
  }
});
