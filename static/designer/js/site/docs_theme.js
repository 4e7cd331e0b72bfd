// Swagger UI has dark colours of its own, behind a class: it follows the scheme that the other pages have.

const page = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");

function follow() {
  const chosen = page.dataset.theme;
  page.classList.toggle("dark-mode", chosen === "dark" || (chosen !== "light" && system.matches));
}

system.addEventListener("change", follow);
document.addEventListener("clusterwright:theme", follow);
follow();
