/*
 * Runs before the first paint and before any other code: the theme of the last time, and the counts that the window showed
 * last, in the frame that stands in index.html. The same keys are written by src/lib/theme.ts and src/app/last-known.ts.
 */
(() => {
  const chosen = localStorage.getItem("ralph.theme");
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  const fill = () => {
    let known = {};
    try {
      known = JSON.parse(localStorage.getItem("ralph.last-known") ?? "{}");
    } catch {
      // What can't be read is written anew as soon as the window knows better.
    }
    for (const place of document.querySelectorAll("[data-last]")) place.textContent = known[place.dataset.last] ?? "";
  };
  document.addEventListener("readystatechange", fill, { once: true });
})();
