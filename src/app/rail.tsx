import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import {
  BookOpen,
  Boxes,
  ChartNoAxesColumn,
  ChevronsUpDown,
  CircleHelp,
  FolderOpen,
  GitPullRequest,
  ListChecks,
  type LucideIcon,
  Monitor,
  Moon,
  Repeat,
  Search,
  Settings,
  Sun,
} from "lucide-react";
import { memo, type ReactNode } from "react";
import { queries, toFault } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellFault } from "@/lib/command";
import { number } from "@/lib/format";
import { hasWayOn, useOpenProject } from "@/lib/project";
import { setTheme, type Theme, useTheme } from "@/lib/theme";
import { Dot, Kbd } from "@/ui/badge";
import { Menu, MenuContent, MenuItem, MenuLabel, MenuLine, MenuTrigger } from "@/ui/menu";
import { Tooltip } from "@/ui/tooltip";
import { isUnsaved } from "@/ui/unsaved";
import { Inbox } from "./inbox";
import { useLastKnown } from "./last-known";

export const Rail = memo(({ onSearch, onKeys }: { onSearch: () => void; onKeys: () => void }) => {
  const { data: overview } = useQuery(queries.overview());
  const { data: reviews = [] } = useQuery(queries.reviews());
  const waiting = reviews.filter(({ state }) => state !== "discarded").length;
  useLastKnown(waiting);
  const running = overview?.active_run?.state;
  return (
    <nav
      aria-label="Main"
      className="flex min-h-0 flex-col overflow-x-hidden overflow-y-auto border-r border-line bg-panel px-2 pt-2 pb-2"
    >
      <ProjectSwitcher />
      <ul className="mt-2 flex flex-col gap-px">
        <RailLink to="/features" icon={Boxes} label="Features" extra={overview && number(overview.features)} />
        <RailLink to="/tasks" icon={ListChecks} label="Tasks" extra={overview && number(overview.open_tasks)} />
        <RailLink
          to="/loop"
          icon={Repeat}
          label="Loop"
          extra={running && <Dot tone={running === "running" ? "ok" : "warn"} live={running === "running"} />}
        />
        <RailLink to="/review" icon={GitPullRequest} label="Review" extra={waiting || undefined} />
        <RailLink
          to="/knowledge"
          icon={BookOpen}
          label="Knowledge"
          extra={
            overview &&
            (overview.reviews > 0 ? (
              <span className="text-warn" title={`${overview.reviews} to review`}>
                {number(overview.reviews)}
              </span>
            ) : (
              number(overview.learnings)
            ))
          }
        />
        <RailLink to="/insights" icon={ChartNoAxesColumn} label="Insights" />
        <RailLink to="/settings" icon={Settings} label="Settings" />
      </ul>
      <div className="mt-auto flex flex-col gap-px">
        <Inbox items={overview?.needs_you ?? []} count={overview?.needs_you_count} />
        <button type="button" onClick={onSearch} className={item}>
          <Search size={15} strokeWidth={1.75} aria-hidden="true" />
          <span className={folded}>Search</span>
          <span className={cn("ml-auto", folded)}>
            <Kbd>Ctrl K</Kbd>
          </span>
        </button>
        <div className="mt-1 flex items-center justify-between max-[900px]:flex-col border-t border-line pt-1.5">
          <ThemeSwitch />
          <Tooltip content="Keyboard shortcuts (?)" side="top">
            <button
              type="button"
              onClick={onKeys}
              aria-label="Keyboard shortcuts"
              className={cn(item, "w-7 justify-center px-0")}
            >
              <CircleHelp size={15} strokeWidth={1.75} />
            </button>
          </Tooltip>
        </div>
      </div>
    </nav>
  );
});

/** In a narrow window or with large text, the rail shows icons only; their names remain for screen readers. */
const folded = "max-[900px]:sr-only";

const item =
  "flex h-7.5 w-full low:h-6.5 shrink-0 items-center gap-2.5 rounded-md px-2 text-left text-dim transition-colors hover:bg-raised hover:text-text";

function RailLink({
  to,
  icon: Icon,
  label,
  extra,
}: {
  to: "/features" | "/tasks" | "/loop" | "/review" | "/knowledge" | "/insights" | "/settings";
  icon: LucideIcon;
  label: string;
  extra?: ReactNode;
}) {
  return (
    <li>
      <Link
        to={to}
        className={item}
        title={label}
        activeProps={{ className: cn(item, "bg-raised font-medium text-text") }}
      >
        <Icon size={15} strokeWidth={1.75} className="shrink-0" aria-hidden="true" />
        <span className={folded}>{label}</span>
        <span className={cn("num ml-auto flex items-center pr-0.5 text-xs font-normal text-faint", folded)}>
          {extra}
        </span>
      </Link>
    </li>
  );
}

function ProjectSwitcher() {
  const { data: project } = useQuery(queries.project());
  const { data: recent = [] } = useQuery(queries.recentProjects());
  const navigate = useNavigate();
  const open = useOpenProject("inline");
  // The content of this project's forms must not be saved into another: the page of projects asks first.
  const go = (path: string) => {
    if (isUnsaved()) void navigate({ to: "/projects" });
    else open.mutate({ path, init: false }, { onError: (error) => refused(path, error) });
  };
  const refused = (path: string, error: unknown) => {
    if (hasWayOn(toFault(error).code)) void navigate({ to: "/projects", search: { open: path } });
    else tellFault(error);
  };
  const others = recent.filter(({ path }) => path !== project?.path);
  return (
    <Menu>
      <MenuTrigger asChild>
        <button type="button" className="flex h-9 items-center gap-2 rounded-md px-2 text-left hover:bg-raised">
          <span className="min-w-0 flex-1 max-[900px]:sr-only">
            <span className="sr-only">Project </span>
            <span className="block truncate leading-4 font-semibold">{project?.name}</span>
            {project?.branch && (
              <span className="block truncate text-2xs leading-3.5 text-faint">{project.branch}</span>
            )}
          </span>
          <ChevronsUpDown size={13} className="text-faint" aria-hidden="true" />
        </button>
      </MenuTrigger>
      <MenuContent>
        {others.length > 0 && <MenuLabel>Recent</MenuLabel>}
        {others.slice(0, 8).map((other) => (
          <MenuItem key={other.path} onSelect={() => go(other.path)}>
            {other.name}
          </MenuItem>
        ))}
        {others.length > 0 && <MenuLine />}
        <MenuItem onSelect={() => void navigate({ to: "/projects" })}>
          <FolderOpen size={14} aria-hidden="true" /> All projects…
        </MenuItem>
      </MenuContent>
    </Menu>
  );
}

const THEMES: [Theme, string, LucideIcon][] = [
  ["light", "Light", Sun],
  ["dark", "Dark", Moon],
  ["system", "Same as the desktop", Monitor],
];

function ThemeSwitch() {
  const theme = useTheme();
  return (
    // If it does not fit, the palette still has the themes.
    <fieldset className="flex gap-px max-[900px]:flex-col low:hidden" aria-label="Theme">
      {THEMES.map(([value, label, Icon]) => (
        <Tooltip key={value} content={label} side="top">
          <button
            type="button"
            aria-label={`Theme: ${label}`}
            aria-pressed={theme === value}
            onClick={() => setTheme(value)}
            className={cn(item, "w-7 justify-center px-0", theme === value && "bg-raised text-text")}
          >
            <Icon size={14} strokeWidth={1.75} />
          </button>
        </Tooltip>
      ))}
    </fieldset>
  );
}
