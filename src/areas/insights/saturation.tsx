import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "@/ipc";
import { useNow } from "@/lib/hooks";
import { SaturationChart } from "@/ui/chart/saturation-chart";
import { SaturationTable } from "@/ui/chart/saturation-table";
import { Section } from "@/ui/page";
import { PageRows } from "@/ui/virtual-list";

/** The saturation of each feature over time, fullest first. Empty before the first learning. */
export function Saturation() {
  const now = useNow(60_000);
  const { data } = useQuery(queries.saturationHistory(null));
  const held = (data ?? []).filter(({ points }) => points.some(({ learnings_count }) => learnings_count > 0));
  if (held.length === 0) return null;
  const fullest = held.toSorted(
    (a, b) => (b.points.at(-1)?.saturation_pct ?? 0) - (a.points.at(-1)?.saturation_pct ?? 0),
  );
  const pairs = Array.from({ length: Math.ceil(fullest.length / 2) }, (_, at) => fullest.slice(2 * at, 2 * at + 2));
  return (
    <Section title="Saturation over time" note="by feature; solid: protected">
      <PageRows
        label="Saturation by feature"
        items={pairs}
        keyOf={([one]) => one?.feature ?? ""}
        estimate={146}
        render={(pair) => (
          <div className="grid grid-cols-2 gap-x-8 max-[900px]:grid-cols-1">
            {pair.map(({ feature, points }) => (
              <div key={feature} className="min-w-0 pb-5">
                <p className="num mb-1 flex items-baseline gap-2">
                  <Link
                    to="/features/$name"
                    params={{ name: feature }}
                    search={{ tab: "journal" }}
                    className="truncate font-medium hover:text-accent"
                  >
                    {feature}
                  </Link>
                  <span className="ml-auto shrink-0 whitespace-nowrap text-dim">{points.at(-1)?.saturation_pct} %</span>
                </p>
                <SaturationChart
                  points={points}
                  now={now}
                  label={`Saturation of ${feature}`}
                  className="[&>svg]:h-14"
                />
                <SaturationTable points={points} label={`Saturation of ${feature}`} />
              </div>
            ))}
          </div>
        )}
      />
    </Section>
  );
}
