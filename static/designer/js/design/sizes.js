// Choosing another unit of the size keeps the GPUs of a number that stood there: 576 GPUs become 8 racks of 72. The number
// becomes the fewest whole units that hold them, in the same edit as the unit, so that one Undo takes both back. A number that
// was typed since the unit was last chosen is meant in the new unit, and stays: 16 become 16 racks. A note says which it was,
// with a button for the other way.

const form = () => document.getElementById("design-form");
const unitOf = () => form()?.elements.size_unit;
const numberOf = (text) => Number(text.replace(/[,\s]/g, ""));
const written = (number) => number.toLocaleString("en-US");

let before = ""; // the unit that the number in the field counts
let isTyped = false; // since a choice of the unit was finished: the focus has left it
let isChosen = false; // another unit, and the focus is still there

function gpusEach(unit) {
  const { elements } = form();
  const [gpus, trays] = JSON.parse(elements.size_unit.dataset.gpus)[elements.compute__server.value] ?? [];
  const server = numberOf(elements.compute__gpus_per_node?.value ?? "") || gpus;
  return { gpus: 1, nodes: server, racks: server * trays }[unit];
}

function counted(number, unit) {
  const name = [...unitOf().options].find(({ value }) => value === unit).textContent.trim();
  return `${written(number)} ${number === 1 ? name.replace(/s$/, "") : name}`;
}

function say(text, otherWay, take) {
  const note = document.getElementById("size-note");
  if (!note) {
    return;
  }
  note.textContent = text;
  if (otherWay) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "button small", textContent: otherWay });
    button.addEventListener("click", take);
    note.append(" ", button);
  }
}

function put(number) {
  const { size } = form().elements;
  size.value = String(number);
  size.dispatchEvent(new Event("input", { bubbles: true }));
  isTyped = false;
}

// The fewest whole units that hold a number of others, and the GPUs of both; null where that is not known.
function fewest(number, from, to) {
  const [held, each] = [number * gpusEach(from), gpusEach(to)];
  const isKnown = from !== to && Number.isInteger(held) && held > 0 && each > 0;
  return isKnown ? { units: Math.ceil(held / each), held, each } : null;
}

function convert(number, from, to) {
  const { units, held, each } = fewest(number, from, to);
  put(units);
  let said = `${counted(number, from)} ${number === 1 ? "holds" : "hold"} ${counted(units, to)}.`;
  if (to !== "gpus") {
    const of = `${counted(units, to)} of ${counted(each, "gpus")}`;
    const others = units * each === held ? `the same ${counted(held, "gpus")}` : `${counted(units * each, "gpus")}, the fewest for ${written(held)}`;
    said = `${of} ${units === 1 ? "holds" : "hold"} ${others}.`;
  }
  const isOther = units !== number;
  say(said, isOther && `Make it ${counted(number, to)}`, () => {
    put(number);
    keep(number, from, to);
  });
}

function keep(number, from, to) {
  const { units } = fewest(number, from, to);
  const gpus = to === "gpus" ? "" : `, ${counted(number * gpusEach(to), "gpus")}`;
  const isOther = units !== number;
  say(`${counted(number, to)} as typed${gpus}.`, isOther && `Make it ${counted(units, to)} for ${counted(number, from)}`, () => {
    convert(number, from, to);
  });
}

document.addEventListener("input", ({ target }) => {
  if (target === unitOf()) {
    const [from, to, number] = [before, target.value, numberOf(form().elements.size.value)];
    before = to;
    isChosen = true;
    if (fewest(number, from, to)) {
      (isTyped ? keep : convert)(number, from, to);
    }
  } else if (target === form()?.elements.size) {
    isTyped = true;
    say("");
  }
});

document.addEventListener("focusout", ({ target }) => {
  if (target === unitOf() && isChosen) {
    isTyped = isChosen = false;
  }
});

// A form that was filled again, or by a script, counts what it says.
function start() {
  before = unitOf()?.value ?? "";
}

document.addEventListener("studio:shown", start);
document.addEventListener("studio:form", () => {
  isTyped = false;
  start();
});
document.addEventListener("focusin", ({ target }) => {
  if (target === unitOf()) {
    start();
  }
});
start();
