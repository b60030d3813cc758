import { useQuery } from "@tanstack/react-query";
import { queries } from "@/ipc";
import { useNow } from "@/lib/hooks";
import { SaturationChart } from "@/ui/chart/saturation-chart";
import { SaturationTable } from "@/ui/chart/saturation-table";
import { Section } from "@/ui/page";

/** The feature's saturation over time, as a drawing and a table. Empty before the first learning. */
export function SaturationOverTime({ feature }: { feature: string }) {
  const now = useNow(60_000);
  const { data } = useQuery(queries.saturationHistory(feature));
  const points = data?.[0]?.points ?? [];
  if (!points.some(({ learnings_count }) => learnings_count > 0)) return null;
  return (
    <Section title="Saturation over time" note="solid: protected">
      <SaturationChart
        points={points}
        now={now}
        label={`Saturation of ${feature}`}
        className="max-w-3xl [&>svg]:h-28"
      />
      <SaturationTable points={points} label={`Saturation of ${feature}`} />
    </Section>
  );
}
