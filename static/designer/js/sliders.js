// Sliders beside fields: moving one writes its field, typing moves the slider, and what it says aloud has its unit.
// The field is what counts and is sent; a form of [data-sliders] that is not sent by a script works by its fields alone.

function say(slider, text) {
  slider.setAttribute("aria-valuetext", `${slider.dataset.before}${text} ${slider.dataset.unit}`.trim());
}

function mark(field) {
  field.closest(".slider").classList.toggle("is-moved", field.value.trim() !== field.dataset.estimate);
}

function follow(slider, field) {
  const value = Number(field.value);
  if (field.value.trim() !== "" && Number.isFinite(value)) {
    slider.max = Math.max(Number(slider.max), value);
    slider.min = Math.min(Number(slider.min), value);
    slider.value = value;
    say(slider, field.value.trim());
  }
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
      field.value = slider.value;
      say(slider, slider.value);
      mark(field);
    });
    field.addEventListener("input", () => {
      follow(slider, field);
      mark(field);
    });
    if (field.value.trim() === "") {
      slider.setAttribute("aria-valuetext", "not given");
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
connectAll(document);
