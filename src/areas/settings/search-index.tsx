import { useQuery } from "@tanstack/react-query";
import { type IndexState, queries } from "@/ipc";
import { count, number } from "@/lib/format";
import { Section } from "@/ui/page";
import { Result } from "@/ui/query";
import { ErrorNote } from "@/ui/state";
import { Progress } from "./progress";

/** The embedding model, and the progress of its vectors. */
export function SearchIndex() {
  const state = useQuery(queries.indexState());
  return (
    <Section title="Search index" note={state.data && stand(state.data)}>
      <Result of={state} rows={3}>
        {(index) => <Index index={index} />}
      </Result>
    </Section>
  );
}

/** The state in a word or two. */
function stand({ fault, passages, embedded }: IndexState): string {
  if (fault) return "search goes by words";
  if (passages === 0) return "empty";
  return embedded < passages ? "making vectors…" : "up to date";
}

function Index({ index }: { index: IndexState }) {
  const { model, fault, dimension, passages, embedded, vector_mib, model_mib } = index;
  const facts: [string, string][] = [
    ["Model", model],
    ["Numbers in a vector", dimension === null ? "known after its first answer" : String(dimension)],
    ["Vectors in memory", mib(vector_mib)],
    ["Model in memory", mib(model_mib)],
  ];
  return (
    <div className="flex flex-col gap-2.5">
      {fault && (
        <ErrorNote
          fault={{
            code: "embedding",
            message: fault,
            hint: "Until then, search goes by words and loses nothing. Choose another model under Search, or make this one reachable.",
          }}
        />
      )}
      {passages > 0 ? (
        <div className="flex flex-col gap-1">
          {embedded < passages && <Progress value={embedded} max={passages} label="Passages with a vector" />}
          <p className="num text-xs text-dim">
            {number(embedded)} of {count(passages, "passage")} embedded
          </p>
        </div>
      ) : (
        <p className="text-xs text-dim">Nothing is known yet. What is learned is embedded within seconds.</p>
      )}
      <dl className="num grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-xs">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-dim">{name}</dt>
            <dd className="selectable text-right wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** `14.7 MiB`; in KiB if MiB would round to zero. Nothing is loaded before it is needed. */
function mib(value: number | null): string {
  const size = value ?? 0;
  if (size === 0) return "loaded at the first question";
  return size < 0.1 ? `${Math.ceil(size * 1024)} KiB` : `${size.toFixed(1)} MiB`;
}
