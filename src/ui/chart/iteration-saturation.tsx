import { Link } from "@tanstack/react-router";
import type { Iteration } from "@/ipc";

/** The feature's saturation before and after an iteration, and the split task that it caused. Empty if neither is known. */
export function IterationSaturation({ iteration, link = true }: { iteration: Iteration; link?: boolean }) {
  const { saturation_before, saturation_after, split_task } = iteration;
  const percents = [saturation_before, saturation_after].filter((pct) => pct !== null);
  if (percents.length === 0) return null;
  const grew = saturation_before !== null && saturation_after !== null && saturation_after > saturation_before;
  return (
    <span
      className="num shrink-0 text-xs"
      data-testid="iteration-saturation"
      title="How full the feature's knowledge was before and after, its lessons included"
    >
      <span className={grew ? "text-dim" : "text-faint"}>
        knowledge {saturation_after === saturation_before ? percents[0] : percents.join(" → ")} %
      </span>
      {split_task !== null && (
        <span className="text-bad">
          {" "}
          · made{" "}
          {link ? (
            <Link to="/tasks/$id" params={{ id: String(split_task) }} className="hover:underline">
              split task #{split_task}
            </Link>
          ) : (
            `split task #${split_task}`
          )}
        </span>
      )}
    </span>
  );
}
