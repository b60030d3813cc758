import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { FormBar } from "./form-bar";

/** Where the elements stand that the test lays out. */
function place(element: HTMLElement, top: number, bottom: number): void {
  element.getBoundingClientRect = () => new DOMRect(0, top, 100, bottom - top);
}

it("uncovers the field that the keyboard leads to, and leaves the page alone where it is seen", async () => {
  const person = userEvent.setup();
  render(
    <div data-scroller data-testid="page">
      <form>
        <input aria-label="seen" />
        <input aria-label="covered" />
        <FormBar className="py-3">
          <button type="submit">Save</button>
        </FormBar>
      </form>
    </div>,
  );
  const scrollBy = vi.fn();
  screen.getByTestId("page").scrollBy = scrollBy;
  place(screen.getByLabelText("seen"), 700, 732);
  place(screen.getByLabelText("covered"), 816, 848);
  place(screen.getByRole("button").parentElement as HTMLElement, 790, 840);
  await person.tab();
  expect(screen.getByLabelText("seen")).toHaveFocus();
  expect(scrollBy).not.toHaveBeenCalled();
  await person.tab();
  expect(screen.getByLabelText("covered")).toHaveFocus();
  expect(scrollBy).toHaveBeenCalledExactlyOnceWith({ top: 70 });
  await person.tab();
  expect(screen.getByRole("button")).toHaveFocus();
  expect(scrollBy).toHaveBeenCalledOnce();
});
