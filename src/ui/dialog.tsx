import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type FormEvent, type ReactNode, useId } from "react";
import { cn } from "@/lib/cn";
import { useFocusReturn } from "@/lib/hooks";
import { Button } from "./button";

/**
 * A dialog with a title; `footer` stays in view while the body scrolls. While its input is being saved, nothing in it can be changed,
 * sent again or closed: what is typed meanwhile would be lost with the form, and a closed form would look like one that was not sent.
 */
export function Dialog({
  open,
  onClose,
  title,
  description,
  children,
  footer,
  onSubmit,
  wide = false,
  reads = false,
  writing = false,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: string;
  children: ReactNode;
  footer?: ReactNode;
  onSubmit?: () => void;
  wide?: boolean;
  /** The body is only for reading: it takes the focus itself, so that it can be scrolled by keyboard. */
  reads?: boolean;
  /** What was sent is being written. */
  writing?: boolean;
}) {
  const focus = useFocusReturn(open);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A dialog within a dialog's form must not submit both.
    event.stopPropagation();
    onSubmit?.();
  };
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && !writing && onClose()}>
      <Radix.Portal>
        <Radix.Overlay
          className="fixed inset-0 z-40 bg-black/40"
          // The second click of a double click on what opened it lands outside it.
          onClick={({ detail }) => detail < 2 && !writing && onClose()}
        />
        <Radix.Content
          {...focus}
          onPointerDownOutside={(event) => event.preventDefault()}
          {...(description ? {} : { "aria-describedby": undefined })}
          className={cn(
            "pop fixed top-[9vh] left-1/2 z-50 flex max-h-[82vh] w-[calc(100vw-3rem)] -translate-x-1/2 flex-col rounded-xl border border-line-strong bg-panel shadow-pop outline-none",
            wide ? "max-w-2xl" : "max-w-lg",
          )}
        >
          <form onSubmit={submit} className="flex min-h-0 flex-col" noValidate>
            <fieldset disabled={writing} className="flex min-h-0 min-w-0 flex-col">
              <header className="flex items-start gap-3 px-4 pt-3.5 pb-2">
                <div className="min-w-0 flex-1">
                  <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
                  {description && <Radix.Description className="text-xs text-dim">{description}</Radix.Description>}
                </div>
                <Radix.Close asChild>
                  <Button look="ghost" size="icon" aria-label="Close">
                    <X size={15} />
                  </Button>
                </Radix.Close>
              </header>
              <div className="min-h-0 flex-1 overflow-y-auto px-4 py-2" {...(reads ? { tabIndex: 0 } : {})}>
                {children}
              </div>
              {footer && <footer className="flex items-center justify-end gap-2 px-4 pt-2 pb-3.5">{footer}</footer>}
            </fieldset>
          </form>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The end of a dialog whose form is sent or given up. */
export function DialogEnd({
  send,
  onCancel,
  lacks,
  autoFocus,
}: {
  /** What sending it does. */
  send: string;
  onCancel: () => void;
  /** Why it can't be sent as it is: a button that is grey without an explanation leaves people guessing. */
  lacks?: string;
  autoFocus?: boolean;
}) {
  const id = useId();
  return (
    <>
      <p id={id} aria-live="polite" className="min-w-0 text-right text-xs text-dim empty:hidden">
        {lacks}
      </p>
      <Button onClick={onCancel}>Cancel</Button>
      <Button
        type="submit"
        look="primary"
        autoFocus={autoFocus}
        disabled={lacks !== undefined}
        aria-describedby={lacks === undefined ? undefined : id}
      >
        {send}
      </Button>
    </>
  );
}
