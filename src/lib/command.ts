import { type UseMutationResult, useMutation } from "@tanstack/react-query";
import { toast } from "sonner";
import { type CommandFault, toFault } from "@/ipc";

/** Shows what failed, why, and what to do. */
export function tellFault(error: unknown): void {
  const fault = toFault(error);
  toast.error(fault.message, { description: fault.hint ?? undefined, duration: 10_000 });
}

/** An undo stays long enough to be read, considered and used. */
const UNDO_MILLIS = 10_000;

/** The undo of the newest message that has one and still shows. */
let newest: { message: string | number; undo: () => void } | null = null;

/** Shows what was done, with an undo. */
export function tellDone(message: string, undo?: () => Promise<unknown>): void {
  if (!undo) {
    toast(message);
    return;
  }
  const act = () => void undo().catch(tellFault);
  const forget = ({ id }: { id: string | number }) => {
    if (newest?.message === id) newest = null;
  };
  const action = { label: "Undo", onClick: act };
  newest = {
    undo: act,
    message: toast(message, { action, duration: UNDO_MILLIS, onDismiss: forget, onAutoClose: forget }),
  };
}

/** Takes back what was done last, as its message offers; false when none does. */
export function undoLast(): boolean {
  if (!newest) return false;
  const { message, undo } = newest;
  newest = null;
  toast.dismiss(message);
  undo();
  return true;
}

type Options<T> = {
  onDone?: (result: T) => void;
  /** `inline`: the form shows the error itself, next to what was typed. */
  errors?: "toast" | "inline";
};

export type Command<A, T> = UseMutationResult<T, unknown, A> & { fault: CommandFault | null };

/** A command to the backend. Nothing is invalidated here: the commit's topics do that. */
export function useCommand<A, T>(run: (argument: A) => Promise<T>, options: Options<T> = {}): Command<A, T> {
  const mutation = useMutation<T, unknown, A>({
    mutationFn: run,
    onSuccess: (result) => options.onDone?.(result),
    onError: (error) => {
      if (options.errors !== "inline") tellFault(error);
    },
  });
  return Object.assign(mutation, { fault: mutation.error ? toFault(mutation.error) : null });
}
