/** Commands of the terminal within Ralph's own sentences, and the places of the window where the same is done. */

/** A place of the window: its name within a sentence, and its address. */
export type Place = { name: string; to: string; search?: Record<string, string> };

/** A part of a sentence: words, or a command with the place in the window that replaces it, if there is one. */
export type Part = string | { command: string; place: Place | null };

/** In backticks, or bare where a snapshot is restored, with the word before it. */
const COMMAND =
  /((?:\bwith|\brun|\bagree with) )?(?:`((?:ralph|git|npm|gh) [^`\n]+)`|(ralph snapshot restore e?\d+(?:\.\d+)*))/i;

type Rule = [RegExp, (found: RegExpMatchArray) => Place];

const at =
  (name: string, to: string, search?: Record<string, string>): Rule[1] =>
  () => ({ name, to, search });

/** The first that matches; what is done in a terminal alone is not among them. */
const RULES: Rule[] = [
  [
    /^snapshot restore (e?[\d.]+)$/,
    ([, name = ""]) => ({ name: `Snapshot ${name}`, to: "/loop/snapshots", search: { show: name } }),
  ],
  [/^snapshot\b/, at("Snapshots", "/loop/snapshots")],
  [/^trust --yes/, at("your yes there", "/needs-you")],
  [/^trust --restore/, at("put back there what you agreed to", "/needs-you")],
  [/^(trust|notice|status|answer|reviews)\b/, at("Needs you", "/needs-you")],
  [/^(worktree)\b/, at("Worktrees", "/settings", { tab: "worktrees" })],
  [/^(doctor)\b/, at("Health in Settings", "/settings", { part: "Health" })],
  [/^reconcile$/, at("the search index in Settings", "/settings", { part: "Search index" })],
  [/^errand \w+ (\d+)$/, ([, id]) => ({ name: `errand ${id}`, to: `/loop/errands/${id}` })],
  [/^(run|stop|guide|errand)\b/, at("Loop", "/loop")],
  [/^task list\b.*in_review/, at("Review", "/review")],
  [
    /^(?:merge|diff|discard|send-back) (e?\d+)\b/,
    ([, work = ""]) => ({ name: `the review of ${/^\d/.test(work) ? `#${work}` : work}`, to: `/review/${work}` }),
  ],
  [/^(merge|diff|discard|send-back)\b/, at("Review", "/review")],
  [/^task \w+ (\d+)\b/, ([, id]) => ({ name: `task #${id}`, to: `/tasks/${id}` })],
  [/^task\b/, at("Tasks", "/tasks")],
  [/^feature (?:update|show) ([\w-]+)/, ([, name]) => ({ name: `the feature ${name}`, to: `/features/${name}` })],
  [/^feature\b/, at("Features", "/features")],
  [/^(review|learning resolve)\b/, at("the review of Knowledge", "/knowledge", { tab: "review" })],
  [/^learning merge\b/, at("Merge in Knowledge", "/knowledge", { tab: "merge" })],
  [/^learning\b/, at("Knowledge", "/knowledge")],
  [/^(fact|episode)\b/, at("Memories in Knowledge", "/knowledge", { tab: "memories" })],
  [/^consolidate\b/, at("Consolidate in Knowledge", "/knowledge", { tab: "consolidate" })],
  [/^document\b/, at("Documents in Knowledge", "/knowledge", { tab: "documents" })],
  [/^audit(?! --wash)/, at("Audit in Knowledge", "/knowledge", { tab: "audit" })],
  [/^insights iterations\b/, at("the iterations in Insights", "/insights/iterations")],
  [/^eval questions\b/, at("the questions in Insights", "/insights/questions")],
  [/^eval ground-truth\b/, at("Label in Insights", "/insights/label")],
];

function placeOf(command: string): Place | null {
  if (!command.startsWith("ralph ")) return null;
  const act = command.replace(/^ralph /, "");
  for (const [pattern, place] of RULES) {
    const found = act.match(pattern);
    if (found) return place(found);
  }
  return null;
}

/** Whether a text is a single git command and not a sentence: quoted parts are names. */
export function isOneCommand(text: string): boolean {
  return /^git (?:'[^']*'|[^,;'])+$/.test(text);
}

/** A sentence in parts: who stops something *with* a command does it *under* a page. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let rest = text;
  for (let found = rest.match(COMMAND); found; found = rest.match(COMMAND)) {
    const [all, lead = "", quoted, bare] = found;
    const command = quoted ?? bare ?? "";
    const place = placeOf(command);
    const before = rest.slice(0, found.index) + (place ? leadTo(lead) : lead);
    if (before !== "") parts.push(before);
    parts.push({ command, place });
    rest = rest.slice((found.index ?? 0) + all.length);
  }
  if (rest !== "") parts.push(rest);
  return parts;
}

function leadTo(lead: string): string {
  if (/^with/i.test(lead)) return "under ";
  return /^run/i.test(lead) ? (lead.startsWith("R") ? "See " : "see ") : lead;
}

/** The same sentence without links, for where none can stand. */
export function inWords(text: string): string {
  return partsOf(text)
    .map((part) => (typeof part === "string" ? part : (part.place?.name ?? `\`${part.command}\``)))
    .join("");
}

/** The places that a sentence links to, each once. */
export function placesIn(text: string): Place[] {
  const places = partsOf(text).flatMap((part) => (typeof part !== "string" && part.place ? [part.place] : []));
  return places.filter(({ to }, index) => places.findIndex((other) => other.to === to) === index);
}

/** The address of a place, for code without a router: a message is outside every page. */
export function addressOf({ to, search = {} }: Place): string {
  const said = Object.entries(search).map(([name, value]) => `${name}=${encodeURIComponent(JSON.stringify(value))}`);
  return `#${to}${said.length > 0 ? `?${said.join("&")}` : ""}`;
}
