// Problems of the live preview and of a failed job, put beside the fields they are about, with the change that would end each.

import { openAround } from "./fields.js";

function clear(form) {
  for (const note of form.querySelectorAll("[data-error-of]")) {
    if (note.textContent) {
      note.textContent = "";
    }
  }
  for (const input of form.querySelectorAll("[aria-invalid]")) {
    input.removeAttribute("aria-invalid");
  }
}

function mark(form, item) {
  const { problemField: field, problemMessage: message } = item.dataset;
  const note = form.querySelector(`[data-error-of="${CSS.escape(field)}"]`);
  const input = form.elements[field];
  if (!note || !input) {
    return;
  }
  note.append(note.textContent ? ` ${message}` : message);
  const change = item.querySelector("[data-fill]");
  if (change) {
    note.append(" ", change.cloneNode(true));
  }
  input.setAttribute("aria-invalid", "true");
  openAround(input);
}

function show(root) {
  const form = document.querySelector(".design-form");
  clear(form);
  for (const item of root.querySelectorAll("[data-problem-field]")) {
    mark(form, item);
  }
}

document.addEventListener("htmx:afterSettle", (event) => {
  if (["preview", "preview-problems", "job"].includes(event.detail.target?.id)) {
    show(event.detail.target);
  }
});

document.addEventListener("studio:shown", () => {
  show(document.getElementById("preview-problems"));
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-problem-field] a, a[data-field-link]");
  const input = link && document.querySelector(link.hash);
  if (input) {
    event.preventDefault();
    location.hash = link.hash; // shows the form where it is folded
    openAround(input);
    input.focus();
  }
});

// A change that would end a problem, made on the form: the preview then says whether it does.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-fill]");
  const form = document.querySelector(".design-form");
  if (!button || !form) {
    return;
  }
  let last = null;
  for (const [name, value] of Object.entries(JSON.parse(button.dataset.fill))) {
    const input = form.elements[name];
    if (!input) {
      continue;
    }
    if (typeof value === "boolean") {
      input.checked = value;
    } else {
      input.value = value;
    }
    openAround(input);
    last = input;
  }
  last?.focus();
  last?.dispatchEvent(new Event("input", { bubbles: true }));
});
