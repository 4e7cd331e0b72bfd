// A request on its way says so: a search of many candidates takes a moment.

const form = document.querySelector("[data-explore-form]");
form?.addEventListener("submit", () => {
  form.querySelector("[data-explore-send]").disabled = true;
  form.querySelector("[data-explore-note]").textContent = "Searching…";
});
addEventListener("pageshow", () => { // back from a design, the browser may show the page as it was left
  if (form) {
    form.querySelector("[data-explore-send]").disabled = false;
    form.querySelector("[data-explore-note]").textContent = "";
  }
});
