// A design's spec as JSON: copied to the clipboard, pasted by button or by Ctrl-V outside fields, dropped as a file.
// What is taken over is one edit of the session; what is refused changes nothing and says why.

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

function refusal(html) {
  const answer = new DOMParser().parseFromString(html, "text/html");
  const items = [...answer.querySelectorAll("#spec-refused li")].map((item) => item.textContent.trim());
  return items.length ? `Not taken over: ${items.join(" ")}` : "Not taken over. Nothing was changed.";
}

async function take(text) {
  const address = form().dataset.edits.replace(/edits\/(?=$|\?)/, "spec/");
  const headers = {
    "Content-Type": "application/x-www-form-urlencoded", "Studio": "1",
    "X-CSRFToken": JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"],
  };
  const body = new URLSearchParams({ spec: text, estimated_hash: document.getElementById("estimated-hash")?.value ?? "" });
  const answer = await fetch(address, { method: "POST", body, headers, redirect: "manual" }).catch(() => null);
  if (!answer || answer.status >= 500) {
    say("The server does not answer. Nothing was taken over: try again in a moment.", true);
  } else if (answer.status === 200) {
    const detail = { html: await answer.text(), address: answer.headers.get("Design-Opened") };
    document.dispatchEvent(new CustomEvent("studio:answer", { detail }));
    say("Taken over. Undo takes it back.");
  } else if (answer.status === 422) {
    say(refusal(await answer.text()), true);
  } else {
    say(`Not taken over: the server refused it (${answer.status || "signed out"}).`, true);
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
  const sent = event.target.matches("[data-spec-form]") && isStudio() && event.target.elements.spec.value.trim();
  if (sent) {
    event.preventDefault();
    take(sent);
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
    say(`Not taken over: ${file.name} has ${file.size.toLocaleString("en-GB")} bytes, and a design may have ${MOST_BYTES.toLocaleString("en-GB")}.`, true);
    return;
  }
  await take(await file.text());
});
