// Nicer, and needed by nobody: a key presses the button or link that names it, and the overview keeps itself up to date.
"use strict";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const on = event.target;
  if (on instanceof HTMLElement && (on.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(on.tagName))) return;
  for (const named of document.querySelectorAll("[data-key]")) {
    if (named.dataset.key === event.key) {
      event.preventDefault();
      named.click();
      return;
    }
  }
});
const live = document.body.dataset.live;
if (live) {
  setInterval(() => {
    const busy = document.hidden || document.activeElement !== document.body || String(getSelection()) !== "";
    if (!busy) location.replace(live);
  }, 15000);
}
