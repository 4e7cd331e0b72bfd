// A line of ids as boxes to tick: which of the team's own cables a design takes. Without this script it is the line.

import { each, keepInside, make, write } from "./elements.js";

const NONE = "none";

function connect(field) {
  const offers = JSON.parse(field.dataset.boxes);
  const named = () => field.value.split(",").map((one) => one.trim());
  const boxes = offers.map(([value, name, note], at) => {
    const box = make("input", { type: "checkbox", id: `${field.id}_${at}`, value });
    return { box, row: make("label", { class: "box-row" }, box, make("span", {}, name, make("span", { class: "cell-note" }, note))) };
  });
  const list = make("div", { class: "box-list", role: "group", "aria-label": document.querySelector(`label[for="${field.id}"]`)?.textContent ?? "" }, ...boxes.map(({ row }) => row));
  const show = () => boxes.forEach(({ box }) => { box.checked = named().includes(box.value); });
  list.addEventListener("change", ({ target }) => {
    const id = target.value.split("@")[0];
    if (target.checked) { // one revision of a cable
      boxes.filter(({ box }) => box !== target && box.value.split("@")[0] === id).forEach(({ box }) => { box.checked = false; });
    }
    write(field, boxes.filter(({ box }) => box.checked).map(({ box }) => box.value).join(", ") || NONE);
  });
  keepInside(list);
  if (offers.length) {
    field.parentElement.querySelector(".box-list")?.remove();
    field.hidden = true;
    field.after(list);
  } else {
    field.hidden = !field.value;
  }
  show();
  return show;
}

each("input[data-boxes]", connect);
