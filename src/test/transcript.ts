import { fireEvent, screen } from "@testing-library/react";

/** Reads further up in a transcript that is longer than its view, so that it is no longer followed. */
export async function readFurtherUp(): Promise<HTMLElement> {
  const log = await screen.findByRole("log");
  Object.defineProperty(log, "scrollHeight", { value: 4000 });
  log.scrollTop = 2000;
  fireEvent.scroll(log);
  log.scrollTop = 1000;
  fireEvent.scroll(log);
  await screen.findByRole("button", { name: "To the end" });
  return log;
}
