import { useState } from "react";

/**
 * What a person typed in a form, kept until it is saved or cleared: a closed dialog or a failed command loses nothing.
 * With `localStorage` it outlives the window.
 */
export function useDraft<T extends object>(
  key: string,
  empty: T,
  store: Storage = sessionStorage,
): [T, (change: Partial<T>) => void, () => void] {
  const place = `draft.${key}`;
  const [draft, setDraft] = useState<T>(() => {
    try {
      return { ...empty, ...(JSON.parse(store.getItem(place) ?? "{}") as Partial<T>) };
    } catch {
      return empty;
    }
  });
  const change = (part: Partial<T>) =>
    setDraft((before) => {
      const after = { ...before, ...part };
      store.setItem(place, JSON.stringify(after));
      return after;
    });
  const clear = () => {
    store.removeItem(place);
    setDraft(empty);
  };
  return [draft, change, clear];
}

/** Lines of a text field as a list, empty ones left out. */
export function lines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Comma-separated words as a list. */
export function words(text: string): string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
