// Points of a sweep's charts: a click on one opens it as a design, as the button of its row does.

const points = document.querySelector("[data-points]");

if (points) {
  document.addEventListener("chart:drawn", ({ detail }) => {
    detail.view.addEventListener("click", (_, item) => {
      const button = points.querySelector(`[data-point="${Number(item?.datum?.place ?? -1)}"]`);
      if (button) {
        points.requestSubmit(button);
      }
    });
  });
}
