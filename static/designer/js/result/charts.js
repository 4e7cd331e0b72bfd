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

// What is printed has never been near the view: draw the rest once the page has nothing better to do.
function drawRest() {
  for (const figure of document.querySelectorAll("[data-chart]:not([data-drawn])")) {
    nearView.unobserve(figure);
    draw(figure);
  }
}

function connect(root) {
  for (const figure of root.querySelectorAll("[data-chart]")) {
    if (!("connected" in figure.dataset)) {
      figure.dataset.connected = "";
      nearView.observe(figure);
    }
  }
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
addEventListener("load", () => setTimeout(drawRest, 1500));
addEventListener("beforeprint", drawRest);
