/** The actions of the current page: the palette lists them first. Pages register them while mounted. */
import { useEffect, useRef, useSyncExternalStore } from "react";

type PageAction = { words: string; go: () => void };

let shown: { key: object; actions: readonly PageAction[] }[] = [];
let all: readonly PageAction[] = [];
const listeners = new Set<() => void>();

function put(next: typeof shown): void {
  shown = next;
  all = shown.flatMap(({ actions }) => actions);
  for (const listener of listeners) listener();
}

/** Offers actions while the caller is mounted. Only their labels are compared: their functions may change with every render. */
export function usePageActions(actions: readonly PageAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  const words = actions.map((action) => action.words).join("\n");
  useEffect(() => {
    const key = {};
    const named = words === "" ? [] : words.split("\n");
    const offered = named.map((word, at) => ({ words: word, go: () => latest.current[at]?.go() }));
    put([...shown, { key, actions: offered }]);
    return () => put(shown.filter((one) => one.key !== key));
  }, [words]);
}

/** The actions offered by mounted pages. */
export function useOfferedActions(): readonly PageAction[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => all,
  );
}
