/** Syntax highlighting for the visible lines, one block at a time, between frames. */
import { useEffect, useMemo, useState } from "react";
import type { Token } from "./grammars";
import type { DiffFile, DiffLine, Hunk } from "./parse";

type Grammars = typeof import("./grammars");

/** Lines highlighted together, within some milliseconds. What began before a block (a long comment) is not known in it. */
const BLOCK_LINES = 200;
/** A longer line is data, and takes grammars too long. */
const MAX_CHARS = 1000;

/** Highlights lines in the background and notifies when some are done. */
class Painter {
  private readonly painted = new WeakMap<DiffLine, Token[]>();
  private readonly asked = new WeakMap<Hunk, Set<number>>();
  private readonly waiting: (() => void)[] = [];
  private grammars: Grammars | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly onPainted: () => void) {}

  /** The tokens of a line; `null` if it has none, or none yet. */
  tokens(file: DiffFile, hunk: Hunk, line: DiffLine): Token[] | null {
    const found = this.painted.get(line);
    if (found) return found;
    const block = Math.floor(line.at / BLOCK_LINES);
    const asked = this.asked.get(hunk) ?? new Set<number>();
    if (!asked.has(block)) {
      asked.add(block);
      this.asked.set(hunk, asked);
      this.waiting.push(() => this.paint(file.path, hunk, block));
      this.work();
    }
    return null;
  }

  stop(): void {
    this.waiting.length = 0;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private work(): void {
    this.timer ??= setTimeout(async () => {
      this.grammars ??= await import("./grammars");
      this.timer = null;
      // The newest request is for what is visible now.
      this.waiting.pop()?.();
      if (this.waiting.length > 0) this.work();
    });
  }

  private paint(path: string, hunk: Hunk, block: number): void {
    const grammar = this.grammars?.grammarOf(path);
    if (!this.grammars || !grammar) return;
    const lines = hunk.lines.slice(block * BLOCK_LINES, (block + 1) * BLOCK_LINES);
    for (const side of ["removed", "added"] as const) {
      const own = lines.filter(({ kind }) => kind === "same" || kind === side);
      const text = own.map(({ text }) => (text.length > MAX_CHARS ? "" : text)).join("\n");
      const tokens = this.grammars.tokensOf(grammar, text);
      own.forEach((line, index) => {
        if (line.text.length <= MAX_CHARS) this.painted.set(line, tokens[index] ?? []);
      });
    }
    this.onPainted();
  }
}

/** A painter for this view; its user is rendered again when more lines are highlighted. */
export function usePainter(): Painter {
  const [, again] = useState(0);
  const painter = useMemo(() => new Painter(() => again((n) => n + 1)), []);
  useEffect(() => () => painter.stop(), [painter]);
  return painter;
}
