/** The grammars, in a separate chunk: no line waits for them. */
import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** Grammars of files known by their whole name. */
const BY_NAME: Record<string, string> = { Makefile: "makefile", makefile: "makefile", "Cargo.lock": "toml" };

/** Colors of a token; other text is plain. */
export type Ink = "keyword" | "string" | "number" | "name" | "comment" | "meta";

export type Token = { text: string; ink: Ink | null };

/** The grammar for a file name, or `null`. */
export function grammarOf(path: string): string | null {
  const name = path.split("/").at(-1) ?? "";
  const ending = name.includes(".") ? (name.split(".").at(-1) ?? "").toLowerCase() : "";
  const grammar = BY_NAME[name] ?? ending;
  return grammar !== "" && lowlight.registered(grammar) ? grammar : null;
}

/** The tokens of each line of a text. */
export function tokensOf(grammar: string, text: string): Token[][] {
  const lines: Token[][] = [[]];
  const walk = (nodes: Node[], ink: Ink | null) => {
    for (const node of nodes) {
      if (node.type === "element") walk(node.children, inkOf(node.properties.className) ?? ink);
      else if (node.type === "text")
        node.value.split("\n").forEach((part, index) => {
          if (index > 0) lines.push([]);
          if (part !== "") lines.at(-1)?.push({ text: part, ink });
        });
    }
  };
  walk(lowlight.highlight(grammar, text).children as Node[], null);
  return lines;
}

type Node =
  | { type: "element"; properties: { className?: unknown }; children: Node[] }
  | { type: "text"; value: string }
  | { type: "comment" };

const INKS: Record<string, Ink> = {
  keyword: "keyword",
  "selector-tag": "keyword",
  tag: "keyword",
  string: "string",
  regexp: "string",
  char: "string",
  addition: "string",
  number: "number",
  literal: "number",
  symbol: "number",
  bullet: "number",
  title: "name",
  type: "name",
  built_in: "name",
  attr: "name",
  attribute: "name",
  name: "name",
  section: "name",
  "selector-class": "name",
  "selector-id": "name",
  comment: "comment",
  quote: "comment",
  meta: "meta",
  doctag: "meta",
  property: "name",
};

function inkOf(classes: unknown): Ink | null {
  if (!Array.isArray(classes)) return null;
  const [first] = classes as string[];
  return INKS[first?.replace(/^hljs-/, "") ?? ""] ?? null;
}
