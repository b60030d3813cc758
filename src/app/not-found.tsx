import { Link } from "@tanstack/react-router";
import { Empty } from "@/ui/state";

export function NotFound() {
  return (
    <Empty title="There is nothing at this address">
      <Link to="/features" className="text-accent">
        Go to Features
      </Link>
    </Empty>
  );
}
