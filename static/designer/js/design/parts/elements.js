// What the lists of parts share: elements made, words looked for, and a field of the form that a control of ours writes.

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

export const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

// The session hears of the field that is sent, and not of the control that stands for it.
export function write(field, value) {
  if (field.value !== value) {
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

export function keepInside(element) {
  for (const kind of ["input", "change"]) {
    element.addEventListener(kind, (event) => event.stopPropagation());
  }
}

// Begins with the page, with each form that takes the place of another, and looks again when fields were written by others.
export function each(selector, connect) {
  let again = [];
  const start = () => {
    again = [...document.querySelectorAll(`.design-form ${selector}`)].filter((field) => !field.matches(":disabled")).map(connect);
  };
  document.addEventListener("studio:form", start);
  document.addEventListener("studio:shown", () => again.forEach((look) => look()));
  start();
}
