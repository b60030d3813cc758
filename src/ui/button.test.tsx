import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { Button } from "./button";
import { Tips } from "./tips";
import { Tooltip } from "./tooltip";

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

it("a button that undoes by its second press what it did by its first does not take that of a double click", () => {
  const acts = { stop: vi.fn(), goOn: vi.fn() };
  const { rerender } = render(<Button onClick={acts.stop}>Stop after this</Button>);
  const button = screen.getByRole("button");
  fireEvent.click(button, { detail: 1 });
  rerender(<Button onClick={acts.goOn}>Keep going</Button>);
  expect(screen.getByRole("button")).toBe(button);
  fireEvent.click(button, { detail: 2 });
  expect(acts.goOn).not.toHaveBeenCalled();
  fireEvent.click(button, { detail: 1 });
  expect(acts.goOn, "pressed again later").toHaveBeenCalledOnce();
});

it("a button whose count alone changes is pressed as fast as one likes", () => {
  const more = vi.fn();
  const { rerender } = render(<Button onClick={more}>120 more</Button>);
  fireEvent.click(screen.getByRole("button"), { detail: 1 });
  rerender(<Button onClick={more}>70 more</Button>);
  fireEvent.click(screen.getByRole("button"), { detail: 2 });
  expect(more).toHaveBeenCalledTimes(2);
});

it("a button that can't be pressed now says why to the pointer and to the keyboard, and neither acts nor sends its form", async () => {
  const acts = { press: vi.fn(), send: vi.fn((event: Event) => event.preventDefault()) };
  const person = userEvent.setup();
  render(
    <form onSubmit={({ nativeEvent }) => acts.send(nativeEvent)}>
      <Tooltip content="Remove">
        <Button type="submit" lacks="An agent works in it" onClick={acts.press}>
          Remove
        </Button>
      </Tooltip>
      <Tips />
    </form>,
  );
  const button = screen.getByRole("button", { name: "Remove" });
  await person.hover(button);
  expect(await screen.findByRole("tooltip")).toHaveTextContent("An agent works in it");
  await person.click(button);
  expect(screen.getByRole("tooltip"), "whoever presses it looks for the reason").toBeVisible();
  await person.unhover(button);
  button.blur();
  expect(screen.queryByRole("tooltip")).toBeNull();
  await person.tab();
  expect(button).toHaveFocus();
  expect(await screen.findByRole("tooltip")).toHaveTextContent("An agent works in it");
  await person.keyboard("{Enter} ");
  expect(acts.press).not.toHaveBeenCalled();
  expect(acts.send).not.toHaveBeenCalled();
});
