import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { SearchBox } from "./filter";

it("keeps what was typed when an earlier value comes back late", async () => {
  const sent = vi.fn();
  const box = (value: string) => <SearchBox label="Find" value={value} onChange={sent} />;
  const person = userEvent.setup();
  const { rerender } = render(box(""));
  const field = screen.getByLabelText("Find");
  await person.type(field, "ab");
  await waitFor(() => expect(sent).toHaveBeenLastCalledWith("ab"));
  await person.type(field, "c{Enter}");
  expect(sent).toHaveBeenLastCalledWith("abc");
  await person.type(field, "d");
  rerender(box("ab"));
  expect(field).toHaveValue("abcd");
  rerender(box("abc"));
  expect(field).toHaveValue("abcd");
  await waitFor(() => expect(sent).toHaveBeenLastCalledWith("abcd"));
  rerender(box("abcd"));
  rerender(box(""));
  expect(field, "set from elsewhere").toHaveValue("");
});

it("sends what is cleared before the typing has rested", async () => {
  const sent = vi.fn();
  const person = userEvent.setup();
  render(<SearchBox label="Find" value="" onChange={sent} />);
  await person.type(screen.getByLabelText("Find"), "a{Enter}");
  expect(sent).toHaveBeenLastCalledWith("a");
  await person.click(screen.getByRole("button", { name: "Clear" }));
  await waitFor(() => expect(sent).toHaveBeenLastCalledWith(""));
});
