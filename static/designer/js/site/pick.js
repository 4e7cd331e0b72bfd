// Picking designs to compare: a search over the rows, a count of ticks, and a button that waits until the count is right.

function connect(form) {
  const least = Number(form.dataset.least);
  const most = Number(form.dataset.most);
  const rows = [...form.querySelectorAll("[data-pick-row]")];
  const boxes = [...form.querySelectorAll('input[type="checkbox"][name="design"]')];
  const search = form.querySelector("[data-pick-search]");
  const label = form.querySelector("[data-pick-count]");
  const submit = form.querySelector('[data-pick-submit]') ?? form.querySelector('button[type="submit"]');

  function count() {
    const n = boxes.filter((box) => box.checked).length;
    label.textContent = n === 0 ? label.dataset.none ?? `Tick ${least} to ${most}` : n > most ? `${n} ticked, ${most} at most` : `${n} of up to ${most} ticked`;
    submit.disabled = n < least || n > most;
  }

  function filter(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const has = row.textContent.toLowerCase();
      const ticked = row.querySelector('input[type="checkbox"]').checked;
      row.hidden = !ticked && !words.every((word) => has.includes(word));
    }
  }

  // The baseline is one of those that are compared: choosing it ticks it.
  form.addEventListener("change", (event) => {
    if (event.target.name === "baseline") {
      event.target.closest("tr").querySelector('input[type="checkbox"]').checked = true;
    }
    count();
  });
  count();
  if (!search) {
    return; // the list of designs is searched by the server
  }
  search.hidden = false;
  search.querySelector("input").addEventListener("input", (event) => filter(event.target.value));
  search.querySelector("input").addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
    }
  });
}

for (const form of document.querySelectorAll("[data-pick]")) {
  connect(form);
}
