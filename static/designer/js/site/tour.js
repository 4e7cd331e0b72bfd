// The tour of the first design: a card beside each part of the page in turn. Taken or skipped, it is never offered again on this
// browser. Arrow keys and Escape work; the card never traps the focus, so that the page can be tried out meanwhile.

import { place } from "./beside.js";

const COOKIE = "clusterwright_tour";
const SECONDS = 400 * 24 * 3600;
const card = document.querySelector("[data-tour]");
const steps = [...card.querySelectorAll("li")].map((item) => ({
  target: item.dataset.target,
  title: item.dataset.title,
  text: item.textContent,
}));
let at = -1;
let opener = null;

function never() {
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `${COOKIE}=done; path=/; max-age=${SECONDS}; samesite=lax${secure}`;
  for (const offer of document.querySelectorAll("[data-tour-offer]")) {
    offer.remove();
  }
}

function marked() {
  return document.querySelector(".tour-target");
}

function unmark() {
  marked()?.classList.remove("tour-target");
}

function isShown(element) {
  return element.getClientRects().length > 0;
}

// The form is folded on small screens, and its groups may be closed: what a step points at is shown first.
function reveal(target) {
  for (let block = target.closest("details"); block; block = block.parentElement.closest("details")) {
    block.open = true;
  }
  const form = target.closest(".design-form");
  if (form && !isShown(target)) {
    form.classList.add("is-open");
  }
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  target.scrollIntoView({ block: "center", behavior: calm ? "instant" : "smooth" });
}

function next(from, step) {
  for (let i = from + step; i >= 0 && i < steps.length; i += step) {
    if (document.querySelector(steps[i].target)) {
      return i;
    }
  }
  return -1;
}

function show(index) {
  at = index;
  const step = steps[at];
  const target = document.querySelector(step.target);
  unmark();
  reveal(target);
  target.classList.add("tour-target");
  card.querySelector("[data-tour-number]").textContent = at + 1;
  card.querySelector("h2").textContent = step.title;
  card.querySelector("#tour-text").textContent = step.text;
  card.querySelector("[data-tour-back]").hidden = next(at, -1) < 0;
  card.querySelector("[data-tour-next]").textContent = next(at, 1) < 0 ? "Done" : "Next";
  card.querySelector("[data-tour-end]").hidden = next(at, 1) < 0;
  if (!card.matches(":popover-open")) {
    card.showPopover();
  }
  place(card, target);
  card.querySelector("h2").focus({ preventScroll: true });
}

function end() {
  never();
  unmark();
  at = -1;
  card.hidePopover();
  (opener?.isConnected ? opener : document.getElementById("main")).focus({ preventScroll: true });
}

function move(step) {
  const to = next(at, step);
  if (to >= 0) {
    show(to);
  } else if (step > 0) {
    end();
  }
}

function start(from) {
  opener = from;
  for (const offer of document.querySelectorAll("[data-tour-offer]")) {
    offer.hidden = true;
  }
  const first = next(-1, 1);
  if (first >= 0) {
    show(first);
  }
}

card.querySelector("[data-tour-next]").addEventListener("click", () => move(1));
card.querySelector("[data-tour-back]").addEventListener("click", () => move(-1));
card.querySelector("[data-tour-end]").addEventListener("click", end);
card.addEventListener("keydown", (event) => {
  if (event.key === "ArrowRight") {
    move(1);
  } else if (event.key === "ArrowLeft") {
    move(-1);
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && at >= 0) {
    end();
  }
});
for (const kind of ["scroll", "resize"]) {
  addEventListener(kind, () => at >= 0 && marked() && place(card, marked()), { passive: true, capture: true });
}
// A preview that arrives replaces the figures and the diagram: the mark moves on to the new ones.
document.addEventListener("htmx:afterSettle", () => {
  if (at >= 0 && !marked()) {
    const target = document.querySelector(steps[at].target);
    target?.classList.add("tour-target");
    if (target) {
      place(card, target);
    }
  }
});

for (const link of document.querySelectorAll("[data-tour-start]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    start(link);
  });
}
for (const form of document.querySelectorAll("[data-tour-skip]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    never();
    document.getElementById("main").focus({ preventScroll: true });
  });
}
if (new URLSearchParams(location.search).get("tour") === "1") {
  start(null);
}
