import { createMemoryHistory } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { App } from "@/app/app";
import { makeQueryClient } from "@/app/client";
import { makeRouter } from "@/app/router";
import { listenForTopics } from "@/ipc";

/** The whole window at an address, over whatever transport stands. */
export function renderWindow(address: string) {
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = makeRouter(history);
  const client = makeQueryClient();
  void listenForTopics(client);
  const view = render(<App client={client} router={router} />);
  return { ...view, router, person: userEvent.setup() };
}
