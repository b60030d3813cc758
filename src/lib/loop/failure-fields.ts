import { categoryWord, ERROR_CATEGORIES } from "@/lib/words";

/** The name of the field that says what kind of failure it was. */
export const KIND = "Kind of failure";

/** The fields of a failure report: `why_it_failed: …`; a field continues until the next one begins. */
const FIELDS: Record<string, string> = {
  why_it_failed: "Why it failed",
  what_was_tried: "What was tried",
  retry_suggestion: "What to try next",
  error_category: KIND,
  relevant_files: "Files",
};

/** Name and text of each field present, the reason first; empty if the text has none, so that it is shown as is. */
export function fieldsOf(report: string): [string, string][] {
  const found = new Map<string, string>();
  let at: string | null = null;
  for (const line of report.split("\n")) {
    const [, key, rest] = /^\s*(\w+):\s?(.*)$/.exec(line) ?? [];
    if (key !== undefined && key in FIELDS) {
      at = key;
      found.set(key, rest ?? "");
    } else if (at !== null) found.set(at, `${found.get(at)}\n${line}`);
    else if (line.trim() !== "") return [];
  }
  return Object.entries(FIELDS).flatMap(([key, name]): [string, string][] => {
    const words = found.get(key)?.trim();
    return words ? [[name, words]] : [];
  });
}

/** The word for the kind of failure that an agent names in its own way. An unknown one is shown as the agent said it. */
export function kindOf(words: string): string {
  const named = words
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter(Boolean)
    .join("_");
  const kind = ERROR_CATEGORIES.find((category) => [named, `${named}_error`, `${named}_failure`].includes(category));
  return kind ? categoryWord[kind] : named.replaceAll("_", " ") || categoryWord.unknown;
}
