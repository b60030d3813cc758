import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { Button } from "./button";

it("a button that comes where another one was pressed does not take the second press of a double click", () => {
  const acts = { allow: vi.fn(), next: vi.fn() };
  const { rerender } = render(
    <Button key="first" onClick={acts.allow}>
      Allow
    </Button>,
  );
  fireEvent.click(screen.getByRole("button"), { detail: 1 });
  rerender(
    <Button key="second" onClick={acts.next}>
      Allow
    </Button>,
  );
  fireEvent.click(screen.getByRole("button"), { detail: 2 });
  expect(acts.allow).toHaveBeenCalledOnce();
  expect(acts.next).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole("button"), { detail: 1 });
  fireEvent.click(screen.getByRole("button"), { detail: 2 });
  expect(acts.next, "pressed fast, as a step is").toHaveBeenCalledTimes(2);
});
