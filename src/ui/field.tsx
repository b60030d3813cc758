import { type InputHTMLAttributes, type ReactNode, type Ref, type TextareaHTMLAttributes, useId } from "react";
import { cn } from "@/lib/cn";

const box =
  "w-full rounded-md border border-line-strong bg-bg px-2.5 text-sm text-text disabled:opacity-60 aria-invalid:border-bad";

export function Input({ className, ...rest }: InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  return <input className={cn(box, "h-8", className)} autoComplete="off" spellCheck={false} {...rest} />;
}

export function Textarea({
  className,
  ...rest
}: TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }) {
  return <textarea className={cn(box, "min-h-20 resize-y py-1.5 leading-5", className)} rows={3} {...rest} />;
}

/** A labeled control. The child is a function of the id and the description, so that any control fits. */
export function Field({
  label,
  hint,
  error,
  className,
  children,
}: {
  label: string;
  hint?: ReactNode;
  error?: string;
  className?: string;
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
