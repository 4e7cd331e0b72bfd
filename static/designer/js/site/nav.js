// Menus that unfold (the main one on a narrow screen, a design's "More") fold up again on Escape, on a click elsewhere, and when
// the focus leaves them. Without scripts their own button does it.

const MENUS = "details.menu[open]";

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest?.(MENUS);
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

function foldOthers(event) {
  for (const menu of document.querySelectorAll(MENUS)) {
    if (!menu.contains(event.target)) {
      menu.open = false;
    }
  }
}

document.addEventListener("pointerdown", foldOthers);
document.addEventListener("focusin", foldOthers);
