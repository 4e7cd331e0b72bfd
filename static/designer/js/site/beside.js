// Puts a popover beside what it is about: below where there is room, else above, and always inside the window, whose head stays free.

const GAP = 10;
const EDGE = 8;

function clamp(value, low, high) {
  return Math.max(low, Math.min(value, high));
}

export function place(card, target) {
  const box = target.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = card;
  const head = Math.max(0, document.querySelector(".site-header")?.getBoundingClientRect().bottom ?? 0);
  const room = { width: document.documentElement.clientWidth, height: innerHeight };
  let top = box.bottom + GAP;
  if (top + height > room.height - EDGE) {
    top = box.top - GAP - height;
  }
  card.style.left = `${clamp(box.left, EDGE, Math.max(EDGE, room.width - width - EDGE))}px`;
  card.style.top = `${clamp(top, head + EDGE, Math.max(head + EDGE, room.height - height - EDGE))}px`;
}
