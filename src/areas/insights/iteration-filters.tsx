import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { queries } from "@/ipc";
import { firstLine, moment } from "@/lib/format";
import { DIFFICULTIES_OR_NONE, type IterationSearch, MEMORY_SIDES, RESULTS } from "@/lib/loop/iteration-search";
import {
  categoryWord,
  difficultyWord,
  ERROR_CATEGORIES,
  memorySideWord,
  STRATEGIES,
  signatureInWords,
  strategyWord,
} from "@/lib/words";
import { Button } from "@/ui/button";
import { useLearningsById } from "@/ui/learning/with-names";
import { Select } from "@/ui/select";

type Change = (change: IterationSearch) => void;

const resultWord = { done: "done", failed: "not done" };
/** What a figure in the effect of a learning counts. */
const effectWord = {
  shown: "told it",
  succeeded: "told it, and done",
  failed: "told it, and failed",
  failed_as_warned: "told it, and failed as it warns",
  avoided: "told it, and did not fail as it warns",
  withheld: "it was withheld",
  compared: "told it or held out, compared",
};
const difficultyOrNoneWord = { ...difficultyWord, unknown: "not estimated" };

/** The filters of the list; those that only a figure sets are shown as removable chips. */
export function IterationFilters({
  search,
  onChange,
  onClear,
}: {
  search: IterationSearch;
  onChange: Change;
  onClear?: () => void;
}) {
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-b border-line px-6 py-1.5">
      <Models chosen={search.model} onChange={onChange} />
      <Choice
        label="Difficulty"
        values={DIFFICULTIES_OR_NONE}
        words={difficultyOrNoneWord}
        chosen={search.difficulty}
        onChange={(difficulty) => onChange({ difficulty })}
      />
      <Choice
        label="Result"
        values={RESULTS}
        words={resultWord}
        chosen={search.result}
        onChange={(result) => onChange({ result })}
      />
      <Choice
        label="Failure"
        values={ERROR_CATEGORIES}
        words={categoryWord}
        chosen={search.category}
        onChange={(category) => onChange({ category })}
      />
      <Choice
        label="Strategy"
        values={STRATEGIES}
        words={strategyWord}
        chosen={search.strategy}
        onChange={(strategy) => onChange({ strategy })}
      />
      <Choice
        label="Memory"
        values={MEMORY_SIDES}
        words={memorySideWord}
        chosen={search.memory}
        onChange={(memory) => onChange({ memory })}
      />
      <Marks search={search} onChange={onChange} />
      {onClear && (
        <Button look="ghost" onClick={onClear}>
          Clear
        </Button>
      )}
    </div>
  );
}

function Choice<T extends string>({
  label,
  values,
  words,
  chosen,
  onChange,
}: {
  label: string;
  values: readonly T[];
  words: Record<T, string>;
  chosen: T | undefined;
  onChange: (chosen: T | undefined) => void;
}) {
  return (
    <Select
      className="h-7 max-w-48 bg-panel"
      label={label}
      value={chosen ?? ""}
      onChange={(next) => onChange(values.find((value) => value === next))}
      options={[
        { value: "", label: `Any ${label.toLowerCase()}` },
        ...values.map((value) => ({ value, label: words[value] })),
      ]}
    />
  );
}

/** Models used in this project, and the one in the URL even if it never was. */
function Models({ chosen, onChange }: { chosen: string | undefined; onChange: Change }) {
  const { data } = useQuery(queries.insights());
  const models = [...new Set([...(data?.models.map(({ model }) => model) ?? []), ...(chosen ? [chosen] : [])])];
  const words = Object.fromEntries(models.map((model) => [model, model]));
  return (
    <Choice label="Model" values={models} words={words} chosen={chosen} onChange={(model) => onChange({ model })} />
  );
}

/** Filters that mean nothing without another one and are removed with it: the figure of a learning, and a task's outcome since a time. */
const alone: Partial<Record<keyof IterationSearch, IterationSearch>> = {
  learning: { effect: undefined },
  since: { undone: undefined },
};

function Marks({ search, onChange }: { search: IterationSearch; onChange: Change }) {
  const named = search.learning === undefined ? [] : [search.learning];
  const learning = useLearningsById(named)?.get(search.learning ?? "");
  const marks: [keyof IterationSearch, string][] = [
    ["attempts", "ended attempts"],
    ["recent", "recent iterations"],
    ["repeated", "failed like an earlier attempt"],
    ["estimated", "cost estimated"],
    ["signature", `failure: ${search.signature ? signatureInWords(search.signature) : ""}`],
    ["feature", `feature ${search.feature}`],
    ["day", `ended on ${search.day}`],
    ["since", `ended after ${search.since ? moment(search.since) : ""}`],
    ["undone", "task still not done"],
    ["task_done", "task done by now"],
    ["effect", search.effect ? effectWord[search.effect] : ""],
    ["learning", `learning: ${learning ? firstLine(learning.text) : search.learning}`],
  ];
  return marks
    .filter(([key]) => search[key] !== undefined)
    .map(([key, words]) => (
      <button
        key={key}
        type="button"
        title={`Remove the filter: ${words}`}
        onClick={() => onChange({ [key]: undefined, ...alone[key] })}
        className="inline-flex h-7 max-w-72 items-center gap-1.5 rounded-md border border-accent/60 px-2 text-sm text-accent hover:bg-raised"
      >
        <span className="truncate">{words}</span>
        <X size={12} className="shrink-0" aria-hidden="true" />
      </button>
    ));
}
