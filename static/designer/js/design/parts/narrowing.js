// Lists of parts show what fits: switches the chosen network generation, NICs the chosen server.

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

// What was chosen for another server stays chosen, and the rules say beside it why it does not fit.
function connectNics(select, server) {
  const sets = select.dataset.nics.split(";").map((set) => set.split(":").map((side) => side.split(" ")));
  const note = document.getElementById("nic-note");
  const narrow = () => {
    const fitting = (sets.find(([, servers]) => servers.includes(server.value)) ?? [[]])[0].map(Number); // places in the list
    for (const [place, option] of [...select.options].entries()) {
      const isOut = Boolean(option.value) && !option.selected && !fitting.includes(place);
      option.hidden = isOut;
      option.disabled = isOut;
    }
    for (const group of select.querySelectorAll("optgroup")) {
      group.hidden = ![...group.children].some((option) => !option.hidden);
    }
    if (note) {
      note.textContent = server.value !== "custom" && !fitting.length ? note.dataset.none : "";
    }
  };
  for (const list of [server, select]) {
    list.addEventListener("input", narrow);
  }
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
  const { fabric__generation: generation, compute__server: server, compute__nic: nic, size_unit: unit } = form?.elements ?? {};
  if (unit && server) {
    followServer(unit, server);
  }
  if (nic?.dataset.nics && server) {
    connectNics(nic, server);
  }
  for (const select of generation ? form.querySelectorAll("select") : []) {
    if (select.querySelector("option[data-fits]")) {
      connect(select, generation);
    }
  }
}

document.addEventListener("studio:form", start);
start();
