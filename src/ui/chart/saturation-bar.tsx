import { useQuery } from "@tanstack/react-query";
import { type FeatureSaturation, queries, type SaturationLevel } from "@/ipc";
import { cn } from "@/lib/cn";
import { count } from "@/lib/format";
import { Tooltip } from "@/ui/tooltip";

const solid: Record<SaturationLevel, string> = {
  low: "bg-low",
  medium: "bg-warn",
  high: "bg-high",
  critical: "bg-bad",
};

/** The first line of the tooltip. */
export function saturationWords({ learnings_count, max_learnings, protected_count }: FeatureSaturation): string {
  return `${learnings_count}/${max_learnings} learnings — ${protected_count} protected`;
}

/** A feature's saturation bar, from the one query that all bars share; `known` until it has loaded. */
export function FeatureBar({
  known,
  parked,
  className,
}: {
  known: FeatureSaturation;
  parked?: number;
  className?: string;
}) {
  const { data } = useQuery(queries.saturations());
  const saturation = data?.find(({ feature }) => feature === known.feature) ?? known;
  return <SaturationBar saturation={saturation} parked={parked} className={className} />;
}

/** The saturation of a feature: solid for protected learnings, faint for prunable ones. Empty without learnings. */
function SaturationBar({
  saturation,
  parked = 0,
  className,
}: {
  saturation: FeatureSaturation;
  parked?: number;
  className?: string;
}) {
  const { feature, learnings_count, max_learnings, protected_count, prunable_count, saturation_pct, level } =
    saturation;
  if (learnings_count === 0) return null;
  // If the cap was lowered below the count, the bar must not exceed its track.
  const whole = Math.max(max_learnings, learnings_count);
  const share = (count: number) => `${Math.round((count / whole) * 1000) / 10}%`;
  const words = saturationWords(saturation);
  const room = max_learnings - learnings_count;
  const more = [
    words,
    `${prunable_count} prunable · ${room > 0 ? `room for ${room} more` : "no room"} · ${saturation_pct} %`,
    ...(parked > 0 ? [`${count(parked, "learning")} parked until there is room`] : []),
  ];
  return (
    <Tooltip content={more.join("\n")}>
      <button
        type="button"
        aria-label={words}
        data-testid="saturation-bar"
        data-feature={feature}
        data-level={level}
        className={cn("relative block w-full py-1", className)}
      >
        <span className="flex h-1.5 w-full overflow-hidden rounded-full bg-raised">
          <span className={solid[level]} data-part="protected" style={{ width: share(protected_count) }} />
          <span
            className={cn(solid[level], "opacity-50")}
            data-part="prunable"
            style={{ width: share(prunable_count) }}
          />
        </span>
      </button>
    </Tooltip>
  );
}
