import { Link } from "@tanstack/react-router";
import { Info } from "lucide-react";
import type { MissingChannel, RecallResponse } from "@/ipc";
import { number, percent } from "@/lib/format";
import { channelHint, channelWord, confidenceWords } from "@/lib/knowledge/knowledge-words";
import { Tooltip } from "@/ui/tooltip";

/** The weights of the channels for this question, and the channels that were missing. */
export function Weighing({ answer: { weights, missing, searched, nothing_known, hits } }: { answer: RecallResponse }) {
  const weighed = weights.filter(({ weight }) => (weight ?? 0) >= 0.005);
  return (
    <div className="flex shrink-0 flex-col gap-1 border-b border-line px-6 py-1.5 text-xs">
      <p className="num flex flex-wrap items-center gap-x-3 gap-y-0.5 text-faint">
        <span>Weighed here:</span>
        {weighed.map((channel) => (
          <Tooltip
            key={channel.channel}
            content={
              <div className="flex flex-col gap-0.5">
                <p>{channelHint[channel.channel]}</p>
                <p className="num text-dim">{confidenceWords(channel)}</p>
              </div>
            }
          >
            <button type="button" className="text-dim">
              {channelWord[channel.channel]} <span className="text-text">{percent(channel.weight)}</span>
            </button>
          </Tooltip>
        ))}
        <span className="ml-auto">{number(searched)} passages searched</span>
      </p>
      {nothing_known && hits.length > 0 && (
        <p role="status" className="text-dim">
          Probably nothing known answers this: below is the nearest there is. A prompt would be told only the protected
          ones.
        </p>
      )}
      {missing.map((channel) => (
        <Missing key={channel.channel} missing={channel} />
      ))}
    </div>
  );
}

/** A missing channel: only a note, since the others still answer. */
function Missing({ missing: { channel, reason } }: { missing: MissingChannel }) {
  return (
    <p role="status" className="selectable flex items-baseline gap-1.5 text-dim">
      <Info size={12} className="shrink-0 translate-y-0.5 text-warn" aria-hidden="true" />
      <span className="min-w-0 wrap-anywhere">
        {channel === "vector" ? "For now search goes by words" : `Searched without ${channelWord[channel]}`}: {reason}.{" "}
        <Link to="/settings" className="text-accent hover:underline">
          Search index
        </Link>
      </span>
    </p>
  );
}
