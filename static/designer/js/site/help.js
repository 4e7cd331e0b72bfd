// The card behind the question marks: fetched once for each, shown beside its mark. Without a server the mark stays a link.

import { place } from "./beside.js";

const known = new Map();
let card = null;
let mark = null;
let wanted = null; // the mark that was pressed last: a text that comes later for another is not shown
let pressed = null; // the mark that was pressed while its card was open: the press alone has closed it

function build() {
  card = document.createElement("section");
  card.className = "help-card";
  card.id = "help-card";
  card.setAttribute("popover", "auto");
  card.setAttribute("role", "dialog");
  card.setAttribute("aria-labelledby", "help-card-title");
  card.tabIndex = -1;
  card.addEventListener("toggle", (event) => {
    if (event.newState === "closed") {
      mark?.setAttribute("aria-expanded", "false");
      if (card.contains(document.activeElement) || document.activeElement === document.body) {
        mark?.focus({ preventScroll: true });
      }
      mark = null;
    }
  });
  card.addEventListener("click", (event) => {
    if (event.target.closest("[data-help-close]")) {
      card.hidePopover();
    }
  });
  document.body.append(card);
}

async function text(address) {
  if (!known.has(address)) {
    const response = await fetch(address, { credentials: "same-origin", headers: { "HX-Request": "true" } });
    if (!response.ok || response.redirected) {
      throw new Error(`no help at ${address}`);
    }
    known.set(address, await response.text());
  }
  return known.get(address);
}

async function open(link) {
  wanted = link;
  const html = await text(link.dataset.help);
  if (wanted !== link) {
    return;
  }
  if (!card) {
    build();
  }
  if (card.matches(":popover-open")) {
    card.hidePopover();
  }
  card.innerHTML = html; // of this server, which escapes every text in it
  mark?.setAttribute("aria-expanded", "false"); // closed and opened at once, the card reports no closing
  mark = link;
  mark.setAttribute("aria-expanded", "true");
  card.showPopover();
  place(card, mark);
  card.focus({ preventScroll: true });
}

document.addEventListener("pointerdown", (event) => {
  const link = event.target.closest("a[data-help]");
  pressed = link && link === mark && card?.matches(":popover-open") ? link : null;
}, true);

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-help]");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || !("popover" in HTMLElement.prototype)) {
    return;
  }
  event.preventDefault();
  if (link === pressed) {
    pressed = null;
    return;
  }
  if (mark === link && card?.matches(":popover-open")) {
    card.hidePopover(); // by the keyboard
    return;
  }
  try {
    await open(link);
  } catch {
    location.assign(link.href); // the page of all texts, or the browser's own word that the server is away
  }
});

for (const kind of ["scroll", "resize"]) {
  addEventListener(kind, (event) => mark && !card.contains(event.target) && place(card, mark), { passive: true, capture: true });
}
