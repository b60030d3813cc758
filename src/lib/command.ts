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

/** Shows what was done, with an undo. */
export function tellDone(message: string, undo?: () => Promise<unknown>): void {
  const action = undo && { label: "Undo", onClick: () => void undo().catch(tellFault) };
  toast(message, action && { action, duration: UNDO_MILLIS });
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
