// Designs that were found, as points of a chart and as rows: what is chosen or pointed at in one is marked in the other.
// Rows are filtered by words, pinned to the top, and ticked for a comparison.

const table = document.querySelector("[data-found]");
const rows = table ? [...table.querySelectorAll("tr[data-place]")] : [];
const rowOf = new Map(rows.map((row) => [Number(row.dataset.place), row]));
const NONE = -1;
let words = [];
let isChosen = () => true;

function show() {
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    const stays = row.closest("[data-found-pinned]") || row.querySelector("input")?.checked;
    row.hidden = !stays && !words.every((word) => text.includes(word));
    row.classList.toggle("is-dimmed", !isChosen(Number(row.dataset.place)));
  }
}

// ------------------------------------------------ chart and rows

function mark(place) {
  for (const row of table.querySelectorAll(".is-hot")) {
    row.classList.remove("is-hot");
  }
  rowOf.get(place)?.classList.add("is-hot");
}

function within(ends, value) {
  return !ends || (value >= Math.min(...ends) && value <= Math.max(...ends));
}

function follow(view) {
  const points = new Map(view.data("rows").map((point) => [point.place, point]));
  view.addSignalListener("brush", (_, brush) => {
    const isAll = !brush || Object.keys(brush).length === 0;
    isChosen = (place) => {
      const point = points.get(place);
      return isAll || (point !== undefined && within(brush.x, point.x) && within(brush.y, point.y));
    };
    show();
  });
  view.addEventListener("pointerover", (_, item) => mark(item?.datum?.place ?? NONE));
  view.addEventListener("pointerout", () => mark(NONE));
  const hot = (place) => view.signal("hot", place).runAsync();
  for (const row of rows) {
    for (const event of ["pointerenter", "focusin"]) {
      row.addEventListener(event, () => hot(Number(row.dataset.place)));
    }
    for (const event of ["pointerleave", "focusout"]) {
      row.addEventListener(event, () => hot(NONE));
    }
  }
}

// ------------------------------------------------ filter, pin, tick

function pin(button) {
  const row = button.closest("tr");
  const isPinned = button.getAttribute("aria-pressed") === "true";
  const pinned = table.querySelector("[data-found-pinned]");
  const others = "tied" in row.dataset ? table.querySelector(".tie") : [...table.querySelectorAll("tbody")].at(-1);
  button.setAttribute("aria-pressed", String(!isPinned));
  if (isPinned) {
    const after = [...others.rows].find((other) => Number(other.dataset.place) > Number(row.dataset.place));
    others.insertBefore(row, after ?? null);
  } else {
    pinned.append(row);
  }
  button.focus();
  show();
}

function count() {
  const [least, most] = [Number(table.dataset.least), Number(table.dataset.most)];
  const n = table.querySelectorAll('input[name="pick"]:checked').length;
  table.querySelector("[data-found-count]").textContent =
    n === 0 ? `Tick ${least} to ${most}` : n > most ? `${n} ticked, ${most} at most` : `${n} of up to ${most} ticked`;
  table.querySelector("[data-found-compare]").disabled = n < least || n > most;
}

if (table) {
  const filter = table.querySelector("[data-found-filter]");
  filter.hidden = false;
  filter.addEventListener("input", () => {
    words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    show();
  });
  filter.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
    }
  });
  for (const button of table.querySelectorAll("[data-found-pin]")) {
    button.hidden = false;
    button.addEventListener("click", () => pin(button));
  }
  table.addEventListener("change", count);
  document.addEventListener("chart:drawn", ({ detail }) => follow(detail.view));
  count();
}
