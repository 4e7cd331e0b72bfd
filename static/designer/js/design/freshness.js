// A result is of one state of the design. While the page shows another state, the result is dimmed and nothing of it can be
// pressed or downloaded; the change that an edit made fades after a while.

const FADES_MS = 8000;

export const isStale = () => {
  const hash = document.getElementById("estimated-hash")?.value;
  const spec = document.getElementById("studio-bar")?.dataset.spec;
  return Boolean(document.getElementById("result") && spec && hash !== spec);
};

export function markResult() {
  const result = document.getElementById("result");
  if (result) {
    result.inert = isStale();
    result.classList.toggle("is-stale", result.inert);
  }
}

let fading = 0;

export function fadeChanges() {
  clearTimeout(fading);
  fading = setTimeout(() => {
    for (const change of document.querySelectorAll("#summary .figure-change")) {
      change.classList.add("is-fading");
      setTimeout(() => change.remove(), 600);
    }
  }, FADES_MS);
}
