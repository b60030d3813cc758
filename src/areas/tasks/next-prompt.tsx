import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Prompt, queries } from "@/ipc";
import { number } from "@/lib/format";
import { toldInWords } from "@/lib/knowledge/told";
import { PromptText } from "@/ui/prompt-text";
import { Result } from "@/ui/query";

/** The prompt of the next attempt, fetched when it is opened. */
export function NextPrompt({ task }: { task: number }) {
  const [open, setOpen] = useState(false);
  const prompt = useQuery({ ...queries.nextPrompt(task), enabled: open });
  return (
    <details className="py-2" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="font-semibold">What the next attempt will be told</summary>
      {open && (
        <Result of={prompt} rows={4}>
          {(next) => (
            <div className="mt-2 flex flex-col gap-4">
              <Sections prompt={next} />
              <div className="max-h-[32rem] overflow-y-auto rounded-lg border border-line px-4 py-3">
                <PromptText prompt={next.text} />
              </div>
            </div>
          )}
        </Result>
      )}
    </details>
  );
}

function Sections({ prompt: { sections, told } }: { prompt: Prompt }) {
  const whole = sections.reduce((sum, { chars }) => sum + chars, 0);
  return (
    <table aria-label="Parts of the prompt" className="num w-full max-w-2xl text-xs">
      <thead>
        <tr className="text-left text-faint">
          <th className="pb-1 font-normal">Part</th>
          <th className="pr-6 pb-1 text-right font-normal">Characters</th>
          <th className="pb-1 font-normal">From</th>
        </tr>
      </thead>
      <tbody>
        {sections.map(({ name, chars, origin }) => (
          <tr key={name} className="border-t border-line">
            <td className="py-1 pr-4">{name.replaceAll("_", " ")}</td>
            <td className="py-1 pr-6 text-right text-dim">{number(chars)}</td>
            <td className="py-1 text-dim">{origin}</td>
          </tr>
        ))}
        <tr className="border-t border-line-strong">
          <td className="py-1 pr-4 font-medium">whole</td>
          <td className="py-1 pr-6 text-right font-medium">{number(whole)}</td>
          <td className="py-1 text-dim">{toldInWords(told)} told</td>
        </tr>
      </tbody>
    </table>
  );
}
