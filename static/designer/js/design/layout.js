// The layout of the studio: folds say what their fields hold, links open what they lead to, the diagram comes after the figures,
// and the first figure's height is given to the style sheet, so that nothing that has the focus is hidden by the strip.

const DIAGRAM_DELAY_MS = 160;
const strip = () => document.getElementById("summary");

// ---------------------------------------------------------------- what folded fields hold

function shown(input) {
  if (input.type === "checkbox") {
    return input.checked ? "yes" : "no";
  }
  if (input instanceof HTMLSelectElement) {
    return (input.selectedOptions[0]?.textContent ?? "").replace(/^Automatic: /, "");
  }
  return input.value.trim() || input.placeholder;
}

function tell() {
  const form = document.getElementById("design-form");
  for (const item of form?.querySelectorAll("[data-digest]") ?? []) {
    const input = form.elements[item.dataset.digest];
    const value = item.querySelector("b");
    const text = input ? shown(input) : value.textContent;
    if (value.textContent !== text) {
      value.textContent = text;
    }
  }
}

// ---------------------------------------------------------------- links into the form

document.addEventListener("click", (event) => {
  const link = event.target.closest(".group-nav a");
  const block = link && document.querySelector(link.hash);
  if (!block) {
    return;
  }
  event.preventDefault(); // an address of its own would close the sheet that a phone has open
  block.open = true;
  block.scrollIntoView({ block: "start" });
  block.querySelector("summary").focus({ preventScroll: true });
});

// ---------------------------------------------------------------- the diagram, after the figures

let waiting = 0;
let asked = null;

async function fetched(address, signal) {
  try {
    const answer = await fetch(address, { signal, headers: { "HX-Request": "true" } });
    return answer.status === 200 && !answer.redirected ? await answer.text() : "";
  } catch {
    return ""; // a newer one was requested, or the server is away: the session says so
  }
}

async function draw() {
  const figure = document.getElementById("live-diagram");
  const form = document.getElementById("design-form");
  if (!figure || !form?.dataset.design) {
    return;
  }
  asked?.abort();
  asked = new AbortController();
  const html = await fetched(`${form.action}diagram/`, asked.signal);
  const fresh = html && new DOMParser().parseFromString(html, "text/html").getElementById("live-diagram");
  const there = document.getElementById("live-diagram");
  if (fresh && there && fresh.textContent !== there.textContent) {
    fresh.querySelector("details").open = there.querySelector("details").open;
    there.replaceWith(fresh);
  }
}

document.addEventListener("studio:shown", () => {
  tell();
  clearTimeout(waiting);
  waiting = setTimeout(draw, DIAGRAM_DELAY_MS);
});
document.addEventListener("studio:form", tell);
document.addEventListener("change", (event) => event.target.closest("#design-form") && tell());

// ---------------------------------------------------------------- room for what sticks

function measure() {
  document.documentElement.style.setProperty("--strip-height", `${strip()?.offsetHeight ?? 0}px`);
}

if (strip()) {
  new ResizeObserver(measure).observe(strip());
}
