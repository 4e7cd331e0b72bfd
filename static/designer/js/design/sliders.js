// Sliders beside fields: moving one writes its field, typing moves the slider, and what it says aloud has its unit.
// The field is what counts and is sent; a form of [data-sliders] that is not sent by a script works by its fields alone.
// A blank field has its slider where the value stands that the blank means. Of [data-stops] a slider offers no other values.

const stopsOf = (slider) => slider.dataset.stops?.split(" ");

function say(slider, text) {
  slider.setAttribute("aria-valuetext", `${slider.dataset.before ?? ""}${text} ${slider.dataset.unit ?? ""}`.trim());
}

function mark(field) {
  if ("estimate" in field.dataset) {
    field.closest(".slider").classList.toggle("is-moved", field.value.trim() !== field.dataset.estimate);
  }
}

// "4:3" → 1.333, "1,024" → 1024, "10 %" → 0.1
function numberOf(text) {
  if (text.trim().endsWith("%")) {
    return Number(text.trim().slice(0, -1)) / 100;
  }
  const [first, second] = text.replace(/[,\s]/g, "").split(":").map(Number);
  return second === undefined ? first : first / second;
}

// 0.5 reads "= 50 %" beside its field; nothing for what is no number yet.
function tellShare(field) {
  const output = field.form?.querySelector(`[data-share-of="${CSS.escape(field.id)}"]`);
  if (output) {
    const text = field.value.trim() || field.placeholder.trim();
    const share = Number(text);
    output.value = text !== "" && Number.isFinite(share) ? `= ${Number((100 * share).toPrecision(4))}\u00a0%` : "";
  }
}

function position(slider, value) {
  const stops = stopsOf(slider);
  if (!stops) {
    return value;
  }
  const gaps = stops.map((stop) => Math.abs(Math.log(numberOf(stop) / value)));
  return gaps.indexOf(Math.min(...gaps));
}

function follow(slider, field) {
  tellShare(field);
  const typed = field.value.trim();
  const text = typed === "" ? field.placeholder.trim() : typed;
  const value = numberOf(text);
  if (text === "" || !Number.isFinite(value)) {
    if (typed === "") {
      slider.setAttribute("aria-valuetext", "not given");
    }
    return;
  }
  if (!stopsOf(slider)) {
    slider.max = Math.max(Number(slider.max), value);
    slider.min = Math.min(Number(slider.min), value);
  }
  slider.value = position(slider, value);
  slider.classList.toggle("is-automatic", typed === "");
  say(slider, typed === "" ? `automatic, ${text}` : text);
}

function connect(form) {
  if ("connected" in form.dataset) {
    return;
  }
  form.dataset.connected = "";
  for (const slider of form.querySelectorAll("[data-slides]")) {
    const field = form.querySelector(`#${CSS.escape(slider.dataset.slides)}`);
    slider.hidden = false;
    slider.addEventListener("input", () => {
      field.value = stopsOf(slider)?.[slider.value] ?? slider.value;
      slider.classList.remove("is-automatic");
      say(slider, field.value);
      tellShare(field);
      mark(field);
    });
    field.addEventListener("input", () => {
      follow(slider, field);
      mark(field);
    });
    if (field.value.trim() === "" || !slider.hasAttribute("aria-valuetext")) {
      follow(slider, field);
    }
  }
}

// What blanks stand for has changed: the sliders of blank fields follow, unless one is being moved.
function followBlanks() {
  for (const slider of document.querySelectorAll("[data-sliders] [data-slides].field-range")) {
    const field = document.getElementById(slider.dataset.slides);
    if (field && slider !== document.activeElement) {
      follow(slider, field);
    }
  }
}

// Back to the estimate's: the fields as they came, and the same answer as for any other move.
function takeBack(event) {
  const link = event.target.closest("[data-slide-back]");
  const form = link?.closest("[data-sliders]");
  if (!form) {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  for (const slider of form.querySelectorAll("[data-slides]")) {
    const field = form.querySelector(`#${CSS.escape(slider.dataset.slides)}`);
    field.value = field.dataset.estimate;
    slider.value = field.dataset.estimate === "" ? slider.defaultValue : field.dataset.estimate;
    field.dispatchEvent(new Event("input"));
  }
  form.dispatchEvent(new Event("input"));
}

function connectAll(root) {
  for (const form of root.querySelectorAll("[data-sliders]")) {
    connect(form);
  }
}

document.addEventListener("click", takeBack, { capture: true });
document.addEventListener("htmx:load", (event) => connectAll(event.detail.elt.parentElement ?? document));
document.addEventListener("studio:form", () => connectAll(document));
document.addEventListener("studio:shown", followBlanks);
connectAll(document);
