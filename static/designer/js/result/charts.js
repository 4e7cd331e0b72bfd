// Charts: each [data-chart] names the JSON block of its Vega-Lite spec. The library is fetched when one comes near the view.

import { EMBED, download } from "./saved_charts.js";

const views = new WeakMap();

function specOf(figure) {
  return JSON.parse(document.getElementById(figure.dataset.chart).textContent);
}

async function draw(figure) {
  if ("drawing" in figure.dataset || !figure.isConnected) {
    return;
  }
  figure.dataset.drawing = "";
  const spec = specOf(figure); // before the library is there, another estimate may have taken the figure's place
  const { vegaEmbed } = await import(figure.dataset.vega);
  const plot = figure.querySelector("[data-chart-plot]");
  const { view, finalize } = await vegaEmbed(plot, spec, EMBED);
  views.set(figure, { view, finalize, vegaEmbed });
  for (const brush of plot.querySelectorAll(".brush_brush, .brush_brush_bg")) {
    brush.setAttribute("aria-hidden", "true"); // what is chosen is marked in the rows, which can be read
  }
  figure.dataset.drawn = "";
  for (const button of figure.querySelectorAll("[data-chart-download]")) {
    button.hidden = false;
    button.addEventListener("click", () => download(figure, specOf(figure), views.get(figure), button.dataset.chartDownload));
  }
  for (const box of figure.querySelectorAll("[data-chart-series]")) {
    box.addEventListener("change", () => toggle(figure));
  }
  for (const box of figure.querySelectorAll("[data-chart-switch]")) {
    box.addEventListener("change", () => toggle(figure));
  }
  toggle(figure);
  figure.dispatchEvent(new CustomEvent("chart:drawn", { bubbles: true, detail: { view } }));
}

async function toggle(figure) {
  const off = [...figure.querySelectorAll("[data-chart-series]:not(:checked)")].map((box) => box.dataset.chartSeries);
  const { view } = views.get(figure);
  for (const box of figure.querySelectorAll("[data-chart-switch]")) {
    view.signal(box.dataset.chartSwitch, box.checked);
  }
  await view.signal("off", off).runAsync();
}

const nearView = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) {
      nearView.unobserve(entry.target);
      draw(entry.target);
    }
  }
}, { rootMargin: "600px" });

const IDLE_MS = 1000; // that a busy page may put off a chart which is not near the view
const whenIdle = window.requestIdleCallback ?? ((then) => setTimeout(then, 100));

let isDrawing = false;

// What is printed has never been near the view: the rest is drawn once the page is there, one chart each time that it has nothing
// better to do.
function drawRest() {
  const next = document.querySelector("[data-chart]:not([data-drawing])");
  if (!next || isDrawing || document.readyState !== "complete") {
    return;
  }
  isDrawing = true;
  whenIdle(async () => {
    try {
      nearView.unobserve(next);
      await draw(next);
    } finally {
      isDrawing = false;
      drawRest();
    }
  }, { timeout: IDLE_MS });
}

// A chart that was drawn in a closed fold has no width yet: the library takes the one that it has now where the window changes size.
function widen(root) {
  if ([...root.querySelectorAll("[data-drawn] [data-chart-plot] > svg")].some((plot) => !plot.getBoundingClientRect().width)) {
    dispatchEvent(new Event("resize"));
  }
}

function drawAll() {
  for (const figure of document.querySelectorAll("[data-chart]:not([data-drawn])")) {
    nearView.unobserve(figure);
    draw(figure);
  }
  widen(document);
}

function connect(root) {
  for (const figure of root.querySelectorAll("[data-chart]")) {
    if (!("connected" in figure.dataset)) {
      figure.dataset.connected = "";
      nearView.observe(figure);
    }
  }
  drawRest();
}

document.addEventListener("htmx:beforeCleanupElement", (event) => {
  const drawn = views.get(event.target);
  if (drawn) {
    drawn.finalize();
    views.delete(event.target);
  }
});
document.addEventListener("htmx:load", (event) => connect(event.detail.elt.parentElement ?? document));
connect(document);
document.addEventListener("toggle", ({ target }) => target.open && widen(target), true);
addEventListener("load", drawRest);
addEventListener("beforeprint", drawAll);
