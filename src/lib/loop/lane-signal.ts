import type { TranscriptEntry } from "@/ipc";

/** An agent's last activity in one line: its kind, and the activity itself. */
type LastSignal = { label: string; text: string; tone: "dim" | "warn" | "bad"; code?: true };

/** The last informative entry of a log, in one line; always plain text. */
export function lastSignal(entry: TranscriptEntry): LastSignal {
  if (entry.by === "ralph") return { label: entry.note, text: oneLine(entry.text), tone: "dim" };
  const { signal } = entry;
  switch (signal.kind) {
    case "text":
      return { label: "says", text: lastLine(signal.text), tone: "dim" };
    case "subagent_text":
      return { label: "helper", text: lastLine(signal.text), tone: "dim" };
    case "thinking":
      return { label: "thinks", text: lastLine(signal.text), tone: "dim" };
    case "tool_call":
      return {
        label: signal.name.replace(/^mcp__(\w+?)__/, "$1 · "),
        text: oneLine(signal.summary),
        tone: "dim",
        code: true,
      };
    case "denied":
      return { label: "denied", text: oneLine(`${signal.tool} ${signal.summary}`), tone: "bad" };
    case "retry":
      return {
        label: "tries again",
        text: `${signal.status ?? "no connection"}, attempt ${signal.attempt}`,
        tone: "warn",
      };
    default:
      return { label: signal.kind.replaceAll("_", " "), text: "", tone: "dim" };
  }
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

function lastLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.findLast((line) => line !== "") ?? "";
}
