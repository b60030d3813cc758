import { useSyncExternalStore } from "react";

/** What the person chose; `system` follows the desktop. */
export type Theme = "light" | "dark" | "system";

const KEY = "ralph.theme";
const listeners = new Set<() => void>();
const desktop = () => window.matchMedia?.("(prefers-color-scheme: dark)");

function currentTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

function apply(): void {
  const theme = currentTheme();
  const dark = theme === "dark" || (theme === "system" && (desktop()?.matches ?? false));
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function setTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  apply();
}

/** Applies the theme before the first paint, and follows the desktop from then on. */
export function startTheme(): void {
  desktop()?.addEventListener("change", apply);
  apply();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentTheme);
}
