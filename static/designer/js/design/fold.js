// On a narrow screen the form lies over the figures: once an estimate is requested, the form folds and its result is shown.

document.addEventListener("htmx:afterSettle", (event) => {
  const { target, requestConfig } = event.detail;
  const isAsked = target?.id === "job" && requestConfig?.elt.closest(".design-form");
  if (isAsked && document.getElementById("form").matches(":target, :has(:target)")) {
    location.hash = "job";
  }
});
