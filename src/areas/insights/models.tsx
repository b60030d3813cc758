import type { ModelInsight } from "@/ipc";
import { percent } from "@/lib/format";
import { difficultyWord } from "@/lib/words";
import { IntervalBar } from "@/ui/chart/interval-bar";
import { Cost } from "@/ui/cost";
import { Section } from "@/ui/page";
import { RowsLink } from "./rows-link";

const cell = "py-1.5 pr-4";

/** Success rate of each model by difficulty; the bar shows the interval of the true rate, not the quality of the model. */
export function Models({ models }: { models: ModelInsight[] }) {
  return (
    <Section title="Success by model and difficulty" note="the bar is the 95 % interval">
      {models.length === 0 ? (
        <p className="text-dim">No model has ended an attempt yet.</p>
      ) : (
        <div className="overflow-x-auto">
          <table aria-label="Success by model and difficulty" className="num w-full">
            <thead>
              <tr className="text-left text-xs text-faint">
                <th className={`${cell} font-normal`}>Model</th>
                <th className={`${cell} font-normal`}>Difficulty</th>
                <th className={`${cell} text-right font-normal`}>Done</th>
                <th className={`${cell} text-right font-normal`}>Rate</th>
                <th className={`${cell} w-52 font-normal`}>0 % to 100 %</th>
                <th className={`${cell} text-right font-normal`}>Interval</th>
                <th className="py-1.5 text-right font-normal">Per attempt</th>
              </tr>
            </thead>
            <tbody>
              {models.map((row) => (
                <Row key={`${row.model} ${row.difficulty}`} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

function Row({ row }: { row: ModelInsight }) {
  const { model, difficulty, attempts, successes, cost_usd, priced, cost_estimated, success } = row;
  const rows = {
    model,
    difficulty: difficulty ?? ("unknown" as const),
    attempts: true as const,
    recent: true as const,
  };
  const rate = attempts === 0 ? 0 : successes / attempts;
  const [low, high] = [success.low ?? 0, success.high ?? 1];
  return (
    <tr className="border-t border-line">
      <td className={`${cell} max-w-48 truncate font-medium`}>{model}</td>
      <td className={`${cell} text-dim`}>{difficulty ? difficultyWord[difficulty] : "not estimated"}</td>
      <td className={`${cell} text-right text-dim`}>
        <RowsLink search={rows}>
          {successes} of {attempts}
        </RowsLink>
      </td>
      <td className={`${cell} text-right`}>{percent(rate)}</td>
      <td className={cell}>
        <IntervalBar low={low} high={high} value={rate} />
      </td>
      <td className={`${cell} text-right whitespace-nowrap text-dim`}>
        {percent(low)} to {percent(high)}
      </td>
      <td className="py-1.5 text-right text-dim">
        {cost_usd === null || priced === 0 ? (
          "unknown"
        ) : (
          <RowsLink search={rows}>
            <Cost usd={cost_usd / priced} estimated={cost_estimated} />
          </RowsLink>
        )}
      </td>
    </tr>
  );
}
