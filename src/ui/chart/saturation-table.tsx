import { useState } from "react";
import type { SaturationPoint } from "@/ipc";
import { count, moment } from "@/lib/format";
import { levelTone } from "@/lib/words";
import { toneText } from "@/ui/badge";
import { useFew } from "@/ui/few";

const cell = "py-1 pr-6";

/** The table behind a chart of saturation, newest first; opened on demand. */
export function SaturationTable({ points, label }: { points: readonly SaturationPoint[]; label: string }) {
  const [open, setOpen] = useState(false);
  const [rows, more] = useFew(points.toReversed());
  return (
    <details className="mt-1 text-xs" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit cursor-pointer text-dim hover:text-text">{count(points.length, "change")}</summary>
      {open && (
        <>
          <table aria-label={label} className="num mt-1.5">
            <thead>
              <tr className="text-left text-faint">
                <th className={`${cell} font-normal`}>Since</th>
                <th className={`${cell} text-right font-normal`}>Learnings</th>
                <th className={`${cell} text-right font-normal`}>Protected</th>
                <th className={`${cell} text-right font-normal`}>Cap</th>
                <th className="py-1 text-right font-normal">Saturation</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((point, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: several changes may share one moment.
                <tr key={index} className="border-t border-line">
                  <td className={cell}>
                    <time dateTime={point.at}>{moment(point.at)}</time>
                  </td>
                  <td className={`${cell} text-right`}>{point.learnings_count}</td>
                  <td className={`${cell} text-right text-dim`}>{point.protected_count}</td>
                  <td className={`${cell} text-right text-dim`}>{point.max_learnings}</td>
                  <td className={`py-1 text-right ${toneText[levelTone[point.level]]}`}>{point.saturation_pct} %</td>
                </tr>
              ))}
            </tbody>
          </table>
          {more}
        </>
      )}
    </details>
  );
}
