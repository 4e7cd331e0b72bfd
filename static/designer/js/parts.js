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

function start() {
  const form = document.querySelector(".design-form");
  const generation = form?.elements.fabric__generation;
  for (const select of generation ? form.querySelectorAll("select") : []) {
    if (select.querySelector("option[data-fits]")) {
      connect(select, generation);
    }
  }
}

document.addEventListener("studio:form", start);
start();
