// The main navigation may be wider than a narrow screen: the page that one is on stays in sight.

const current = document.querySelector(".site-nav [aria-current]");
const row = current?.parentElement;
if (row && row.scrollWidth > row.clientWidth) {
  row.scrollLeft = current.offsetLeft - row.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
}
