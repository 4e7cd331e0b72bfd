// Parts of the studio's page that the server answered with, each put in its place by its id.

const form = () => document.getElementById("design-form");
const bar = () => document.getElementById("studio-bar");

export function place(html) {
  const answer = new DOMParser().parseFromString(html, "text/html");
  const focus = document.activeElement;
  const within = focus?.closest?.("#design-form") ? { name: focus.name, at: focus.selectionStart } : null;
  for (const part of [...answer.body.children]) {
    const there = part.id && document.getElementById(part.id);
    if (part.id === "computed-values" && !there) {
      document.body.append(part);
    } else if (there && part.id === "preview-problems") {
      there.replaceChildren(...part.childNodes);
    } else if (there && part.id === "summary" && there.children.length) {
      placeFigures(there, part);
    } else if (there && part.id === "design-form") {
      replaceForm(there, part);
    } else if (there) {
      there.replaceWith(part);
      window.htmx?.process(part);
    }
  }
  if (within && !form().contains(document.activeElement)) {
    const input = focus.isConnected ? focus : form().elements[within.name]; // a row of parts goes on in the new form
    input?.focus({ preventScroll: true });
    if (within.at !== null && input?.setSelectionRange && input.type === "text") {
      input.setSelectionRange(within.at, within.at);
    }
  }
  showName();
  document.dispatchEvent(new CustomEvent("studio:shown"));
}

function showName() {
  const { name } = bar().dataset;
  const head = document.querySelector("#design-head h1");
  if (name && head) {
    head.textContent = name;
    head.title = name;
    document.title = `${name} · Clusterwright`;
  }
}

// Each figure in its place, so that the strip keeps its scroll and its question marks.
function placeFigures(strip, fresh) {
  strip.setAttribute("aria-label", fresh.getAttribute("aria-label"));
  for (const item of fresh.querySelectorAll("[data-figure]")) {
    const there = strip.querySelector(`[data-figure="${item.dataset.figure}"]`);
    for (const part of [".figure-value", ".figure-foot", ".figure-against"]) {
      const [old, now] = [there.querySelector(part), item.querySelector(part)];
      if (old.innerHTML !== now.innerHTML) {
        old.replaceWith(now);
      }
    }
  }
}

function replaceForm(old, fresh) {
  const open = [...old.querySelectorAll("details")].map((block) => block.open);
  const groups = old.querySelector(".form-groups");
  const top = [groups?.scrollTop ?? 0, old.scrollTop];
  document.dispatchEvent(new CustomEvent("studio:replacing"));
  old.replaceWith(fresh);
  [...fresh.querySelectorAll("details")].forEach((block, i) => {
    block.open = open[i] || block.open;
  });
  if (fresh.querySelector(".form-groups")) {
    fresh.querySelector(".form-groups").scrollTop = top[0];
  }
  fresh.scrollTop = top[1];
  window.htmx?.process(fresh);
  document.dispatchEvent(new CustomEvent("studio:form"));
}
