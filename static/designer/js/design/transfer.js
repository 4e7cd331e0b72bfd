// A design's spec as JSON: copied to the clipboard, pasted by button or by Ctrl-V outside fields, dropped as a file.
// What is taken over is one edit of the session; what is refused changes nothing and says why.

import { SIGNED_OUT, asked, isSignedOut } from "./requests.js";

const MOST_BYTES = 1_000_000;
const OF_FIELDS = "input, textarea, select, [contenteditable]";
const form = () => document.getElementById("design-form");
const isStudio = () => Boolean(form()?.dataset.edits);

function say(text, isError = false) {
  document.getElementById("transfer-note")?.remove();
  if (!text) {
    return;
  }
  const note = document.createElement("p");
  note.id = "transfer-note";
  note.className = isError ? "transfer-note note error" : "transfer-note note";
  note.setAttribute("role", isError ? "alert" : "status");
  note.textContent = text;
  document.body.append(note);
  setTimeout(() => note.remove(), isError ? 12_000 : 4_000);
}

function refused(html, field) {
  const note = new DOMParser().parseFromString(html, "text/html").getElementById("spec-refused");
  const items = [...(note?.querySelectorAll("li") ?? [])].map((item) => item.textContent.trim());
  if (!field || !note) {
    say(items.length ? `Not applied: ${items.join(" ")}` : "Not applied. Nothing was changed.", true);
    return;
  }
  document.getElementById("spec-problem").replaceChildren(note);
  field.setAttribute("aria-invalid", "true");
  field.focus();
  const place = items.join(" ").match(/line (\d+), column (\d+)/);
  if (place) {
    const at = offset(field.value, Number(place[1]), Number(place[2]));
    field.setSelectionRange(at, at + 1);
  }
}

// Where a line and a column, both counted from 1, begin in a text.
function offset(text, line, column) {
  const before = text.split("\n").slice(0, line - 1);
  return before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
}

function forget(field) {
  document.getElementById("spec-problem")?.replaceChildren();
  field?.removeAttribute("aria-invalid");
}

// ``field``: the one that the text was typed into, beside which is said what is wrong with it.
async function take(text, field = null) {
  const address = form().dataset.edits.replace(/edits\/(?=$|\?)/, "spec/");
  const body = new URLSearchParams({ spec: text, estimated_hash: document.getElementById("estimated-hash")?.value ?? "" });
  const answer = await asked(address, { method: "POST", body: body.toString() }, () => {}).catch(() => null);
  if (!answer || answer.status >= 500) {
    say("The server does not answer. Nothing was applied: try again in a moment.", true);
  } else if (answer.status === 200) {
    const detail = { html: await answer.text(), address: answer.headers.get("Design-Opened") };
    document.dispatchEvent(new CustomEvent("studio:answer", { detail }));
    forget(field);
    say("Applied. Undo reverts it.");
  } else if (answer.status === 422) {
    refused(await answer.text(), field);
  } else {
    say(isSignedOut(answer) ? `Not applied. ${SIGNED_OUT}` : `Not applied: the server refused it (${answer.status}).`, true);
  }
}

// ---------------------------------------------------------------- copying

async function copy(source) {
  source.select();
  try {
    await navigator.clipboard.writeText(source.value);
    say("Copied.");
  } catch {
    say("The browser does not let this page copy. The text is selected: copy it with Ctrl+C.");
  }
}

async function pasteByButton() {
  try {
    await take(await navigator.clipboard.readText());
  } catch {
    say("The browser does not let this page read the clipboard. Paste with Ctrl+V outside a field, or into the field below.");
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy], [data-paste]");
  if (button?.dataset.copy) {
    copy(document.getElementById(button.dataset.copy));
  } else if (button) {
    pasteByButton();
  }
});

// Buttons that only scripts can serve show themselves where there are scripts.
function unfold(root) {
  for (const button of root.querySelectorAll("[data-copy][hidden]")) {
    button.hidden = false;
  }
  for (const button of root.querySelectorAll("[data-paste][hidden]")) {
    button.hidden = !isStudio() || !navigator.clipboard?.readText;
  }
}

document.addEventListener("htmx:afterSwap", (event) => {
  unfold(event.detail.target);
});
unfold(document);

// ---------------------------------------------------------------- pasting and dropping

document.addEventListener("submit", (event) => {
  const field = event.target.matches("[data-spec-form]") && isStudio() && event.target.elements.spec;
  if (field && field.value.trim()) {
    event.preventDefault();
    take(field.value, field);
  }
});

document.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain").trim() ?? "";
  if (isStudio() && !event.target.closest?.(OF_FIELDS) && text.startsWith("{")) {
    event.preventDefault();
    take(text);
  }
});

function hasFile(event) {
  return isStudio() && [...(event.dataTransfer?.types ?? [])].includes("Files") && !event.target.closest?.("input[type=file]");
}

document.addEventListener("dragover", (event) => {
  if (hasFile(event)) {
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    document.body.dataset.drop = "";
  }
});

document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) {
    delete document.body.dataset.drop;
  }
});

document.addEventListener("drop", async (event) => {
  delete document.body.dataset.drop;
  if (!hasFile(event)) {
    return;
  }
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (!file) {
    return;
  }
  if (file.size > MOST_BYTES) {
    say(`Not applied: ${file.name} has ${file.size.toLocaleString("en-GB")} bytes, and a design may have ${MOST_BYTES.toLocaleString("en-GB")}.`, true);
    return;
  }
  await take(await file.text());
});
