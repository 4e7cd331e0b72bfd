// What the fields of the design's form hold: read as a map, compared, written.

const NOT_TYPED = new Set(["csrfmiddlewaretoken", "estimated_hash"]);

export const form = () => document.getElementById("design-form");

export function values() {
  return Object.fromEntries([...new FormData(form())].filter(([name, value]) => !NOT_TYPED.has(name) && typeof value === "string"));
}

// The fields in which two maps differ: what they hold now, and what they held before. A box that is not ticked holds "".
export function differences(now, before) {
  const names = Object.keys({ ...before, ...now }).filter((name) => (now[name] ?? "") !== (before[name] ?? ""));
  const of = (map) => Object.fromEntries(names.map((name) => [name, map[name] ?? ""]));
  return { fields: of(now), was: of(before) };
}

export function write(fields) {
  for (const [name, value] of Object.entries(fields)) {
    const input = form().elements[name];
    if (input?.type === "checkbox") {
      input.checked = Boolean(value);
    } else if (input && input.value !== value) {
      input.value = value;
    }
  }
}

export function openAround(element) {
  for (let block = element.closest("details"); block; block = block.parentElement.closest("details")) {
    block.open = true;
  }
}

// Leads to fields: unfolded, marked for a while, the first with the focus. False where the form has none of them.
const LED_TO_MS = 4000;

export function showFields(names) {
  const inputs = names.map((name) => form()?.elements[name]).filter(Boolean);
  if (!inputs.length) {
    return false;
  }
  location.hash = inputs[0].id; // shows the form where it is folded
  for (const input of inputs) {
    const field = input.closest(".field");
    openAround(input);
    field.dataset.ledTo = "";
    setTimeout(() => delete field.dataset.ledTo, LED_TO_MS);
  }
  inputs[0].focus();
  inputs[0].scrollIntoView({ block: "center" });
  return true;
}

// Shows for a while which fields somebody else has changed, and who.
const SHOWN_MS = 8000;

export function markChanged(names, by) {
  for (const name of names) {
    const field = form().elements[name]?.closest?.(".field");
    if (field) {
      field.dataset.changedBy = by;
      setTimeout(() => delete field.dataset.changedBy, SHOWN_MS);
    }
  }
}
