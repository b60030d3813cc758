/** jsdom scrolls nothing: lets what is far down come into view, by setting the place that was asked for and telling it. */
export function letScroll(): void {
  Object.defineProperty(HTMLElement.prototype, "scrollHeight", { configurable: true, get: () => 10_000_000 });
  Element.prototype.scrollTo = function scrollTo(this: Element, to?: ScrollToOptions | number) {
    this.scrollTop = typeof to === "object" ? (to.top ?? 0) : 0;
    this.dispatchEvent(new Event("scroll"));
  };
}
