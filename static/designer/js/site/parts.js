// Folded parts of a page ("details.part"): what was opened stays open when a newer result takes the page's place, the one that an
// address names is open, and paper has them all.

const opened = new Set();
let shut = []; // what was opened for the printer alone

function reveal() {
  const named = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  for (const part of named ? [named.closest("details.part"), ...named.querySelectorAll("details.part")] : []) {
    if (part && !part.open) {
      part.open = true;
    }
  }
}

function restore() {
  for (const part of document.querySelectorAll("details.part[data-part]")) {
    part.open ||= opened.has(part.dataset.part);
  }
}

document.addEventListener("toggle", ({ target }) => {
  if (target.matches?.("details.part[data-part]") && !shut.includes(target)) {
    opened[target.open ? "add" : "delete"](target.dataset.part);
  }
}, true);
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#']");
  if (link && link.hash === location.hash) {
    reveal(); // pressed again: the address does not change
  }
});
// A part of the page was put in another's place: by htmx, at its side, or by the answer to an edit.
for (const event of ["htmx:load", "htmx:oobAfterSwap", "htmx:afterSettle", "studio:shown"]) {
  document.addEventListener(event, restore);
}
addEventListener("hashchange", reveal);
addEventListener("beforeprint", () => {
  shut = [...document.querySelectorAll("details.part:not([open])")];
  for (const part of shut) {
    part.open = true;
  }
});
addEventListener("afterprint", () => {
  for (const part of shut) {
    part.open = false;
  }
  setTimeout(() => { shut = []; }); // after the toggles of the above
});
reveal();
