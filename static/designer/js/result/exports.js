// Downloads that may take a while: the file is fetched as a stream, and its link says how far it is. Without scripts, or where
// a new tab is requested, the link is a plain download.

const SHOWN_AFTER_MS = 250;
const NEWLINE = 10;

function size(bytes) {
  return bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3)).toLocaleString("en-GB")} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function fileName(response) {
  return /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? "links";
}

function countLines(chunk) {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
    lines += 1;
  }
  return lines;
}

// The progress beside one link; it shows itself only where a download takes longer than a moment.
function indicator(link, stop) {
  const box = document.createElement("div");
  box.className = "export-state";
  const bar = document.createElement("progress");
  bar.setAttribute("aria-label", "Download");
  const words = document.createElement("span");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  button.textContent = "Cancel";
  button.addEventListener("click", stop);
  box.append(bar, words, button);
  const timer = setTimeout(() => {
    link.hidden = true;
    link.after(box);
  }, SHOWN_AFTER_MS);
  return {
    show(bytes, share) {
      words.textContent = share === null ? size(bytes) : `${size(bytes)}, ${Math.floor(share * 100)} %`;
      if (share !== null) {
        bar.value = share;
      }
    },
    close() {
      clearTimeout(timer);
      const hadFocus = box.contains(document.activeElement);
      box.remove();
      link.hidden = false;
      if (hadFocus) {
        link.focus();
      }
    },
  };
}

function tell(link, message) {
  link.parentElement.querySelector(".export-state.failed")?.remove();
  if (message) {
    const note = document.createElement("p");
    note.className = "export-state failed";
    note.setAttribute("role", "status");
    note.textContent = message;
    link.after(note);
  }
}

async function received(link, response, state) {
  const total = Number(link.dataset.lines) || null;
  const reader = response.body.getReader();
  const chunks = [];
  let bytes = 0;
  let lines = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    chunks.push(part.value);
    bytes += part.value.length;
    lines += total ? countLines(part.value) : 0;
    state.show(bytes, total ? Math.min(lines / total, 1) : null);
  }
  return new Blob(chunks, { type: response.headers.get("Content-Type") ?? "" });
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function refusal(response) {
  try {
    const { problems } = await response.json();
    return problems.map((problem) => problem.message).join(" ");
  } catch {
    return `The server answered ${response.status}. Try again in a while.`;
  }
}

async function download(link) {
  const control = new AbortController();
  const state = indicator(link, () => control.abort());
  tell(link, "");
  link.dataset.busy = "";
  try {
    const response = await fetch(link.href, { signal: control.signal, credentials: "same-origin" });
    if (response.ok) {
      save(await received(link, response, state), fileName(response));
    } else {
      tell(link, await refusal(response));
    }
  } catch (error) {
    if (error.name !== "AbortError") {
      tell(link, "The download broke off. Try again.");
    }
  } finally {
    state.close();
    delete link.dataset.busy;
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-export]");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (link && isPlain) {
    event.preventDefault();
    if (!("busy" in link.dataset)) {
      download(link);
    }
  }
});
