/** Parts of a prompt that tell of earlier work. */
const MEMORY = ["Previous Attempts", "Learnings from Previous Iterations", "Loop Status", "Stuck Loop Warning"];

/** Lines of a prompt that belong together; `memory` names the part of memory that they are. */
export type PromptBlock = { memory: string | null; text: string };

/**
 * Parts a prompt at its memory headings. What earlier agents said stands between marks, and no heading in there counts:
 * words of an agent can't pass for a part of the prompt. The texts joined are the prompt.
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
