// Lists of switches show what fits the chosen network generation; a switch that no longer fits goes back to automatic.

function connect(select, generation) {
  const groups = [...select.querySelectorAll("optgroup")].map((group) => ({ group, options: [...group.children] }));
  const narrow = () => {
    for (const { group, options } of groups) {
      const fitting = options.filter((option) => option.dataset.fits.split(" ").includes(generation.value));
      group.replaceChildren(...fitting);
      group.hidden = fitting.length === 0;
    }
    if (select.selectedIndex === -1) {
      select.value = "";
    }
  };
  generation.addEventListener("input", narrow);
  narrow();
}

// A size counts trays where the server is one, and racks where its trays come in them.
function followServer(unit, server) {
  const nodes = unit.querySelector("option[data-tray]");
  const racks = unit.querySelector("option[data-trays]");
  const follow = () => {
    const isTray = racks.dataset.trays.split(" ").includes(server.value);
    nodes.textContent = isTray ? nodes.dataset.tray : nodes.dataset.server;
    racks.hidden = !isTray && unit.value !== "racks";
  };
  server.addEventListener("input", follow);
  unit.addEventListener("input", follow);
  follow();
}

function start() {
  const form = document.querySelector(".design-form");
  const generation = form?.elements.fabric__generation;
  if (form?.elements.size_unit && form.elements.compute__server) {
    followServer(form.elements.size_unit, form.elements.compute__server);
  }
  for (const select of generation ? form.querySelectorAll("select") : []) {
    if (select.querySelector("option[data-fits]")) {
      connect(select, generation);
    }
  }
}

document.addEventListener("studio:form", start);
start();
