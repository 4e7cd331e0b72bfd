// The colour scheme: as the system says, or as chosen here. Blocks rendering, so that a page never flashes in the other scheme.

const KEY = "clusterwright-theme";
const CHOICES = ["auto", "light", "dark"];
const NAMES = { auto: "as the system", light: "light", dark: "dark" };
const page = document.documentElement;

function remembered() {
  try {
    const choice = localStorage.getItem(KEY);
    return CHOICES.includes(choice) ? choice : "auto";
  } catch {
    return "auto"; // storage is barred: the choice then lasts as long as the page
  }
}

function remember(choice) {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // as above
  }
}

function show(choice) {
  page.dataset.theme = choice;
  for (const name of document.querySelectorAll("[data-theme-name]")) {
    name.textContent = `Colours: ${NAMES[choice]}`;
  }
  for (const button of document.querySelectorAll("[data-theme-toggle]")) {
    button.title = `Colours: ${NAMES[choice]}`;
    button.hidden = false;
  }
}

function connect() {
  show(page.dataset.theme);
  for (const button of document.querySelectorAll("[data-theme-toggle]")) {
    button.addEventListener("click", () => {
      const next = CHOICES[(CHOICES.indexOf(page.dataset.theme) + 1) % CHOICES.length];
      remember(next);
      show(next);
      document.dispatchEvent(new CustomEvent("clusterwright:theme"));
    });
  }
}

page.dataset.theme = remembered();
if (document.readyState === "loading") {
  document.addEventListener("DOMContentLoaded", connect);
} else {
  connect();
}
