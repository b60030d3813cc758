import { createMemoryHistory } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { App } from "@/app/app";
import { makeQueryClient } from "@/app/client";
import { makeRouter } from "@/app/router";

/** The whole window at an address, over whatever transport stands. */
export function renderWindow(address: string) {
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = makeRouter(history);
  const view = render(<App client={makeQueryClient()} router={router} />);
  return { ...view, router, person: userEvent.setup() };
}
