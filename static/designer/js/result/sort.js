// A table whose rows are all on the page sorts here (`data-sortable`): its heads become buttons that look and act as the links
// of tables that the server sorts. A cell whose text is rounded has its value as `data-value`. What has no value in a column stays at the
// end, either way.

function valueOf(row, column, isNumber) {
  const cell = row.cells[column];
  const text = cell?.dataset.value ?? cell?.firstChild?.textContent.trim() ?? "";
  if (!isNumber) {
    return text || null;
  }
  const number = Number.parseFloat(text.replaceAll(",", "").replace("$", "").replace("−", "-"));
  return Number.isNaN(number) ? null : number;
}

function compared(one, other) {
  return typeof one === "number" ? one - other : one.localeCompare(other, "en", { numeric: true });
}

function sort(head) {
  const body = [...head.closest("table").tBodies].at(-1); // rows that are pinned lie in one before it
  const isNumber = head.classList.contains("number");
  const way = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  const rows = [...body.rows].map((row) => ({ row, value: valueOf(row, head.cellIndex, isNumber) }));
  const known = rows.filter(({ value }) => value !== null);
  known.sort((one, other) => way * compared(one.value, other.value));
  body.append(...[...known, ...rows.filter(({ value }) => value === null)].map(({ row }) => row));
  for (const each of head.parentElement.cells) {
    each.setAttribute("aria-sort", "none");
  }
  head.setAttribute("aria-sort", way === 1 ? "ascending" : "descending");
}

function makeButtons(part) {
  for (const head of part.querySelectorAll("table[data-sortable] > thead th:not(:has(.sort))")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
  }
}

document.addEventListener("click", ({ target }) => {
  const head = target.closest("table[data-sortable] button.sort")?.parentElement;
  if (head) {
    sort(head);
  }
});
document.addEventListener("htmx:load", ({ detail }) => makeButtons(detail.elt.parentElement ?? document));
makeButtons(document);
