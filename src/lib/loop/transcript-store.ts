import type { AgentSignal, DoorAnswer, ShownEntry, SpokenPiece } from "@/ipc";
import { dollars, duration, tokens } from "@/lib/format";

/** One row of the live view. `seq` counts rows from the beginning of the log and never changes. */
export type Row = { seq: number; at: string } & RowBody;

/** What a row shows; always plain text. */
type RowBody =
  | { kind: "text"; text: string; voice: "agent" | "helper" | "thinking" }
  | { kind: "sigil"; name: string; detail: string; text: string }
  | { kind: "tool"; call: string; name: string; target: string; result: ToolResult | null; knowledge: boolean }
  | { kind: "note"; label: string; text: string; tone: "dim" | "ok" | "warn" | "bad" };

/** Outcome of a tool call. */
export type ToolResult = { failed: boolean; text: string; millis: number };

/** Rows kept while the reader follows the tail; older ones stay in the log file. */
const KEPT_ROWS = 100_000;
/** Rows kept at most: a reader who scrolled up does not lose what is on screen until twice as many came. */
export const MAX_ROWS = 2 * KEPT_ROWS;

/** The rows of one iteration's log: bounded, in order, tool results folded into their calls. */
export class TranscriptStore {
  private rows: Row[] = [];
  private calls = new Map<string, { seq: number; at: number }>();
  private nextSeq = 0;
  private listeners = new Set<() => void>();
  private snapshot: TranscriptSnapshot = { rows: this.rows, dropped: 0, ended: false, gone: false };
  private ended = false;
  /** Whether the reader is at the tail; see [`MAX_ROWS`]. */
  following = true;

  constructor(
    private readonly kept = KEPT_ROWS,
    private readonly max = MAX_ROWS,
  ) {}

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  getSnapshot = (): TranscriptSnapshot => this.snapshot;

  /** Clears everything, to follow from the beginning again. */
  clear(): void {
    this.rows = [];
    this.calls.clear();
    this.nextSeq = 0;
    this.ended = false;
    this.snapshot = { rows: this.rows, dropped: 0, ended: false, gone: false };
    for (const listener of this.listeners) listener();
  }

  push(entries: ShownEntry[], ended: boolean, gone = false): void {
    for (const entry of entries) this.take(entry);
    this.ended ||= ended;
    this.trim();
    this.snapshot = { rows: this.rows, dropped: this.rows[0]?.seq ?? 0, ended: this.ended, gone };
    for (const listener of this.listeners) listener();
  }

  private trim(): void {
    const limit = this.following ? this.kept : this.max;
    // A tenth of slack, so that a full store is not copied for every batch.
    if (this.rows.length <= limit * 1.1) return;
    this.rows = this.rows.slice(this.rows.length - limit);
    const first = this.rows[0]?.seq ?? 0;
    for (const [call, { seq }] of this.calls) {
      if (seq >= first) break;
      this.calls.delete(call);
    }
  }

  private add(at: string, body: RowBody): void {
    this.rows.push({ seq: this.nextSeq++, at, ...body });
  }

  private take(entry: ShownEntry): void {
    if (entry.by === "ralph") this.add(entry.at, ralphNote(entry.note, entry.text));
    else if (entry.signal.kind === "tool_result") this.fold(entry.at, entry.signal, entry.answer);
    else {
      for (const body of bodies(entry.signal, entry.spoken)) {
        if (body.kind === "tool") this.calls.set(body.call, { seq: this.nextSeq, at: Date.parse(entry.at) });
        this.add(entry.at, body);
      }
    }
  }

  private fold(at: string, result: Extract<AgentSignal, { kind: "tool_result" }>, answer: DoorAnswer | null): void {
    const call = this.calls.get(result.id);
    const index = call ? call.seq - (this.rows[0]?.seq ?? 0) : -1;
    const row = this.rows[index];
    if (!call || row?.kind !== "tool") {
      this.add(at, { kind: "note", label: "result", text: result.summary, tone: result.is_error ? "bad" : "dim" });
      return;
    }
    const text = answer ? `${answer.verdict} · ${answer.learnings_count}/${answer.max_learnings}` : result.summary;
    const folded = { failed: result.is_error, text, millis: Date.parse(at) - call.at };
    this.rows[index] = { ...row, result: folded };
    this.calls.delete(result.id);
  }
}

/** Whether a row reports an error. */
export function isFault(row: Row): boolean {
  if (row.kind === "tool") return row.result?.failed === true;
  if (row.kind === "sigil") return row.name === "task-failed" || row.name === "failure-report";
  return row.kind === "note" && row.tone === "bad";
}

/** The complete text of a row, for searching and copying. */
export function wordsOf(row: Row): string {
  switch (row.kind) {
    case "text":
      return row.text;
    case "sigil":
      return [row.name, row.text, row.detail].filter(Boolean).join(" ");
    case "tool":
      return [row.name, row.target, row.result?.text].filter(Boolean).join(" ");
    case "note":
      return `${row.label} ${row.text}`;
  }
}

/** What the live view renders. `rows` is the store's own array: `dropped` and its length reveal a change. `gone`: there is no log. */
export type TranscriptSnapshot = { rows: readonly Row[]; dropped: number; ended: boolean; gone: boolean };

function bodies(signal: AgentSignal, spoken: SpokenPiece[]): RowBody[] {
  const note = (label: string, text: string, tone: "dim" | "ok" | "warn" | "bad" = "dim"): RowBody[] => [
    { kind: "note", label, text, tone },
  ];
  switch (signal.kind) {
    case "text":
      return spoken.map(spokenBody);
    case "thinking":
      return signal.text === "" ? [] : [{ kind: "text", text: signal.text, voice: "thinking" }];
    case "subagent_text":
      return [{ kind: "text", text: signal.text, voice: "helper" }];
    case "tool_call": {
      const knowledge = /append_feature_learning$/.test(signal.name);
      const name = signal.name.replace(/^mcp__(\w+?)__/, "$1 · ");
      return [{ kind: "tool", call: signal.id, name, target: terse(signal.summary), result: null, knowledge }];
    }
    case "tool_result":
      return [];
    case "denied":
      return note("denied", `${signal.tool} ${signal.summary}`, "bad");
    case "retry":
      return note(
        "retry",
        `${signal.status ?? "no connection"}, attempt ${signal.attempt}${signal.delay_ms ? ` in ${duration(signal.delay_ms)}` : ""}`,
        "warn",
      );
    case "rate_limit":
      return note(
        "limit",
        `${signal.limit ?? "usage"} ${signal.rejected ? "reached" : "near"}`,
        signal.rejected ? "bad" : "warn",
      );
    case "started":
      return note(
        "agent",
        [signal.model, ...signal.mcp_servers.map((s) => `${s.name} ${s.status}`)].filter(Boolean).join(" · "),
      );
    // Shown where the iteration's cost is; a line for each message would only repeat it.
    case "spent":
      return [];
    case "dropped":
      return note("passed over", `${signal.kib} KiB of output: there was too much of it`, "warn");
    case "turn_ended": {
      const { usage } = signal;
      const cost = usage.cost_usd === null ? "" : ` · ${dollars(usage.cost_usd)}`;
      const used = `${tokens(usage.input_tokens)} in · ${tokens(usage.output_tokens)} out${cost}`;
      const fine = signal.ending === "completed";
      return note(
        "turn ended",
        fine ? used : `${signal.ending.replaceAll("_", " ")} · ${signal.text}`,
        fine ? "ok" : "bad",
      );
    }
    case "unknown":
      return note("unknown line", signal.line_kind);
    case "garbled":
      return note("not JSON", signal.text, "warn");
  }
}

/** Arguments given as JSON, as `key value` pairs; anything else as it is. */
function terse(args: string): string {
  if (!args.startsWith("{")) return args;
  try {
    const pairs = Object.entries(JSON.parse(args) as Record<string, unknown>);
    return pairs
      .map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(" · ");
  } catch {
    return args;
  }
}

function spokenBody(piece: SpokenPiece): RowBody {
  if (piece.kind === "prose") return { kind: "text", text: piece.text, voice: "agent" };
  const { name, category, tags, text } = piece;
  return { kind: "sigil", name, detail: [category, tags].filter(Boolean).join(" · "), text };
}

function ralphNote(note: string, text: string): RowBody {
  return { kind: "note", label: note, text, tone: note === "stderr" ? "warn" : "dim" };
}
