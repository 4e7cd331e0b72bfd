// Choosing another unit of the size keeps the GPUs: 576 GPUs become 8 racks of 72, not 576 racks. The number becomes the
// fewest whole units that hold them, in the same edit as the unit, so that one Undo takes both back; a note says what it was.

const form = () => document.getElementById("design-form");
const unitOf = () => form()?.elements.size_unit;
const numberOf = (text) => Number(text.replace(/[,\s]/g, ""));
const written = (number) => number.toLocaleString("en-US");

let before = ""; // the unit that the number in the field counts

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

function say(text) {
  const note = document.getElementById("size-note");
  if (note) {
    note.textContent = text;
  }
}

function convert(from, to) {
  const { size } = form().elements;
  const number = numberOf(size.value);
  const [held, each] = [number * gpusEach(from), gpusEach(to)];
  if (from === to || !Number.isInteger(held) || held <= 0 || !(each > 0)) {
    return;
  }
  const units = Math.ceil(held / each);
  size.value = String(units);
  size.dispatchEvent(new Event("input", { bubbles: true }));
  if (to === "gpus") {
    say(`${counted(number, from)} ${number === 1 ? "holds" : "hold"} ${counted(units, to)}.`);
  } else {
    const of = `${counted(units, to)} of ${counted(each, "gpus")}`;
    const others = units * each === held ? `the same ${counted(held, "gpus")}` : `${counted(units * each, "gpus")}, the fewest for ${written(held)}`;
    say(`${of} ${units === 1 ? "holds" : "hold"} ${others}.`);
  }
}

document.addEventListener("input", ({ target }) => {
  if (target === unitOf()) {
    const from = before;
    before = target.value;
    convert(from, target.value);
  } else if (target === form()?.elements.size) {
    say("");
  }
});

// A form that was filled again, or by a script, counts what it says.
function start() {
  before = unitOf()?.value ?? "";
}

for (const event of ["studio:form", "studio:shown"]) {
  document.addEventListener(event, start);
}
document.addEventListener("focusin", ({ target }) => {
  if (target === unitOf()) {
    start();
  }
});
start();
