// The picture of the fabric leads into the form: a block to the fields that set it, the cables between two tiers to theirs. What lies
// under the pointer or has the focus is shown in a card: the rows of the table below the picture that are about it.

import { showFields } from "../design/fields.js";
import { place } from "../site/beside.js";

let card = null;
let shown = null; // the link that the card is about

function build() {
  card = document.createElement("div");
  card.className = "fabric-card";
  card.setAttribute("popover", "manual");
  card.append(document.createElement("table"));
  document.getElementById("main").append(card); // within a landmark, as all that is read
}

function hide() {
  if (shown) {
    shown = null;
    card.hidePopover();
  }
}

// ``at`` is where the pointer is; a card that a finger has opened can be pressed, one under a mouse lets it through.
function show(link, at, isPinned = false) {
  const rows = link.closest("figure")?.querySelector(`[data-of="${link.dataset.about}"]`);
  if (!rows || !("popover" in HTMLElement.prototype) || (shown === link && !isPinned)) {
    return;
  }
  if (!card?.isConnected) {
    build();
  }
  hide();
  card.firstChild.replaceChildren(rows.cloneNode(true));
  card.classList.toggle("is-pinned", isPinned);
  shown = link;
  card.showPopover();
  const box = link.getBoundingClientRect();
  const x = at ?? box.left;
  place(card, { getBoundingClientRect: () => ({ left: x, top: box.top, bottom: box.bottom }) });
}

document.addEventListener("pointerover", ({ target, pointerType, clientX }) => {
  const link = target.closest?.(".fabric a[data-about]");
  if (pointerType === "touch") {
    return;
  }
  if (link) {
    show(link, clientX);
  } else {
    hide();
  }
});

document.addEventListener("focusin", ({ target }) => {
  if (target.matches?.(".fabric a[data-about]:focus-visible")) {
    show(target);
  }
});
document.addEventListener("focusout", ({ target, relatedTarget }) => {
  if (target === shown && !card.contains(relatedTarget)) {
    hide();
  }
});
document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
addEventListener("scroll", ({ target }) => target === card || hide(), { passive: true, capture: true });

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-fields]");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain) {
    hide();
  } else if (event.pointerType === "touch" && link.matches(".lane")) {
    event.preventDefault(); // cables are looked at first: the card has the way to their fields
    show(link, event.clientX, true);
  } else if (showFields(link.dataset.fields.split(" "))) {
    event.preventDefault();
    hide();
  }
});

// An address that names a field opens it.
if (location.hash.startsWith("#id_")) {
  showFields([location.hash.slice("#id_".length)]);
}
