"""Ages of entries in real learnings files, by `ralph learning ages` and by a slow reference.

    python3 bench/histories/ages.py --ralph target/debug/ralph            clones the repositories below from GitHub
    python3 bench/histories/ages.py --ralph target/debug/ralph --from DIR takes DIR/OWNER+NAME/repo instead

Each file is looked at as it was at commits spread over its history, one after the other in one project, so that every look but the first
reads only what is new. The reference reads everything each time: `git blame -C -C`, `git log`, and set arithmetic over the dates. Nothing of
the repositories is kept, and none of their programs is run.
"""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# Public repositories whose people and agents kept a learnings file, with its path.
HISTORIES = [
    ("ddaanet/claudeutils", "agents/learnings.md"),
    ("11z4t/tuya-ble-mesh", "LEARNINGS.md"),
    ("Devour6/mfc-app", "LEARNINGS.md"),
    ("Anguijm/yolo-projects", "learnings.md"),
    ("ddaanet/pytest-markdown-report", "agents/learnings.md"),
]
POINTS = 15


def git(folder, *args):
    answer = subprocess.run(["git", *args], cwd=folder, capture_output=True, text=True, errors="replace")
    return answer.stdout if answer.returncode == 0 else ""


def day_of(line):
    """The day in the author's own calendar; None where the line is not committed."""
    if set(line["commit"]) == {"0"}:
        return None
    zone = line["author-tz"]
    minutes = (int(zone[1:3]) * 60 + int(zone[3:])) * (-1 if zone[0] == "-" else 1)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=int(line["author-time"]), minutes=minutes)
    return moment.date().isoformat()


def reference(folder, file):
    """Age of each entry in active days, in the order of the file."""
    days = set(git(folder, "log", "--format=%ad", "--date=short").split())
    entries, line, fenced = [], {}, False
    for text in git(folder, "blame", "--line-porcelain", "-C", "-C", "--", file).split("\n"):
        if not text.startswith("\t"):
            word, _, rest = text.partition(" ")
            line.update({"commit": word} if len(word) == 40 and "commit" not in line else {word: rest})
            continue
        words, day, line = text[1:], day_of(line), {}
        fenced ^= words.startswith("```")
        if words.startswith("## ") and not fenced:
            entries.append([])
        if entries and words.strip() and day:
            entries[-1].append(day)
    return [sum(day > min(written) for day in days) if written else 0 for written in entries]


def compare(ralph, url, file, home):
    folder = home / "repository"
    subprocess.run(["git", "clone", "--quiet", "--no-checkout", url, folder], check=True)
    environment = {**os.environ, "RALPH_DATA_HOME": str(home / "data")}

    def answer(*args):
        done = subprocess.run([ralph, "--json", *args], cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"ralph {' '.join(args)}: {done.stderr}")
        return json.loads(done.stdout)

    touched = git(folder, "log", "--first-parent", "--format=%H", "--", file).split()[::-1]
    last = len(touched) - 1
    points = touched if last < POINTS else [touched[at * last // (POINTS - 1)] for at in range(POINTS)]
    looks = entries = different = 0
    for commit in [*points, git(folder, "rev-parse", "HEAD").strip()]:
        git(folder, "checkout", "--quiet", "--force", commit)
        if not looks:
            answer("init")
            config = folder / ".ralph/config.toml"
            config.write_text(config.read_text().replace('learnings_file = "learnings.md"', f'learnings_file = "{file}"'))
        found = [entry["age_active_days"] for entry in answer("learning", "ages")["entries"] if entry["kind"] == "file"]
        expected = reference(folder, file)
        looks, entries = looks + 1, entries + len(expected)
        if found != expected:
            different += sum(a != b for a, b in zip(found, expected)) + abs(len(found) - len(expected))
            print(f"  {commit[:10]}: {found} instead of {expected}", file=sys.stderr)
    return looks, entries, different, git(folder, "rev-list", "--count", "HEAD").strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ralph", required=True, type=pathlib.Path)
    parser.add_argument("--from", dest="folder", type=pathlib.Path)
    args = parser.parse_args()
    wrong = 0
    for name, file in HISTORIES:
        url = f"https://github.com/{name}"
        if args.folder:
            url = str(args.folder / name.replace("/", "+") / "repo")
        with tempfile.TemporaryDirectory() as home:
            looks, entries, different, commits = compare(args.ralph.resolve(), url, file, pathlib.Path(home))
        print(f"{name} {file}: {commits} commits, {looks} looks, {entries} entries, {different} different")
        wrong += different
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
