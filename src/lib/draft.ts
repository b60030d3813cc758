import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "@/ipc";

/** The keys of a project's drafts begin with this, since numbers of tasks and names of features mean something only in their project. */
const placesOf = (project: string) => `draft.${JSON.stringify(project)}.`;

/**
 * Maximum length of a stored draft. The store holds some five million characters in all, and a pasted log would leave no room for other
 * input, nor for the theme.
 */
const STORED_LETTERS = 250_000;

/** Drafts that are too long for the store, by their places: these end with the window. */
const noRoomFor = new Map<string, object>();

function read<T extends object>(store: Storage, place: string, empty: T): T {
  const kept = noRoomFor.get(place);
  if (kept) return { ...empty, ...kept };
  try {
    return { ...empty, ...(JSON.parse(store.getItem(place) ?? "{}") as Partial<T>) };
  } catch {
    return empty;
  }
}

/** What was typed shows whether or not there is room for it. */
function write(store: Storage, place: string, draft: object): void {
  const text = JSON.stringify(draft);
  noRoomFor.set(place, draft);
  if (text.length > STORED_LETTERS) return;
  try {
    store.setItem(place, text);
    noRoomFor.delete(place);
  } catch {
    // Full: the draft is kept outside the store.
  }
}

/**
 * What a person typed in a form, kept until it is saved or cleared: neither a closed dialog nor a failed command nor a closed window loses
 * anything. In `sessionStorage` it ends with the window, and so does what the store has no room for.
 */
export function useDraft<T extends object>(
  key: string,
  empty: T,
  store: Storage = localStorage,
): [T, (change: Partial<T>) => void, () => void] {
  const project = useQueryClient().getQueryData(queries.project().queryKey)?.path ?? "";
  const place = placesOf(project) + key;
  const [held, hold] = useState(() => ({ place, draft: read(store, place, empty) }));
  // What was typed for one thing is not stored for the next one that the form is shown for.
  const { draft } = held.place === place ? held : { draft: read(store, place, empty) };
  if (held.place !== place) hold({ place, draft });
  // The stored draft is changed, so that an undo works even after its form was left.
  const change = (part: Partial<T>) => {
    const after = { ...read(store, place, empty), ...part };
    write(store, place, after);
    hold({ place, draft: after });
  };
  const clear = () => {
    store.removeItem(place);
    noRoomFor.delete(place);
    hold({ place, draft: empty });
  };
  return [draft, change, clear];
}

/** Shown above a form that begins with what was typed before: it may be older than what is stored now. */
export const TYPED_BEFORE = "With what you typed before and did not save. Cancel drops it.";

/** Forgets what was typed in a project that starts over: the same numbers and names will mean other tasks and features. */
export function forgetDrafts(project: string): void {
  for (const place of [...noRoomFor.keys()]) if (place.startsWith(placesOf(project))) noRoomFor.delete(place);
  for (const store of [localStorage, sessionStorage])
    for (const key of Object.keys(store)) if (key.startsWith(placesOf(project))) store.removeItem(key);
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const isTable = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Applies what was typed over `before` to what is stored now: everything else follows what is stored. */
export function rebased<T extends object>(typed: T, before: T, now: T): T {
  const [mine, base, theirs] = [typed, before, now].map((one) => new Map(Object.entries(one)));
  const keys = new Set([...(theirs?.keys() ?? []), ...(mine?.keys() ?? [])]);
  const entries = [...keys].flatMap((key) => {
    const [own, was, is] = [mine?.get(key), base?.get(key), theirs?.get(key)];
    if (same(own, was)) return theirs?.has(key) ? [[key, is]] : [];
    return isTable(own) && isTable(was) && isTable(is) ? [[key, rebased(own, was, is)]] : [[key, own]];
  });
  return Object.fromEntries(entries) as T;
}

/**
 * A draft of what is stored. What somebody else changes meanwhile comes in, except where something else was typed, so that saving writes
 * nothing back that was only shown.
 */
export function useDraftOf<T extends object>(stored: T) {
  const [{ base, draft }, set] = useState({ base: stored, draft: stored });
  if (!same(base, stored)) set({ base: stored, draft: rebased(draft, base, stored) });
  return {
    draft,
    dirty: !same(draft, stored),
    change: (part: Partial<T>) => set((before) => ({ ...before, draft: { ...before.draft, ...part } })),
    /** Sets the draft, for example back to what is stored. */
    setDraft: (next: T) => set((before) => ({ ...before, draft: next })),
    /** Shows what was `sent` as it is stored `now`, except where something else was typed while it was being written. */
    settle: (sent: T, now: T) => set((before) => ({ ...before, draft: rebased(before.draft, sent, now) })),
  };
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
