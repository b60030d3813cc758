import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";

export type TipSide = "top" | "bottom" | "left" | "right";
type Tip = { words: string; side: TipSide; of: DOMRect; control: HTMLElement };

/** Milliseconds of hovering before the tooltip is shown. */
const DELAY = 250;
/** Pixels between a control and its tooltip, and between that and the edge of the window. */
const GAP = 5;

const ID = "tip";

const tipOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>("[data-tip]") : null;

/** The tooltip of the hovered or focused control, line by line; there is one per window. */
export function Tips() {
  const [tip, setTip] = useState<Tip | null>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (control: HTMLElement) => {
      const { tip: words = "", tipSide = "bottom" } = control.dataset;
      setTip({ words, side: tipSide as TipSide, of: control.getBoundingClientRect(), control });
    };
    const hide = () => {
      clearTimeout(timer);
      setTip(null);
    };
    const over = (event: PointerEvent) => {
      const control = tipOf(event.target);
      if (!control || event.pointerType === "touch") return hide();
      clearTimeout(timer);
      timer = setTimeout(() => control.isConnected && show(control), DELAY);
    };
    const focus = (event: FocusEvent) => {
      const control = tipOf(event.target);
      if (control?.matches(":focus-visible")) show(control);
      else hide();
    };
    // Whoever presses what can't be pressed is told why.
    const click = (event: MouseEvent) => {
      const control = tipOf(event.target);
      if (control?.ariaDisabled === "true") show(control);
    };
    const key = (event: KeyboardEvent) => event.key === "Escape" && hide();
    document.addEventListener("pointerover", over);
    document.addEventListener("focusin", focus);
    document.addEventListener("focusout", hide);
    document.addEventListener("pointerdown", hide);
    document.addEventListener("click", click);
    document.addEventListener("keydown", key);
    document.addEventListener("scroll", hide, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("pointerover", over);
      document.removeEventListener("focusin", focus);
      document.removeEventListener("focusout", hide);
      document.removeEventListener("pointerdown", hide);
      document.removeEventListener("click", click);
      document.removeEventListener("keydown", key);
      document.removeEventListener("scroll", hide, true);
    };
  }, []);
  useLayoutEffect(() => {
    if (!tip || !box.current) return;
    const { control } = tip;
    control.setAttribute("aria-describedby", ID);
    const { width, height } = box.current.getBoundingClientRect();
    const { x, y } = placed(tip, { width, height });
    box.current.style.transform = `translate(${x}px, ${y}px)`;
    return () => control.removeAttribute("aria-describedby");
  }, [tip]);
  if (!tip) return null;
  return createPortal(
    <div
      ref={box}
      id={ID}
      role="tooltip"
      className="pointer-events-none fixed top-0 left-0 z-70 max-w-80 rounded-lg border border-line-strong bg-panel px-2.5 py-1.5 text-xs text-text shadow-pop"
    >
      {tip.words.split("\n").map((line, at) => (
        <span key={line} className={at === 0 ? "block" : "num block text-dim"}>
          {line}
        </span>
      ))}
    </div>,
    document.body,
  );
}

/** Positions the tooltip beside the control, always inside the window: above if there is no room below. */
function placed({ of, side }: Tip, size: { width: number; height: number }): { x: number; y: number } {
  const [wide, high] = [window.innerWidth, window.innerHeight];
  const inside = (at: number, length: number, most: number) => Math.max(GAP, Math.min(most - length - GAP, at));
  if (side === "left" || side === "right") {
    const x = side === "right" ? of.right + GAP : of.left - size.width - GAP;
    return { x: inside(x, size.width, wide), y: inside(of.top + (of.height - size.height) / 2, size.height, high) };
  }
  const [above, below] = [of.top - size.height - GAP, of.bottom + GAP];
  const y = side === "top" ? (above < GAP ? below : above) : below + size.height > high - GAP ? above : below;
  return { x: inside(of.left + (of.width - size.width) / 2, size.width, wide), y };
}
