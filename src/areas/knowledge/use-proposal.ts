import { useNavigate } from "@tanstack/react-router";
import { tellReady } from "@/lib/command";
import { useStillHere } from "@/lib/hooks";

/** Goes to the review of a proposal once it is written; people who went elsewhere meanwhile get a message with a link. */
export function useProposal(): (work: string) => void {
  const navigate = useNavigate();
  const stillHere = useStillHere();
  return (work) => {
    const go = () => navigate({ to: "/review/$task", params: { task: work } });
    if (stillHere()) void go();
    else tellReady(`The proposal ${work} waits for your review`, "Review", go);
  };
}
