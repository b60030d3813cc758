import { keyName } from "@/lib/platform";
import type { CommandError } from "./bindings";

/** An error for the person: what went wrong, why, and what to do. */
export type CommandFault = { code: string; message: string; hint: string | null };

export function isCommandError(value: unknown): value is CommandError {
  return typeof value === "object" && value !== null && "code" in value && "message" in value;
}

/** A sentence here follows `error:` or an arrow in a terminal. A name, a path or a command keeps its case. */
const sentence = (text: string) =>
  text.replace(/^[a-z]+(?=,? )/, (word) => word.charAt(0).toUpperCase() + word.slice(1));

/** Any rejection as a fault: the backend's in its words, everything else (a bug, a closed window) in its own. */
export function toFault(value: unknown): CommandFault {
  if (isCommandError(value))
    return { code: value.code, message: sentence(value.message), hint: value.hint ? sentence(value.hint) : null };
  const message = value instanceof Error ? value.message : String(value);
  return {
    code: "unexpected",
    message,
    hint: `This looks like a fault of Ralph itself. Reload with ${keyName("Ctrl")}+R and try again.`,
  };
}
