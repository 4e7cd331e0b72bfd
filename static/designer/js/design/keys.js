// Keys of the session: Ctrl+Z and Ctrl+Shift+Z or Ctrl+Y take steps back and forth.

const TEXTS = "textarea, input:not([type=range], [type=checkbox], [type=radio])";
let valueAtFocus = "";

document.addEventListener("focusin", ({ target }) => {
  valueAtFocus = target.value;
});

// In a text that was typed in, the browser's own undo takes letters back; everywhere else a step of the session is taken.
document.addEventListener("keydown", (event) => {
  const { target } = event;
  const isTyped = target.isContentEditable || (target.matches?.(TEXTS) && (!target.closest("#design-form") || target.value !== valueAtFocus));
  if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyped) {
    return;
  }
  const letter = event.key.toLowerCase();
  const direction = letter === "y" || (letter === "z" && event.shiftKey) ? "forth" : letter === "z" ? "back" : "";
  if (direction && document.querySelector("#studio-bar [data-step-back]")) {
    event.preventDefault();
    document.dispatchEvent(new CustomEvent("studio:step", { detail: direction }));
  }
});
