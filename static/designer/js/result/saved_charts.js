// Charts as files: drawn once more, unseen, under their title and with the legend that the page has beside them.

export const EMBED = {
  mode: "vega-lite",
  ast: true,
  renderer: "svg",
  actions: false,
  defaultStyle: false,
  tooltip: { disableDefaultStyle: true },
};
const WIDTH = 960;
const USUAL_HEIGHT = 320;
const LARGE_HEIGHT = 420;
const LINE = 20;
const LETTER = 6.8; // width of one of 12 px, about
const SWATCH = 18;
const GAP = 24;

// A file knows no CSS variables: the colours of the present scheme are written out.
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

// The series that are shown, as rows with their places. Names stay data: a user's text is never part of an expression.
function legendRows(figure) {
  const rows = [];
  let x = 0;
  let y = 0;
  for (const item of figure.querySelectorAll(".legend-item")) {
    if (item.querySelector("input:not(:checked)")) {
      continue;
    }
    const label = item.textContent.trim();
    const width = SWATCH + label.length * LETTER + GAP;
    if (x > 0 && x + width > WIDTH) {
      x = 0;
      y += LINE;
    }
    rows.push({ x, y, label, colour: getComputedStyle(item.querySelector(".swatch")).backgroundColor });
    x += width;
  }
  return rows;
}

function legendView(rows, ink) {
  const place = { type: "quantitative", scale: null, axis: null };
  const at = { x: { field: "x", ...place }, y: { field: "y", ...place } };
  return {
    data: { values: rows },
    width: WIDTH,
    height: rows.at(-1).y + LINE,
    view: { stroke: null },
    encoding: at,
    layer: [
      { mark: { type: "square", size: 110, opacity: 1, xOffset: 6 }, encoding: { color: { field: "colour", type: "nominal", scale: null } } },
      { mark: { type: "text", align: "left", baseline: "middle", fontSize: 12, xOffset: SWATCH, color: ink }, encoding: { text: { field: "label", type: "nominal" } } },
    ],
  };
}

function fileSpec(figure, spec, view) {
  const styles = getComputedStyle(figure);
  const ink = styles.getPropertyValue("--text").trim();
  const { $schema, description, config, params, padding, autosize, ...chart } = withColours(spec, styles);
  const rows = legendRows(figure);
  const height = chart.height === USUAL_HEIGHT ? LARGE_HEIGHT : chart.height;
  return {
    $schema,
    description,
    config,
    params: params.map((param) => ({ ...param, value: view.signal(param.name) })),
    padding: 20,
    background: styles.getPropertyValue("--surface").trim(),
    title: { text: figure.querySelector("h3").textContent, anchor: "start", fontSize: 17, fontWeight: 600, color: ink, offset: 14 },
    spacing: 14,
    vconcat: [...(rows.length ? [legendView(rows, ink)] : []), { ...chart, width: WIDTH, height }],
  };
}

export async function download(figure, spec, { vegaEmbed, view }, kind) {
  const copy = await vegaEmbed(document.createElement("div"), fileSpec(figure, spec, view), { ...EMBED, renderer: "none" });
  const address = kind === "svg"
    ? `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await copy.view.toSVG())}`
    : await copy.view.toImageURL("png", 2);
  copy.finalize();
  const link = document.createElement("a");
  link.href = address;
  link.download = `${figure.dataset.fileName}.${kind}`;
  link.click();
}
