/*
 * Runs before the first paint and before any other code: the theme of the last time, and the counts that the window showed
 * last of the project that it opens, in the frame that stands in index.html. The same keys are written by src/lib/theme.ts and
 * src/app/last-known.ts; `ralphOpens` is said by the shell (src-tauri/src/opening.rs).
 *
 * In a build it also fetches the code, the files of which vite.config.ts names in `data-code`, once the frame is drawn: the shell serves
 * one file after the other, and what draws nothing would come before what does.
 */
(() => {
  /** Milliseconds after which the code is fetched although no frame was drawn: nobody sees the window, or it is minimized. */
  const UNSEEN = 400;
  const code = document.currentScript?.dataset.code;
  if (code) {
    let fetched = false;
    const fetchCode = () => {
      if (fetched) return;
      fetched = true;
      const [main, ...others] = code.split(" ");
      for (const href of others) {
        document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
      }
      document.head.append(Object.assign(document.createElement("script"), { type: "module", src: main }));
    };
    document.addEventListener("DOMContentLoaded", () => {
      requestAnimationFrame(() => setTimeout(fetchCode));
      setTimeout(fetchCode, UNSEEN);
    });
  }
  const chosen = localStorage.getItem("ralph.theme");
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  const fill = () => {
    let known = {};
    try {
      const project = sessionStorage.getItem("ralph.open") ?? window.ralphOpens;
      known = JSON.parse(localStorage.getItem("ralph.last-known") ?? "{}")[project] ?? {};
    } catch {
      // What can't be read is written anew as soon as the window knows better.
    }
    for (const place of document.querySelectorAll("[data-last]")) place.textContent = known[place.dataset.last] ?? "";
  };
  document.addEventListener("readystatechange", fill, { once: true });
})();
