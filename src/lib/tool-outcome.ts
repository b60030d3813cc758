import { duration, firstLine } from "./format";
import type { ToolResult } from "./transcript-store";

/** Characters of what a tool printed that stand beside its call. */
const SHOWN_CHARS = 120;

/** The end of a call in a few words. A document as an answer is no news; it is one click away. */
export function outcomeWords({ failed, text, millis }: ToolResult): string {
  const line = firstLine(text).slice(0, SHOWN_CHARS);
  const document = /^[[{]/.test(line);
  const said = document ? (failed ? (refusalOf(text) ?? line) : "ok") : line;
  return millis >= 1000 ? `${said} · ${duration(millis)}` : said;
}

/** What Ralph's own tools answer when they refuse: `{"error": {"message": …}}`. */
function refusalOf(text: string): string | undefined {
  try {
    const message: unknown = JSON.parse(text)?.error?.message;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
