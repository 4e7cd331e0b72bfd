// Ctrl+K and / open the palette, ? lists the keys. The palette and its styles are loaded when they are first opened.

const opener = document.querySelector("[data-palette]");
const TYPED = "input, textarea, select, [contenteditable]";

// The focus stays in a dialog that was just closed until the next frame: keys of that time are the page's.
function isTaken(target) {
  const dialog = target.closest?.("dialog");
  return dialog ? dialog.open : Boolean(target.closest?.(TYPED));
}

function styled() {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = opener.dataset.paletteStyle;
  return new Promise((done) => {
    sheet.addEventListener("load", done);
    sheet.addEventListener("error", done);
    document.head.append(sheet);
  });
}

let loading = null;
let early = null; // what is typed until the palette is there, and belongs into it

async function open(what) {
  early = what === "search" ? early ?? "" : null;
  loading ??= Promise.all([import(opener.dataset.palette), styled()]);
  try {
    const [palette] = await loading;
    palette[what](opener.dataset, early ?? "");
  } catch {
    location.assign(opener.href); // the page of search, or the browser's own word that the server is away
  } finally {
    early = null;
  }
}

if (opener) {
  opener.addEventListener("click", (event) => {
    if (event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      open("search");
    }
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = isTaken(event.target);
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const isPalette = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
    if (early !== null && isPlain && event.key.length === 1) {
      event.preventDefault();
      early += event.key;
      return;
    }
    const what = isPalette || (isPlain && !isTyping && event.key === "/") ? "search" : isPlain && !isTyping && event.key === "?" ? "keys" : "";
    if (what) {
      event.preventDefault();
      open(what);
    }
  });
}
