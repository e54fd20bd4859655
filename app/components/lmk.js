// Puts the HTML in place, and turns clicks on links of the app into moves without a reload.

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector("#lmk");
  if (root.lmkHtml !== data.html) {
    root.lmkHtml = data.html;
    root.innerHTML = data.html;
    showPlace(root);
  }
  root.onclick = (event) => {
    // Other buttons and keys open new tabs and windows: that stays the browser's work.
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const target = destination(event.target);
    if (!target) return;
    event.preventDefault();
    move(target);
  };
}

// Where a click leads: a cell of a heat strip adds its range to the strip's base link.
function destination(element) {
  const cell = element.closest("[data-at]");
  if (cell) return new URL(`${cell.parentElement.dataset.base}&at=${cell.dataset.at}`, location.href);
  const link = element.closest("a[href^='./']");
  return link && new URL(link.href);
}

// Streamlit follows the address after back and forward; a move is told to it the same way.
// So a click makes exactly one entry in the history.
function move(url) {
  const newScreen = url.pathname !== location.pathname || !url.search.includes("doc=");
  history.pushState({}, "", url);
  window.dispatchEvent(new PopStateEvent("popstate"));
  if (newScreen) document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
}

// The place that was asked for comes into view: lines in their own scroll box, a passage of a
// page where the page as a whole is scrolled. What can be seen already stays where it is.
function showPlace(root) {
  const place = root.querySelector("[data-place]");
  if (!place) return;
  const box = place.closest("[data-scroll]") || document.querySelector('[data-testid="stMain"]');
  if (!box) return;
  requestAnimationFrame(() => {
    const offset = place.getBoundingClientRect().top - box.getBoundingClientRect().top;
    const hidden = offset < 0 || offset > box.clientHeight * 0.75;
    if (hidden || box.hasAttribute("data-scroll")) box.scrollTop += offset - box.clientHeight / 3;
  });
}
