// The table of baselines follows the live figures: asked for a moment after they have been shown, so that they wait for nothing.

const DELAY_MS = 300;
let waiting = 0;
let asked = null;

async function follow() {
  const strip = document.getElementById("baselines");
  if (!strip || strip.dataset.count === "0") {
    return;
  }
  asked?.abort();
  asked = new AbortController();
  const options = { signal: asked.signal, credentials: "same-origin", headers: { "HX-Request": "true" } };
  const answer = await fetch(strip.dataset.baselines, options).catch(() => null);
  const html = answer?.ok && !answer.redirected ? await answer.text().catch(() => "") : "";
  const fresh = html && new DOMParser().parseFromString(html, "text/html").getElementById("baselines");
  if (fresh && document.getElementById("baselines") === strip) {
    const scrolled = strip.querySelector(".table-scroll")?.scrollLeft ?? 0;
    strip.replaceWith(fresh);
    const scroller = fresh.querySelector(".table-scroll");
    if (scroller) {
      scroller.scrollLeft = scrolled;
    }
    window.htmx?.process(fresh);
  }
}

document.addEventListener("studio:shown", () => {
  clearTimeout(waiting);
  waiting = setTimeout(follow, DELAY_MS);
});
