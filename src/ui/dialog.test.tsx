import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { Dialog } from "./dialog";

it("a dialog stays open under the second press of the double click that opened it, and goes by a press beside it", () => {
  const close = vi.fn();
  render(
    <Dialog open onClose={close} title="New task">
      Words
    </Dialog>,
  );
  const beside = screen.getByRole("dialog").previousElementSibling as HTMLElement;
  const press = (detail: number) => {
    fireEvent.pointerDown(beside);
    fireEvent.click(beside, { detail });
  };
  press(2);
  expect(close).not.toHaveBeenCalled();
  press(1);
  expect(close).toHaveBeenCalledOnce();
});
