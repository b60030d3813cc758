/** Sections of a prompt about earlier work. */
const MEMORY = ["Previous Attempts", "Learnings from Previous Iterations", "Loop Status", "Stuck Loop Warning"];

/** Consecutive lines of a prompt; `memory` names their memory section. */
type PromptBlock = { memory: string | null; text: string };

/**
 * Splits a prompt at its memory headings. Words of earlier agents are between marks, and headings inside them don't count:
 * an agent's words can't pass for a section of the prompt. The concatenated texts are the prompt.
 */
export function promptBlocks(prompt: string): PromptBlock[] {
  const blocks: { memory: string | null; lines: string[] }[] = [];
  let fenced = false;
  for (const line of prompt.split("\n")) {
    if (line === "<ralph-observations>") fenced = true;
    if (line === "</ralph-observations>") fenced = false;
    const heading = fenced ? null : /^#{1,3} (.*)$/.exec(line);
    const memory = heading ? (MEMORY.find((name) => name === heading[1]) ?? null) : (blocks.at(-1)?.memory ?? null);
    const last = blocks.at(-1);
    if (last && last.memory === memory) last.lines.push(line);
    else blocks.push({ memory, lines: [line] });
  }
  return blocks.map(({ memory, lines }) => ({ memory, text: lines.join("\n") }));
}
