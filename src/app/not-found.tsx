import { Link } from "@tanstack/react-router";
import { Page } from "@/ui/page";
import { Empty } from "@/ui/state";

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is nothing at this address">
        <Link to="/features" className="text-accent">
          Go to Features
        </Link>
      </Empty>
    </Page>
  );
}
