/** Documents and disciplines of the sample world. */
import type { Discipline, Document } from "@/ipc";
import type { Handlers } from "@/ipc/fake-transport";
import { before } from "./builders";

const SECTION = `--- AGENTS.md
+++ AGENTS.md
@@ -1,2 +1,9 @@
 # Working here
+<!-- ralph:begin -->
+## What this project knows
+
+- The tests run by \`cargo nextest run\`.
+- Amounts are integers in cents.
+<!-- ralph:end -->
`;

export function documentHandlers(full: boolean): Handlers {
  let documents: Document[] = full ? [{ path: "docs/refunds.md", feature: null, sections: 4, read: before(30) }] : [];
  return {
    list_documents: () => documents,
    ingest_documents: (paths) => {
      const known = paths.filter((path) => !path.endsWith(".png")).map((path) => path.split("/").slice(-2).join("/"));
      documents = [...documents, ...known.map((path) => ({ path, feature: null, sections: 3, read: before(0) }))];
      return {
        ingested: known.map((path) => ({ path, sections: 3 })),
        skipped: paths.filter((path) => path.endsWith(".png")).map((path) => ({ path, reason: "it is binary" })),
      };
    },
    forget_documents: (paths) => {
      documents = documents.filter(({ path }) => !paths.includes(path));
      return { forgotten: paths, kept: [] };
    },
    agents_file: (file, act) => {
      const change = {
        file: file ?? "AGENTS.md",
        changed: full,
        diff: full ? SECTION : "",
        written: false,
        left_out: 2,
      };
      return act === "show" ? change : { ...change, written: full };
    },
    read_document: () => "# Refunds\n\nThe provider sends each event twice.\n",
  };
}

const discipline = (name: string): Discipline => ({
  name,
  display_name: name,
  persona: "",
  conventions: "",
  skills: [],
  mcp_servers: [],
});

export function disciplineHandlers(): Handlers {
  let disciplines = ["backend", "frontend", "security", "architecture"].map(discipline);
  return {
    list_disciplines: () => disciplines,
    set_discipline: (name, patch) => {
      const given = Object.entries(patch).filter(([, value]) => value !== null && value !== undefined);
      const known = disciplines.find((one) => one.name === name) ?? discipline(name);
      const changed = { ...known, ...Object.fromEntries(given) };
      disciplines = [...disciplines.filter((one) => one.name !== name), changed];
      return changed;
    },
  };
}
