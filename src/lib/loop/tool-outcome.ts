import { duration, firstLine } from "@/lib/format";
import type { ToolResult } from "./transcript-store";

/** Characters of a tool's output shown next to its call. */
const SHOWN_CHARS = 120;

/** The outcome of a call in a few words. A document as an answer is not shown; it is one click away. */
export function outcomeWords({ failed, text, millis }: ToolResult): string {
  const line = firstLine(text).slice(0, SHOWN_CHARS);
  const document = /^[[{]/.test(line);
  const said = document ? (failed ? (refusalOf(text) ?? line) : "ok") : line;
  return millis >= 1000 ? `${said} · ${duration(millis)}` : said;
}

/** The refusal of one of Ralph's own tools: `{"error": {"message": …}}`. */
function refusalOf(text: string): string | undefined {
  try {
    const message: unknown = JSON.parse(text)?.error?.message;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
