// Panels under the head of a design (versions, links, JSON): their buttons open and close them, Escape closes, and the focus
// goes into the panel and back. Without scripts each is a page of its own.

const panel = () => document.getElementById("head-panel");
let opener = "";

function mark() {
  for (const link of document.querySelectorAll("a[data-panel]")) {
    link.setAttribute("aria-expanded", String(link.getAttribute("href") === opener));
  }
}

function close() {
  const link = document.querySelector(`a[data-panel][href="${CSS.escape(opener)}"]`);
  opener = "";
  panel().replaceChildren();
  mark();
  (link?.closest("details.menu:not([open])")?.querySelector("summary") ?? link)?.focus({ preventScroll: true });
}

document.addEventListener("htmx:beforeRequest", (event) => {
  const link = event.detail.elt.closest?.("a[data-panel]");
  if (link && link.getAttribute("href") === opener) {
    event.preventDefault();
    close();
  }
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target?.id !== "head-panel") {
    return;
  }
  const link = event.detail.requestConfig?.elt.closest?.("a[data-panel]");
  opener = link?.getAttribute("href") ?? opener;
  link?.closest("details.menu")?.removeAttribute("open");
  mark();
  panel().querySelector("[autofocus], h2")?.focus({ preventScroll: true });
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-panel-close]") && opener) {
    event.preventDefault();
    close();
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && opener && panel().contains(document.activeElement)) {
    close();
  }
});
