import { type InputHTMLAttributes, type ReactNode, type Ref, type TextareaHTMLAttributes, useId } from "react";
import { cn } from "@/lib/cn";
import { type Option, Select } from "./select";

const box =
  "w-full rounded-md border border-line-strong bg-bg px-2.5 text-sm text-text disabled:opacity-60 aria-invalid:border-bad";

export function Input({ className, ...rest }: InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  return <input className={cn(box, "h-8", className)} autoComplete="off" spellCheck={false} {...rest} />;
}

/** A text of several lines. */
export function Textarea({
  className,
  ...rest
}: TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }) {
  return <textarea className={cn(box, "min-h-20 resize-y py-1.5 leading-5", className)} rows={3} {...rest} />;
}

type Words = { label: string; hint?: ReactNode; error?: string; className?: string };

/** A labeled control. The child is a function of the id and the description, so that any control fits. */
export function Field({
  label,
  hint,
  error,
  className,
  children,
}: Words & {
  children: (props: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }) => ReactNode;
}) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className={cn("flex flex-col gap-1", className)}>
      <label htmlFor={id} className="text-xs font-medium text-dim">
        {label}
      </label>
      {children({
        id,
        ...(note ? { "aria-describedby": `${id}-note` } : {}),
        ...(error ? { "aria-invalid": true as const } : {}),
      })}
      {note && (
        <p id={`${id}-note`} className={cn("text-xs", error ? "text-bad" : "text-faint")}>
          {note}
        </p>
      )}
    </div>
  );
}

type Typed = Words & {
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  maxLength?: number;
  autoFocus?: boolean;
};
/** For paths, commands and whatever else a machine reads. */
type Mono = { mono?: boolean };

const face = (mono?: boolean) => (mono ? "font-mono text-xs" : undefined);

/** A labeled line of text. */
export function TextField({ label, hint, error, className, mono, onChange, ...rest }: Typed & Mono) {
  return (
    <Field {...{ label, hint, error, className }}>
      {(field) => (
        <Input {...field} {...rest} className={face(mono)} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}

/** A labeled text of several lines. */
export function AreaField({ label, hint, error, className, mono, onChange, ...rest }: Typed & Mono) {
  return (
    <Field {...{ label, hint, error, className }}>
      {(field) => (
        <Textarea {...field} {...rest} className={face(mono)} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}

/** A labeled number, as it is typed. */
export function NumberField({ label, hint, error, className, onChange, ...rest }: Typed) {
  return (
    <Field {...{ label, hint, error, className }}>
      {(field) => (
        <Input
          {...field}
          {...rest}
          className="num"
          inputMode="decimal"
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** A labeled choice of one of a few values. */
export function ChoiceField<T extends string>({
  label,
  hint,
  error,
  className,
  value,
  onChange,
  options,
}: Words & { value: T; onChange: (value: T) => void; options: readonly Option<T>[] }) {
  return (
    <Field {...{ label, hint, error, className }}>
      {({ id }) => <Select id={id} value={value} onChange={onChange} options={options} />}
    </Field>
  );
}
