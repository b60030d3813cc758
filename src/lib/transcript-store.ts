import type { AgentSignal, TranscriptEntry } from "@/ipc";
import { dollars, duration, tokens } from "./format";

/** One row of the live view. `seq` counts rows from the beginning of the log and never changes. */
export type Row = { seq: number; at: string } & RowBody;

/** What a row shows; always plain text. */
export type RowBody =
  | { kind: "text"; text: string; voice: "agent" | "helper" | "thinking" }
  | { kind: "sigil"; name: string; detail: string; text: string }
  | { kind: "tool"; call: string; name: string; target: string; result: ToolResult | null; knowledge: boolean }
  | { kind: "note"; label: string; text: string; tone: "dim" | "ok" | "warn" | "bad" };

/** How a tool call came out. */
export type ToolResult = { failed: boolean; text: string; millis: number };

/** Rows kept while the reader follows the tail; older ones stay in the log file. */
export const KEPT_ROWS = 100_000;
/** Rows kept at most: a reader who scrolled up does not lose what is on screen until twice as many came. */
export const MAX_ROWS = 2 * KEPT_ROWS;

const SIGILS =
  /<(learning|failure-report|difficulty-estimate|retry-suggestion|task-done|task-failed|next-model)\b([^>]*)>([\s\S]*?)<\/\1>/g;

/** Splits an agent's words into prose and sigils, in order. */
export function splitSigils(text: string): RowBody[] {
  const bodies: RowBody[] = [];
  const prose = (part: string) => {
    if (part.trim() !== "") bodies.push({ kind: "text", text: part.trim(), voice: "agent" });
  };
  let end = 0;
  for (const match of text.matchAll(SIGILS)) {
    prose(text.slice(end, match.index));
    end = match.index + match[0].length;
    const detail = [...(match[2] ?? "").matchAll(/"([^"]*)"/g)].map((attribute) => attribute[1]).join(" · ");
    bodies.push({ kind: "sigil", name: match[1] ?? "", detail, text: (match[3] ?? "").trim() });
  }
  prose(text.slice(end));
  return bodies;
}

/** The rows of one iteration's log: bounded, in order, tool results folded into their calls. */
export class TranscriptStore {
  private rows: Row[] = [];
  private calls = new Map<string, { seq: number; at: number }>();
  private nextSeq = 0;
  private listeners = new Set<() => void>();
  private snapshot: TranscriptSnapshot = { rows: this.rows, dropped: 0, ended: false };
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

  /** Forgets everything, to follow from the beginning again. */
  clear(): void {
    this.rows = [];
    this.calls.clear();
    this.nextSeq = 0;
    this.ended = false;
    this.snapshot = { rows: this.rows, dropped: 0, ended: false };
    for (const listener of this.listeners) listener();
  }

  push(entries: TranscriptEntry[], ended: boolean): void {
    for (const entry of entries) this.take(entry);
    this.ended ||= ended;
    this.trim();
    this.snapshot = { rows: this.rows, dropped: this.rows[0]?.seq ?? 0, ended: this.ended };
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

  private take(entry: TranscriptEntry): void {
    if (entry.by === "ralph") this.add(entry.at, ralphNote(entry.note, entry.text));
    else if (entry.signal.kind === "tool_result") this.fold(entry.at, entry.signal);
    else {
      for (const body of bodies(entry.signal)) {
        if (body.kind === "tool") this.calls.set(body.call, { seq: this.nextSeq, at: Date.parse(entry.at) });
        this.add(entry.at, body);
      }
    }
  }

  private fold(at: string, result: Extract<AgentSignal, { kind: "tool_result" }>): void {
    const call = this.calls.get(result.id);
    const index = call ? call.seq - (this.rows[0]?.seq ?? 0) : -1;
    const row = this.rows[index];
    if (!call || row?.kind !== "tool") {
      this.add(at, { kind: "note", label: "result", text: result.summary, tone: result.is_error ? "bad" : "dim" });
      return;
    }
    const text = row.knowledge && !result.is_error ? verdictOf(result.summary) : result.summary;
    const folded = { failed: result.is_error, text, millis: Date.parse(at) - call.at };
    this.rows[index] = { ...row, result: folded };
    this.calls.delete(result.id);
  }
}

/** What the live view renders. `rows` is the store's own array: `dropped` and its length tell a change. */
export type TranscriptSnapshot = { rows: readonly Row[]; dropped: number; ended: boolean };

function bodies(signal: AgentSignal): RowBody[] {
  const note = (label: string, text: string, tone: "dim" | "ok" | "warn" | "bad" = "dim"): RowBody[] => [
    { kind: "note", label, text, tone },
  ];
  switch (signal.kind) {
    case "text":
      return splitSigils(signal.text);
    case "thinking":
      return signal.text === "" ? [] : [{ kind: "text", text: signal.text, voice: "thinking" }];
    case "subagent_text":
      return [{ kind: "text", text: signal.text, voice: "helper" }];
    case "tool_call": {
      const knowledge = /append_feature_learning$/.test(signal.name);
      const name = signal.name.replace(/^mcp__(\w+?)__/, "$1 · ");
      const target = knowledge ? lessonOf(signal.summary) : terse(signal.summary);
      return [{ kind: "tool", call: signal.id, name, target, result: null, knowledge }];
    }
    case "tool_result":
      return [];
    case "denied":
      return note("denied", `${signal.tool} ${signal.summary}`, "bad");
    case "retry":
      return note(
        "retry",
        `${signal.status ?? "no connection"}, attempt ${signal.attempt} in ${duration(signal.delay_ms)}`,
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

/** Arguments told as JSON, as `key value` pairs; anything else as it is. */
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

/** What a call of the door is about: the lesson, where its arguments are told whole or cut. */
function lessonOf(args: string): string {
  const text = /"text":\s*"((?:[^"\\]|\\.)*)/.exec(args)?.[1];
  return text?.replace(/\\(["\\])/g, "$1") ?? args;
}

/** What the door said, in a few words: `added · 12/50`. */
function verdictOf(answer: string): string {
  const verdict = /"verdict":\s*"(\w+)"/.exec(answer)?.[1];
  const count = /"learnings_count":\s*(\d+)/.exec(answer)?.[1];
  const cap = /"max_learnings":\s*(\d+)/.exec(answer)?.[1];
  if (!count || !cap) return answer;
  return [verdict, `${count}/${cap}`].filter(Boolean).join(" · ");
}

function ralphNote(note: string, text: string): RowBody {
  return { kind: "note", label: note, text, tone: note === "stderr" ? "warn" : "dim" };
}
