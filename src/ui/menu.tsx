import { DropdownMenu as Radix } from "radix-ui";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "@/lib/cn";

/** The page behind it is not hidden from screen readers: a menu is not a dialog, and what is hidden must not take the focus. */
export function Menu(props: ComponentProps<typeof Radix.Root>) {
  return <Radix.Root modal={false} {...props} />;
}
export const MenuTrigger = Radix.Trigger;

/** Whether the last input was a key. Radix knows that only of a menu that was there before the key. */
let byKey = false;
document.addEventListener("keydown", () => (byKey = true), { capture: true });
document.addEventListener("pointerdown", () => (byKey = false), { capture: true });

/** A menu that is opened by a key has the focus on its first item at once. */
function focusFirst(event: Event): void {
  const content = event.currentTarget as HTMLElement | null;
  const first = byKey && content?.querySelector<HTMLElement>("[role^=menuitem]:not([data-disabled])");
  if (!first) return;
  event.preventDefault();
  first.focus({ preventScroll: true });
}

/** Radix passes it on, and leaves it out of the types of a menu. */
const onOpen = { onOpenAutoFocus: focusFirst } as object;

export function MenuContent({
  children,
  align = "start",
  onCloseAutoFocus,
}: {
  children: ReactNode;
  align?: "start" | "end";
  /** Where the focus goes when something other than its trigger opened the menu. */
  onCloseAutoFocus?: (event: Event) => void;
}) {
  return (
    <Radix.Portal>
      <Radix.Content
        {...onOpen}
        align={align}
        onCloseAutoFocus={onCloseAutoFocus}
        sideOffset={4}
        collisionPadding={8}
        className="pop z-60 max-h-[min(60vh,var(--radix-dropdown-menu-content-available-height))] max-w-[calc(100vw-1rem)] min-w-44 overflow-y-auto rounded-lg border border-line-strong bg-panel p-1 shadow-pop"
      >
        {children}
      </Radix.Content>
    </Radix.Portal>
  );
}

export function MenuItem({
  onSelect,
  children,
  danger = false,
  disabled = false,
}: {
  onSelect: () => void;
  children: ReactNode;
  danger?: boolean;
  disabled?: boolean;
}) {
  return (
    <Radix.Item
      onSelect={onSelect}
      disabled={disabled}
      className={cn(
        "flex h-7 items-center gap-2 rounded-md px-2 text-sm outline-none data-disabled:opacity-50 data-highlighted:lit",
        danger && "text-bad",
      )}
    >
      {children}
    </Radix.Item>
  );
}

/** One of several independent options; the menu stays open. */
export function MenuCheck({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: (on: boolean) => void;
  children: ReactNode;
}) {
  return (
    <Radix.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className="flex h-7 items-center gap-2 rounded-md px-2 text-sm outline-none data-highlighted:lit"
    >
      <span className={cn("size-3 rounded-[3px] border border-line-strong", checked && "border-accent bg-accent")} />
      {children}
    </Radix.CheckboxItem>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2 pt-1.5 pb-0.5 text-2xs font-medium text-faint">{children}</Radix.Label>;
}

export function MenuLine() {
  return <Radix.Separator className="my-1 h-px bg-line" />;
}
