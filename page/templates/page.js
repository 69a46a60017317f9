// Nicer, and needed by nobody: a key presses the button or link that names it, and the overview keeps itself up to date.
"use strict";
const isField = (on) => on instanceof HTMLElement && (on.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(on.tagName));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (isField(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  for (const named of document.querySelectorAll("[data-key]")) {
    if (named.dataset.key === event.key) {
      event.preventDefault();
      named.click();
      showOpened(named.closest("summary")?.parentElement);
      return;
    }
  }
});
// What a key opened is brought into sight, and a field in it takes the next letters: else they would be keys.
const showOpened = (details) => {
  if (!details?.open) return;
  details.scrollIntoView({ block: "nearest" });
  details.querySelector("textarea")?.focus();
};
const live = document.body.dataset.live;
if (live) {
  // What the last form did stands there for a minute.
  let rounds = document.querySelector("[role=status]") ? 4 : 1;
  setInterval(() => {
    const busy = document.hidden || document.activeElement !== document.body || String(getSelection()) !== "";
    rounds -= 1;
    if (busy || rounds > 0) return;
    // A reload stays where the person has scrolled to; another address would not.
    history.replaceState(null, "", live);
    location.reload();
  }, 15000);
}
