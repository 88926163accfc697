"""The two halves of scripts/oracle.sh: writing its data, and comparing two workspaces."""

import collections
import csv
import hashlib
import pathlib
import sys

SHADES = ["crimson", "azure", "olive"]
THINGS = "gate roof chair lamp boat shelf coat fence kettle basket mirror ladder".split()
REDEFINED = "TST% unseen"  # by one judge; at tag v0-full it is the mean of two, so it is not compared
ENDS = ["again", "this morning", "after the rain", "for a week", "in the yard", "once more"]


def write_data(work):
    """Write sentences that say of things what shade they have, references and a published system."""
    for folder in ("data", "outputs", "references"):
        (work / folder).mkdir()
    tests = {}
    for style, shade in enumerate(SHADES):
        lines = []
        for i, thing in enumerate(THINGS):
            for k, end in enumerate(ENDS):
                article = ["the", "a", "our"][(i + k) % 3]
                lines.append(f"{article} {thing} looked {shade} {end} .")
                lines.append(f"we painted a {shade} {thing} {end} .")
        splits = {"dev": lines[0::8], "test": lines[1::8]}
        splits["train"] = [line for i, line in enumerate(lines) if i % 8 > 1]
        tests[style] = splits["test"]
        for split, some in splits.items():
            write(work / "data" / f"{split}.{style}.txt", some)
    for source, lines in tests.items():
        for target, shade in enumerate(SHADES):
            if source == target:
                continue
            name = f"{source}-{target}.txt"
            exchanged = [line.replace(SHADES[source], shade) for line in lines]
            write(work / "data" / f"reference.{name}", exchanged)
            write(work / "references" / f"more.{name}", [line.replace("looked", "seemed") for line in exchanged])
            write(work / "outputs" / f"Half.{name}", exchanged[: len(lines) // 2] + lines[len(lines) // 2 :])


def write(path, lines):
    path.write_text("\n".join(lines) + "\n")


def artifacts(workspace):
    """Return, by stage and file name, the sorted sha256 of weights, masks and outputs."""
    found = collections.defaultdict(list)
    for stage in sorted((workspace / "stages").iterdir()):
        for path in sorted(stage.glob("*/*")):
            if path.suffix in (".safetensors", ".mask", ".txt"):
                found[stage.name, path.name].append(hashlib.sha256(path.read_bytes()).hexdigest())
    return {key: sorted(sums) for key, sums in found.items()}


def table(path):
    """Return the header and the rows of a table, without the notes that builds before v1-writer write above them."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("# ")]
    rows = list(csv.reader(lines))
    return rows[0], rows[1:]


def rounded(now, was):
    """Return the rows with numbers that have as many decimals as those of an older build, which rounds them."""
    def cell(now, was):
        try:
            return f"{float(now):.{len(was.partition('.')[2])}f}" if float(was) != float(now) else was
        except ValueError:
            return now
    return [[cell(*pair) for pair in zip(new, old)] for new, old in zip(now, was)] + now[len(was):]


def differences(old, new):
    """Compare two workspaces. Yield a line for each difference, and say what only one of them has."""
    ours, theirs = artifacts(new), artifacts(old)
    for key in sorted(ours.keys() & theirs.keys()):
        lacks = collections.Counter(theirs[key]) - collections.Counter(ours[key])
        if lacks and not collections.Counter(ours[key]) - collections.Counter(theirs[key]):
            print(f"{'/'.join(key)}: without {lacks.total()} of {len(theirs[key])} files")
        elif ours[key] != theirs[key]:
            yield f"{'/'.join(key)}: {len(theirs[key])} and {len(ours[key])} files that are not the same"
    missing = sorted({"/".join(key) for key in theirs.keys() - ours.keys()})
    added = sorted({"/".join(key) for key in ours.keys() - theirs.keys()})
    tables = {path.relative_to(old / "tables") for path in (old / "tables").glob("*/*.csv")}
    both = {path for path in tables if (new / "tables" / path).exists()}
    cells = 0
    for path in sorted(both):
        old_head, old_rows = table(old / "tables" / path)
        new_head, new_rows = table(new / "tables" / path)
        columns = [name for name in old_head if name in new_head and not name.startswith(REDEFINED)]
        pick = lambda head, rows: [[row[head.index(name)] for name in columns] for row in rows if REDEFINED not in row]
        before = pick(old_head, old_rows)
        after = rounded(pick(new_head, new_rows), before)
        cells += len(columns) * len(after)
        if [name for name in old_head if name not in new_head]:
            print(f"{path}: without the columns {', '.join(n for n in old_head if n not in new_head)}")
        gone = [row for row in before if row not in after]
        if len(before) != len(after) and not [row for row in after if row not in before]:
            print(f"{path}: without {len(gone)} of {len(before)} rows")
        elif before != after:
            for was, now in zip(before, after):
                if was != now:
                    yield f"{path}: {was} became {now}"
            if len(before) != len(after):
                yield f"{path}: {len(before)} rows became {len(after)}"
    print(f"compared {sum(map(len, ours.values()))} files of weights, masks and outputs, and {cells} cells of {len(both)} tables")
    for what, names in (("gone", missing), ("new", added), ("gone tables", sorted(map(str, tables - both)))):
        if names:
            print(f"{what}: {', '.join(names)}")


def main():
    if sys.argv[1] == "data":
        write_data(pathlib.Path(sys.argv[2]))
        return 0
    found = list(differences(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])))
    print("\n".join(found) if found else "equal")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
