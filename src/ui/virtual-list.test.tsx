import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { VirtualList } from "./virtual-list";

const ROW = 50;
const rows = (from: number) => Array.from({ length: 100 }, (_, at) => from - at);
const list = (items: number[]) => (
  <VirtualList label="Rows" items={items} keyOf={(row) => row} estimate={ROW} render={(row) => <p>Row {row}</p>} />
);

/** Where the list is scrolled to by itself, after a row has come in above one that was scrolled so far down. */
function scrolledTo(top: number): number[] {
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(ROW);
  const { rerender } = render(list(rows(100)));
  const scroller = screen.getByRole("region", { name: "Rows" });
  Object.defineProperty(scroller, "scrollHeight", { value: 101 * ROW });
  const to = vi.spyOn(scroller, "scrollTo");
  scroller.scrollTop = top;
  fireEvent.scroll(scroller);
  rerender(list([101, ...rows(100)]));
  return to.mock.calls.map(([options]) => (options as ScrollToOptions).top ?? Number.NaN);
}

it("stays at the rows that are read when one comes in above them", () => {
  expect(scrolledTo(20 * ROW)).toEqual([21 * ROW]);
});

it("shows what comes in first to whoever is at the top", () => {
  expect(scrolledTo(0)).toEqual([]);
  expect(screen.getByText("Row 101")).toBeVisible();
});
