// Pictures of a fabric: zoom, drag, hints, arrow keys, and drilling down without a new page. Without scripts every glyph is a
// plain link, and its hint the browser's own.

const MOST_ZOOM = 8;
const STEP = 1.35;
const DRAG_PX = 4;
const ACROSS = 2.2; // how much more expensive a step aside is than one in the direction of the arrow
const ASTRAY = 10_000; // of glyphs that are rather aside than ahead: taken where there is none ahead
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const states = new WeakMap(); // svg → { whole, seen }
let focusAfter = null;

function stateOf(svg) {
  if (!states.has(svg)) {
    const { x, y, width, height } = svg.viewBox.baseVal;
    states.set(svg, { whole: { x, y, width, height }, seen: { x, y, width, height } });
  }
  return states.get(svg);
}

function show(svg, seen) {
  const { whole } = stateOf(svg);
  const width = Math.min(whole.width, Math.max(whole.width / MOST_ZOOM, seen.width));
  const height = (width / whole.width) * whole.height;
  const x = Math.min(Math.max(seen.x, whole.x), whole.x + whole.width - width);
  const y = Math.min(Math.max(seen.y, whole.y), whole.y + whole.height - height);
  states.set(svg, { whole, seen: { x, y, width, height } });
  svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  svg.classList.toggle("zoomed", width < whole.width - 0.5);
}

function zoom(svg, factor, at) {
  const { seen } = stateOf(svg);
  const point = at ?? { x: seen.x + seen.width / 2, y: seen.y + seen.height / 2 };
  const width = seen.width / factor;
  const height = seen.height / factor;
  show(svg, {
    x: point.x - ((point.x - seen.x) / seen.width) * width,
    y: point.y - ((point.y - seen.y) / seen.height) * height,
    width,
    height,
  });
}

function showAll(svg) {
  show(svg, stateOf(svg).whole);
}

function pointOf(svg, event) {
  const box = svg.getBoundingClientRect();
  const { seen } = stateOf(svg);
  return {
    x: seen.x + ((event.clientX - box.left) / box.width) * seen.width,
    y: seen.y + ((event.clientY - box.top) / box.height) * seen.height,
  };
}

// --- Hints: the words of a glyph's <title>, shown at once, by pointer and by focus.

function takeTitles(svg) {
  for (const mark of svg.querySelectorAll(".mark")) {
    const title = mark.querySelector(":scope > title");
    if (title) {
      mark.dataset.hint = title.textContent;
      title.remove();
    }
  }
}

function hintBox() {
  let box = document.getElementById("fabric-hint");
  if (!box) {
    box = document.createElement("div");
    box.id = "fabric-hint";
    box.className = "fabric-hint";
    box.setAttribute("role", "tooltip");
    document.body.append(box);
  }
  return box;
}

function showHint(mark, x, y) {
  const box = hintBox();
  const [head, ...rest] = mark.dataset.hint.split(": ");
  box.replaceChildren();
  const name = document.createElement("strong");
  name.textContent = head;
  box.append(name);
  if (rest.length) {
    const more = document.createElement("span");
    more.textContent = rest.join(": ");
    box.append(more);
  }
  box.classList.add("shown");
  const width = box.offsetWidth;
  const height = box.offsetHeight;
  box.style.left = `${Math.max(6, Math.min(x + 12, innerWidth - width - 6))}px`;
  box.style.top = `${y + 18 + height > innerHeight ? y - height - 12 : y + 18}px`;
}

function hideHint() {
  document.getElementById("fabric-hint")?.classList.remove("shown");
}

// --- Moving between glyphs

function centre(mark) {
  const box = mark.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}

function neighbour(svg, from, [dx, dy]) {
  const [x0, y0] = centre(from);
  let best = null;
  let least = Infinity;
  for (const mark of svg.querySelectorAll("a.mark:not([tabindex='-1'])")) {
    const [x, y] = centre(mark);
    const along = (x - x0) * dx + (y - y0) * dy;
    const aside = Math.abs((x - x0) * dy) + Math.abs((y - y0) * dx);
    const cost = along + ACROSS * aside + (2 * aside > along ? ASTRAY : 0);
    if (mark !== from && along > 1 && cost < least) {
      least = cost;
      best = mark;
    }
  }
  return best;
}

// --- Going from picture to picture

function nameOf(mark) {
  return (mark.getAttribute("aria-label") ?? "").split(":")[0];
}

function go(panel, href, byKey, name) {
  const search = new URL(href, location.href).search;
  focusAfter = byKey ? name : null;
  htmx.ajax("GET", panel.dataset.fragment + search, { target: "#tabs", swap: "outerHTML" });
}

function restoreFocus(panel) {
  if (focusAfter === null) {
    return;
  }
  const marks = [...panel.querySelectorAll("a.mark:not([tabindex='-1'])")];
  const mark = marks.find((one) => nameOf(one) === focusAfter) ?? marks[0];
  focusAfter = null;
  (mark ?? panel.querySelector("[data-fabric-view]")).focus({ preventScroll: true });
}

// --- Saving as PNG: the file's own colours, twice its size

async function savePng(address, name) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * 2;
  canvas.height = image.naturalHeight * 2;
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${name}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// --- Events of one picture

function connectPicture(panel, svg) {
  const view = svg.parentElement;
  let drag = null;
  let dragged = false;
  view.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(svg, event.deltaY < 0 ? STEP : 1 / STEP, pointOf(svg, event));
    }
  }, { passive: false });
  svg.addEventListener("pointerdown", (event) => {
    dragged = false;
    if (event.button === 0 && svg.classList.contains("zoomed")) {
      drag = { x: event.clientX, y: event.clientY, seen: stateOf(svg).seen };
    }
  });
  svg.addEventListener("pointermove", (event) => {
    if (!drag) {
      return;
    }
    const scale = stateOf(svg).seen.width / svg.getBoundingClientRect().width;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (Math.abs(dx) + Math.abs(dy) > DRAG_PX) {
      dragged = true;
      hideHint();
      svg.setPointerCapture(event.pointerId);
      show(svg, { ...drag.seen, x: drag.seen.x - dx * scale, y: drag.seen.y - dy * scale });
    }
  });
  for (const name of ["pointerup", "pointercancel"]) {
    svg.addEventListener(name, () => { drag = null; });
  }
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  svg.addEventListener("click", (event) => {
    const mark = event.target.closest("a.mark");
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (dragged) {
      event.preventDefault();
    } else if (mark && isPlain) {
      event.preventDefault();
      hideHint();
      go(panel, mark.getAttribute("href"), event.detail === 0, nameOf(mark));
    }
  });
  svg.addEventListener("pointerover", (event) => {
    const mark = event.target.closest(".mark");
    if (mark?.dataset.hint && !drag) {
      showHint(mark, event.clientX, event.clientY);
    }
  });
  svg.addEventListener("pointerout", hideHint);
  svg.addEventListener("focusin", (event) => {
    const mark = event.target.closest(".mark");
    if (mark?.dataset.hint && mark.matches(":focus-visible")) {
      const box = mark.getBoundingClientRect();
      showHint(mark, box.left, box.bottom - 10);
    }
  });
  svg.addEventListener("focusout", hideHint);
}

function keys(panel, svg, event) {
  if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const mark = document.activeElement?.closest?.("a.mark");
  if (event.key in ARROWS && mark && svg.contains(mark)) {
    event.preventDefault();
    neighbour(svg, mark, ARROWS[event.key])?.focus();
  } else if (event.key === "Escape") {
    const up = panel.querySelector("[data-fabric-up]");
    if (up) {
      event.preventDefault();
      hideHint();
      go(panel, up.getAttribute("href"), true, panel.querySelector("#fabric-title").textContent);
    }
  } else if (event.key === "+" || event.key === "=") {
    zoom(svg, STEP);
  } else if (event.key === "-") {
    zoom(svg, 1 / STEP);
  } else if (event.key === "0") {
    showAll(svg);
  }
}

function connect(panel) {
  if ("connected" in panel.dataset) {
    return;
  }
  panel.dataset.connected = "";
  const svg = panel.querySelector("[data-fabric-view] > svg");
  if (!svg) {
    return;
  }
  stateOf(svg);
  takeTitles(svg);
  connectPicture(panel, svg);
  panel.addEventListener("keydown", (event) => keys(panel, svg, event));
  const steps = { in: () => zoom(svg, STEP), out: () => zoom(svg, 1 / STEP), all: () => showAll(svg) };
  for (const button of panel.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", steps[button.dataset.zoom]);
  }
  const png = panel.querySelector("[data-fabric-png]");
  png?.addEventListener("click", () => savePng(png.dataset.fabricPng, png.dataset.name));
  for (const hidden of panel.querySelectorAll("[data-fabric-zoom], [data-fabric-png], [data-fabric-help]")) {
    hidden.hidden = false;
  }
  restoreFocus(panel);
}

function connectAll() {
  hideHint();
  for (const panel of document.querySelectorAll("[data-fabric]")) {
    connect(panel);
  }
}

document.addEventListener("htmx:load", connectAll);
addEventListener("scroll", hideHint, { passive: true, capture: true });
addEventListener("beforeprint", () => {
  for (const svg of document.querySelectorAll("[data-fabric-view] > svg")) {
    showAll(svg);
  }
});
connectAll();
