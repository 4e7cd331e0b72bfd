// The command palette: a combobox in a dialog over what the server finds, and the list of keys.

const WAIT_MS = 90;
const KEYS = [
  ["Ctrl K", "Search, or do something"],
  ["/", "The same"],
  ["?", "These keys"],
  ["Ctrl Z", "Take back the last change of a design"],
  ["Ctrl Shift Z", "Make it again"],
  ["↑ ↓ Enter", "In the palette: choose and open"],
  ["Esc", "Close what is open"],
];

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

function dialog(id, label, ...children) {
  const box = make("dialog", { id, class: "palette", "aria-label": label }, ...children);
  box.addEventListener("click", (event) => event.target === box && box.close());
  document.body.append(box);
  return box;
}

const input = make("input", {
  type: "text", id: "palette-words", role: "combobox", "aria-expanded": "false", "aria-controls": "palette-list", "aria-autocomplete": "list",
  "aria-label": "Search and actions", autocomplete: "off", spellcheck: "false", maxlength: "100", placeholder: "A design, a part, a field, an action",
});
const list = make("div", { id: "palette-list", role: "listbox", "aria-label": "What was found" });
const state = make("p", { class: "palette-state", role: "status" });
let palette = null;
let asked = null;
let timer = 0;
let asking = null; // until the matches of what was typed last are listed
let source = {};

function options() {
  return [...list.querySelectorAll("[role=option]")];
}

function choose(option) {
  for (const one of options()) {
    one.setAttribute("aria-selected", String(one === option));
  }
  input.setAttribute("aria-activedescendant", option?.id ?? "");
  option?.scrollIntoView({ block: "nearest" });
}

function show({ matches, n_more: more }) {
  const groups = new Map();
  for (const [at, match] of matches.entries()) {
    const option = make("div", { id: `palette-${at}`, role: "option", "aria-selected": "false", "data-address": match.address },
      make("span", { class: "palette-title" }, match.title), make("span", { class: "palette-note" }, match.note));
    if (!groups.has(match.kind)) {
      groups.set(match.kind, make("div", { role: "group", "aria-label": match.kind }, make("div", { class: "palette-kind", "aria-hidden": "true" }, match.kind)));
    }
    groups.get(match.kind).append(option);
  }
  list.replaceChildren(...groups.values());
  input.setAttribute("aria-expanded", String(matches.length > 0));
  list.hidden = matches.length === 0;
  state.textContent = matches.length ? `${matches.length} shown${more ? `, ${more} more: type another word` : ""}` : "Nothing has all of these words";
  choose(options()[0]);
}

async function request() {
  asked?.abort();
  asked = new AbortController();
  const query = new URLSearchParams({ q: input.value });
  if (source.design) {
    query.set("design", source.design);
  }
  try {
    const answer = await fetch(`${source.matches}?${query}`, { signal: asked.signal, headers: { Accept: "application/json" } });
    if (!answer.ok || answer.redirected) {
      throw new Error(String(answer.status));
    }
    show(await answer.json());
  } catch (error) {
    if (error.name !== "AbortError") {
      list.replaceChildren();
      list.hidden = true;
      state.textContent = "The server does not answer. Enter opens the page of search.";
    }
  }
}

function ask() {
  clearTimeout(timer);
  timer = 0;
  asking = request();
}

// A key is about what was typed before it, whose matches may not be listed yet.
async function listed() {
  if (timer) {
    ask();
  }
  for (let latest = null; latest !== asking; await latest) {
    latest = asking;
  }
}

function go(address, isApart) {
  if (isApart) {
    open(address, "_blank", "noopener");
  } else {
    palette.close();
    location.assign(address);
  }
}

async function onKey(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step && event.key !== "Enter") {
    return;
  }
  event.preventDefault();
  await listed();
  const all = options();
  const at = all.findIndex((one) => one.getAttribute("aria-selected") === "true");
  if (step && all.length) {
    choose(all[(at + step + all.length) % all.length]);
  } else if (!step && palette.open) {
    const page = `${document.querySelector("[data-palette]").href}?${new URLSearchParams({ q: input.value })}`;
    go(all[at]?.dataset.address ?? page, event.ctrlKey || event.metaKey);
  }
}

function build() {
  palette = dialog("palette", "Search and actions", input, list, state);
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT_MS);
  });
  input.addEventListener("keydown", onKey);
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) {
      go(option.dataset.address, event.ctrlKey || event.metaKey);
    }
  });
}

// ``early``: what was typed before this script was here.
export function search(from, early = "") {
  source = from;
  if (!palette) {
    build();
  }
  document.getElementById("palette-keys")?.close();
  if (!palette.open) {
    palette.showModal();
  }
  if (early) {
    input.value = early;
  } else {
    input.select();
  }
  ask();
}

export function keys() {
  let box = document.getElementById("palette-keys");
  if (!box) {
    const rows = KEYS.flatMap(([key, what]) => [make("dt", {}, ...key.split(" ").map((one) => make("kbd", {}, one))), make("dd", {}, what)]);
    const close = make("button", { type: "button", class: "button small" }, "Close");
    box = dialog("palette-keys", "Keys", make("h2", {}, "Keys"), make("dl", {}, ...rows), close);
    close.addEventListener("click", () => box.close());
  }
  if (!box.open) {
    box.showModal();
  }
}
