/** A 95 % interval as a thin bar on its scale, with the value marked. The numbers are shown next to it as text. */
export function IntervalBar({
  low,
  high,
  value,
  min = 0,
  max = 1,
}: {
  low: number;
  high: number;
  value: number;
  min?: number;
  max?: number;
}) {
  const at = (x: number) => Math.min(100, Math.max(0, ((x - min) / (max - min)) * 100));
  return (
    <span aria-hidden="true" data-testid="interval" className="relative block h-3 w-full">
      <span className="absolute inset-x-0 top-1.25 h-0.5 rounded-full bg-raised" />
      {min < 0 && max > 0 && (
        <span className="absolute top-0 h-3 w-px bg-line-strong" style={{ left: `${at(0)}%` }} data-part="zero" />
      )}
      <span
        data-part="interval"
        className="absolute top-1.25 h-0.5 rounded-full bg-accent"
        style={{ left: `${at(low)}%`, width: `${at(high) - at(low)}%` }}
      />
      <span
        data-part="value"
        className="absolute top-0.75 size-1.5 -translate-x-1/2 rounded-full bg-accent"
        style={{ left: `${at(value)}%` }}
      />
    </span>
  );
}
