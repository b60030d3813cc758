import { type UseMutationResult, useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { toast } from "sonner";
import { type CommandFault, toFault } from "@/ipc";
import { addressOf, inWords, placesIn } from "./said";

/** The faults whose messages still show, the newest last. */
const faults = new Set<string | number>();

/** Shows what failed, why, and what to do, until the person has read it: it names the way out. The same fault again shows once. */
export function tellFault(error: unknown): void {
  const { message, hint } = toFault(error);
  const forget = ({ id }: { id: string | number }) => void faults.delete(id);
  const [place] = placesIn(hint ?? "");
  const action = place && { label: `Go to ${place.name}`, onClick: () => window.location.assign(addressOf(place)) };
  const options = { id: message, duration: Number.POSITIVE_INFINITY, closeButton: true, onDismiss: forget, action };
  faults.delete(message);
  faults.add(toast.error(inWords(message), { ...options, description: hint === null ? undefined : inWords(hint) }));
}

/** Removes the newest message of a fault; false when none shows. */
export function dismissFault(): boolean {
  const newest = [...faults].at(-1);
  if (newest === undefined) return false;
  faults.delete(newest);
  toast.dismiss(newest);
  return true;
}

/** An undo stays long enough to be read, considered and used. */
const UNDO_MILLIS = 10_000;

/** The undos whose messages still show, the newest last. Each is used once: by its button, or by the key. */
const undos = new Map<string | number, () => Promise<unknown>>();

function takeBack(message: string | number): void {
  const undo = undos.get(message);
  undos.delete(message);
  void undo?.().catch(tellFault);
}

/** How many projects were opened before the one that is open. */
let opened = 0;
/** The same as a number, which distinguishes one opening from another. */
export const projectsOpened = () => opened;
/** Whether what is ending now was begun in another project, which nobody sees any longer, and whose numbers mean other tasks here. */
let elsewhere = false;

/** Shows what was done, with an undo. */
export function tellDone(message: string, undo?: () => Promise<unknown>): void {
  if (elsewhere) return;
  if (!undo) {
    toast(message);
    return;
  }
  const forget = ({ id }: { id: string | number }) => void undos.delete(id);
  const action = { label: "Undo", onClick: () => takeBack(shown) };
  const shown = toast(message, { action, duration: UNDO_MILLIS, onDismiss: forget, onAutoClose: forget });
  undos.set(shown, undo);
}

/** Shows what was done, with a link to it, for people who went elsewhere meanwhile. */
export function tellReady(message: string, label: string, go: () => unknown): void {
  if (elsewhere) return;
  toast(message, { action: { label, onClick: () => void go() }, duration: UNDO_MILLIS });
}

/** Undoes what was done last, as its message offers; false when none does. */
export function undoLast(): boolean {
  const message = [...undos.keys()].at(-1);
  if (message === undefined) return false;
  takeBack(message);
  toast.dismiss(message);
  return true;
}

/** Longer waits are shown; shorter ones pass unnoticed. */
const WAIT_MILLIS = 1_000;

/** How many commands are pending, and their common message, which disappears with the last. */
let awaited = 0;
let waiting: string | number | undefined;

/** Shows that a command is pending once that takes long; the answer ends it. */
function tellWaiting(): () => void {
  awaited += 1;
  const timer = setTimeout(() => {
    const description = "Another program may be writing into this project. It goes on by itself.";
    waiting = toast("Not done yet", { id: waiting, description, duration: Number.POSITIVE_INFINITY });
  }, WAIT_MILLIS);
  return () => {
    clearTimeout(timer);
    awaited -= 1;
    if (awaited > 0 || waiting === undefined) return;
    toast.dismiss(waiting);
    waiting = undefined;
  };
}

/** Removes all messages, and with them their undos: in another project the same numbers are other tasks. */
export function forgetMessages(): void {
  opened += 1;
  undos.clear();
  faults.clear();
  toast.dismiss();
}

type Options<T> = {
  onDone?: (result: T) => void;
  /** `inline`: the form shows the error itself, next to what was typed, while it is there. */
  errors?: "toast" | "inline";
  /** It does more than write, and takes a while: whatever requested it shows that it is running. */
  works?: boolean;
  /** The key by which other pages find it while it runs. */
  key?: readonly string[];
};

export type Command<A, T> = UseMutationResult<T, unknown, A, number> & { fault: CommandFault | null };

/** A command to the backend. Nothing is invalidated here: the commit's topics do that. */
export function useCommand<A, T>(run: (argument: A) => Promise<T>, options: Options<T> = {}): Command<A, T> {
  const before = useRef<Element | null>(null);
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const mutation = useMutation<T, unknown, A, number>({
    mutationKey: options.key,
    mutationFn: (argument) => {
      if (options.works) return run(argument);
      const end = tellWaiting();
      return run(argument).finally(end);
    },
    onMutate: () => {
      before.current = document.activeElement;
      return opened;
    },
    onSuccess: (result, _, begun) => {
      elsewhere = begun !== opened;
      try {
        options.onDone?.(result);
      } finally {
        elsewhere = false;
      }
    },
    onError: (error, _, begun) => {
      // Whoever left the form meanwhile would never learn that it failed.
      const isUnseen = !isShown.current && begun === opened;
      if (options.errors !== "inline" || isUnseen) tellFault(error);
    },
  });
  const { isPending } = mutation;
  // A button that is disabled meanwhile loses the focus, so a second key press would go nowhere.
  useEffect(() => {
    if (isPending || document.activeElement !== document.body) return;
    if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus();
  }, [isPending]);
  return Object.assign(mutation, { fault: mutation.error ? toFault(mutation.error) : null });
}
