// A comment begins at the figure that it is about: each key figure, chart and section of the result has a link that opens the box of
// comments with it named, and says how many are open. Made here, as a page has many; without scripts the box lists them all.

const head = () => document.querySelector("a[data-comments]"); // only where the visitor may comment
let counts = {};

const keyOfChart = (figure) => `chart.${figure.dataset.chart.replace("chart-", "")}`;

// What can be commented on → its key, its title, and what its link is put into.
function subjects() {
  const cells = [...document.querySelectorAll("#summary li[data-figure]")].map((cell) => ({
    key: cell.querySelector("[data-help]")?.dataset.help.split("/").at(-2), title: cell.querySelector(".figure-name"), into: cell,
  }));
  const charts = [...document.querySelectorAll("#job figure[data-chart]")].map((figure) => ({
    key: keyOfChart(figure), title: figure.querySelector("h3"), into: figure.querySelector("figcaption"),
  }));
  const parts = [...document.querySelectorAll(".tab-area section[id][aria-labelledby]")].map((part) => ({
    key: `part.${part.id}`, title: document.getElementById(part.getAttribute("aria-labelledby")),
    into: part.querySelector(":scope > .section-head") ?? part.querySelector(":scope > details:has(> summary > h2)")?.parentElement,
  }));
  return [...cells, ...charts, ...parts].filter(({ key, title, into }) => key && title && into);
}

function write(mark) {
  const n = counts[mark.dataset.about] ?? 0;
  const words = n ? `${n} open ${n === 1 ? "comment" : "comments"} on ${mark.dataset.title}` : `Comment on ${mark.dataset.title}`;
  mark.textContent = n || "";
  mark.classList.toggle("has-comments", n > 0);
  mark.setAttribute("aria-label", words);
  mark.title = words;
}

function put() {
  if (!head()) {
    return;
  }
  for (const { key, title, into } of subjects()) {
    if (!into.querySelector(":scope > .comment-mark")) {
      const mark = document.createElement("a");
      mark.className = "comment-mark";
      mark.href = `${head().getAttribute("href")}?figure=${encodeURIComponent(key)}`;
      mark.dataset.panel = "";
      Object.assign(mark.dataset, { about: key, title: title.textContent.trim() });
      write(mark);
      into.append(mark);
    }
  }
}

function hear(json) {
  counts = JSON.parse(json);
  document.querySelectorAll(".comment-mark").forEach(write);
}

document.addEventListener("click", (event) => {
  const mark = event.target.closest?.("a.comment-mark");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (mark && isPlain && window.htmx) {
    event.preventDefault();
    window.htmx.ajax("GET", mark.getAttribute("href"), { source: mark, target: "#head-panel", swap: "innerHTML" });
  }
});

document.addEventListener("htmx:afterSwap", ({ detail }) => {
  const said = detail.target?.id === "head-panel" && detail.target.querySelector("[data-comments]");
  if (said) {
    hear(said.dataset.comments);
    said.scrollIntoView({ block: "nearest" });
  }
});
for (const event of ["htmx:afterSettle", "studio:shown"]) {
  document.addEventListener(event, put);
}
if (head()) {
  hear(head().dataset.comments);
  put();
}
