import { keyName } from "@/lib/platform";
import type { CommandError } from "./bindings";

/** An error for the person: what went wrong, why, and what to do. */
export type CommandFault = { code: string; message: string; hint: string | null };

export function isCommandError(value: unknown): value is CommandError {
  return typeof value === "object" && value !== null && "code" in value && "message" in value;
}

/** Any rejection as a fault: the backend's unchanged, everything else (a bug, a closed window) in its own words. */
export function toFault(value: unknown): CommandFault {
  if (isCommandError(value)) return { code: value.code, message: value.message, hint: value.hint || null };
  const message = value instanceof Error ? value.message : String(value);
  return {
    code: "unexpected",
    message,
    hint: `This looks like a fault of Ralph itself. Reload with ${keyName("Ctrl")}+R and try again.`,
  };
}
