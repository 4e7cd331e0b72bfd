// Charts: each [data-chart] names the JSON block of its Vega-Lite spec. The library is fetched when one comes near the view.

const views = new WeakMap();

const EMBED = {
  mode: "vega-lite",
  ast: true,
  renderer: "svg",
  actions: false,
  defaultStyle: false,
  tooltip: { disableDefaultStyle: true },
};

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
  figure.dataset.drawn = "";
  for (const button of figure.querySelectorAll("[data-chart-download]")) {
    button.hidden = false;
    button.addEventListener("click", () => download(figure, button.dataset.chartDownload));
  }
  for (const box of figure.querySelectorAll("[data-chart-series]")) {
    box.addEventListener("change", () => toggle(figure));
  }
  for (const box of figure.querySelectorAll("[data-chart-switch]")) {
    box.addEventListener("change", () => toggle(figure));
  }
  toggle(figure);
}

async function toggle(figure) {
  const off = [...figure.querySelectorAll("[data-chart-series]:not(:checked)")].map((box) => box.dataset.chartSeries);
  const { view } = views.get(figure);
  for (const box of figure.querySelectorAll("[data-chart-switch]")) {
    view.signal(box.dataset.chartSwitch, box.checked);
  }
  await view.signal("off", off).runAsync();
}

// A saved file knows no CSS variables: draw once more, unseen, with the colours of the present scheme written out.
function withColours(value, styles) {
  if (typeof value === "string") {
    return value.replace(/var\((--[\w-]+)\)/g, (_, name) => styles.getPropertyValue(name).trim());
  }
  if (Array.isArray(value)) {
    return value.map((item) => withColours(item, styles));
  }
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withColours(item, styles)]));
  }
  return value;
}

async function download(figure, kind) {
  const { vegaEmbed, view } = views.get(figure);
  const styles = getComputedStyle(figure);
  const spec = { ...withColours(specOf(figure), styles), width: 960, height: 420, background: styles.getPropertyValue("--surface").trim() };
  spec.params = spec.params.map((param) => ({ ...param, value: view.signal(param.name) }));
  const copy = await vegaEmbed(document.createElement("div"), spec, { ...EMBED, renderer: "none" });
  const address = kind === "svg"
    ? `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await copy.view.toSVG())}`
    : await copy.view.toImageURL("png", 2);
  copy.finalize();
  const link = document.createElement("a");
  link.href = address;
  link.download = `${figure.dataset.fileName}.${kind}`;
  link.click();
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
