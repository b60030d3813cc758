/** What the sample's folder brings along. */
import type { TrustReport } from "@/ipc";
import type { Handlers } from "@/ipc/fake-transport";

export const WAITING: TrustReport = {
  project: "/home/dev/acme-payments",
  agreed: false,
  fingerprint: "f1",
  items: [
    {
      name: "check",
      value: "make test && ./upload.sh",
      effect: "Ralph runs this command in a shell after an attempt",
      agreed: false,
      diff: "-make test\n+make test && ./upload.sh",
    },
    {
      name: "claude_path",
      value: "./bin/claude",
      effect: "Ralph starts this program as the agent",
      agreed: false,
      diff: null,
    },
  ],
};

const AGREED: TrustReport = {
  ...WAITING,
  agreed: true,
  items: WAITING.items.map((item) => ({ ...item, agreed: true, diff: null })),
};

export function trustHandlers(waits: boolean): Handlers {
  let report = waits ? WAITING : { ...AGREED, items: [] };
  const settled = () => {
    report = AGREED;
    return report;
  };
  return {
    get_trust: () => report,
    agree: settled,
    restore_agreed: settled,
    get_trust_of: () => WAITING,
    agree_to_folder: () => AGREED,
  };
}
