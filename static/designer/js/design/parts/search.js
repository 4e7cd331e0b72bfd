// A long list with a box to search in: every word of it is looked for in group, name and note of each option. Without this
// script it is the list of the browser.

import { each, keepInside, make, wordsOf, write } from "./elements.js";

let searched = null; // the box that is searched in while another form takes the place of its own

function connect(select) {
  const id = `${select.id}_list`;
  const input = make("input", {
    type: "text", role: "combobox", id: `${select.id}_search`, "aria-expanded": "false", "aria-controls": id, "aria-autocomplete": "list",
    autocomplete: "off", spellcheck: "false", "aria-label": `${document.querySelector(`label[for="${select.id}"]`)?.textContent ?? ""}: ${select.dataset.search}`,
    placeholder: select.dataset.search,
  });
  const list = make("div", { role: "listbox", id, hidden: "" });
  const nothing = make("p", { class: "part-search-none", role: "status" });
  const box = make("div", { class: "part-search" }, input, make("div", { class: "part-search-drop", hidden: "" }, list, nothing));
  const drop = list.parentElement;
  let rows = [];
  let active = null;

  const labelOf = (option) => option?.textContent.trim() ?? "";
  const show = () => {
    if (!isOpen()) {
      input.value = labelOf(select.selectedOptions[0]);
    }
  };
  const isOpen = () => !drop.hidden;
  const found = () => rows.filter(({ element }) => !element.hidden);

  function build() {
    rows = [];
    list.replaceChildren();
    for (const child of select.children) {
      const title = child.tagName === "OPTGROUP" ? child.label : "";
      const holder = title ? make("div", { role: "group", "aria-label": title }, make("div", { class: "part-search-group", "aria-hidden": "true" }, title)) : list;
      for (const option of title ? child.children : [child]) {
        const note = option.dataset.note ?? "";
        const element = make("div", { role: "option", id: `${id}_${rows.length}`, "aria-selected": String(option.selected) },
          make("span", {}, labelOf(option)), make("span", { class: "part-search-note" }, note));
        rows.push({ option, element, text: `${title} ${labelOf(option)} ${note}`.toLowerCase() });
        holder.append(element);
      }
      if (holder !== list) {
        list.append(holder);
      }
    }
  }

  function choose(row) {
    for (const one of rows) {
      one.element.classList.toggle("is-active", one === row);
    }
    active = row ?? null;
    input.setAttribute("aria-activedescendant", row?.element.id ?? "");
    row?.element.scrollIntoView({ block: "nearest" });
  }

  function open() {
    if (isOpen()) {
      return;
    }
    build();
    drop.hidden = false;
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    filter("");
    choose(rows.find(({ option }) => option.selected));
  }

  function close() {
    drop.hidden = true;
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    show();
  }

  function filter(text) {
    const words = wordsOf(text);
    for (const { element, text: of } of rows) {
      element.hidden = !words.every((word) => of.includes(word));
    }
    for (const group of list.querySelectorAll('[role="group"]')) {
      group.hidden = !group.querySelector('[role="option"]:not([hidden])');
    }
    nothing.textContent = found().length ? "" : "No server has all of these words.";
  }

  function take(row) {
    close();
    if (row) {
      write(select, row.option.value);
      show();
    }
  }

  input.addEventListener("focus", () => input.select());
  input.addEventListener("click", open);
  input.addEventListener("blur", close);
  input.addEventListener("input", () => {
    open();
    filter(input.value);
    choose(input.value.trim() ? found()[0] : rows.find(({ option }) => option.selected));
  });
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) {
      event.preventDefault();
      if (!isOpen()) {
        open();
        return;
      }
      const all = found();
      const at = all.indexOf(active) + step;
      choose(all[Math.abs(step) === 1 ? (at + all.length) % all.length : Math.min(Math.max(at, 0), all.length - 1)]);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (isOpen()) {
        take(active);
      } else {
        open();
      }
    } else if (event.key === "Tab" && isOpen()) {
      take(active); // what is marked as the field is left, as a list of the browser does
    } else if (event.key === "Escape" && isOpen()) {
      event.stopPropagation();
      close();
      input.select();
    }
  });
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the box keeps the focus
  list.addEventListener("click", ({ target }) => {
    const element = target.closest('[role="option"]');
    if (element) {
      take(rows.find((row) => row.element === element));
    }
  });
  select.addEventListener("input", show);
  select.addEventListener("focus", () => input.focus()); // a link to the field leads to the box
  keepInside(box);
  select.classList.add("visually-hidden");
  select.tabIndex = -1;
  select.setAttribute("aria-hidden", "true");
  select.parentElement.querySelector(".part-search")?.remove();
  select.after(box);
  show();
  if (searched?.id === input.id) {
    input.focus();
    input.value = searched.text;
    input.dispatchEvent(new Event("input"));
  }
  return show;
}

document.addEventListener("studio:replacing", () => {
  const box = document.activeElement?.closest('.part-search input[aria-expanded="true"]');
  searched = box && { id: box.id, text: box.value };
});
each("select[data-search]", connect);
