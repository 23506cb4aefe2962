"""The figures of a row: medians, ratios, goals; as text, and as JSON."""

import statistics

COLUMNS = (
    ("wall", "wall s", 1, "{:.3f}"),
    ("user", "user s", 1, "{:.3f}"),
    ("system", "system s", 1, "{:.3f}"),
    ("cpu", "CPU s", 1, "{:.3f}"),
    ("peak_kib", "peak MiB", 1 / 1024, "{:.1f}"),
    ("pictures_per_second", "pictures/s", 1, "{:,.0f}"),
    ("calls", "calls", 1, "{:,.0f}"),
    ("catalog_bytes", "catalog B/item", 1, "{:.0f}"),
)
REFERENCES = ("floor", "curl")
UNITS = {"wall": "{:.3f} s", "peak_kib": "{:.0f} KiB", "catalog_bytes": "{:.0f} bytes an item"}


def summarise(row, rounds, facts, environment):
    """All that is told of a row. `rounds` is a list of dictionaries of measurements by label."""
    labels = list(rounds[0])
    return {
        "title": row.title,
        "rounds": len(rounds),
        "environment": environment,
        "programs": {label: _summary(row, rounds, label) for label in labels},
        # A peer that could not be installed has no figures.
        "goals": [_goal(goal, rounds, environment) for goal in row.goals if goal.against in (None, *labels)],
        "facts": [{"fact": text, "met": met} for text, met in facts],
    }


def _summary(row, rounds, label):
    quantities = rounds[0][label]
    result = {"median": {name: statistics.median(round[label][name] for round in rounds) for name in quantities}}
    if row.items and "cpu" in quantities:
        result["cpu_seconds_per_1000"] = result["median"]["cpu"] * 1000 / row.items
    for reference in REFERENCES:
        if reference in rounds[0] and reference != label:
            result[f"against_{reference}"] = {
                name: _ratio(rounds, label, reference, name) for name in ("wall", "cpu", "calls") if name in quantities
            }
    result["rounds"] = [round[label] for round in rounds]
    return result


def _ratios(rounds, label, against, quantity):
    return [round[label][quantity] / round[against][quantity] for round in rounds]


def _ratio(rounds, label, against, quantity):
    return statistics.median(_ratios(rounds, label, against, quantity))


def _goal(goal, rounds, environment):
    limit = goal.limit
    if goal.limit_without_sha and not environment["processor"]["has_sha_instructions"]:
        limit = goal.limit_without_sha
    if goal.against:
        values = _ratios(rounds, goal.label, goal.against, goal.quantity)
        name = {"peak_kib": "peak memory", "cpu": "CPU"}.get(goal.quantity, goal.quantity)
        text = f"{name} of {goal.label} ≤ {limit:g} × {goal.against}"
        shown = "{:.2f}"
    else:
        values = [round[goal.label][goal.quantity] for round in rounds]
        shown = UNITS[goal.quantity]
        name = {"peak_kib": "peak memory", "catalog_bytes": "catalog"}.get(goal.quantity, goal.quantity)
        text = f"{name} of {goal.label} ≤ {shown.format(limit)}"
    value = statistics.median(values)
    return {
        "goal": text, "value": value, "lowest": min(values), "highest": max(values), "limit": limit,
        "met": value <= limit,
        "shown": f"{shown.format(value)} ({shown.format(min(values))} to {shown.format(max(values))})",
    }


def text(name, result):
    """A row as lines for people."""
    programs = result["programs"]
    first = next(iter(programs.values()))
    columns = [column for column in COLUMNS if any(column[0] in summary["median"] for summary in programs.values())]
    head = [""] + [title for _, title, _, _ in columns]
    references = [reference for reference in REFERENCES if reference in programs]
    compared = [quantity for quantity in ("wall", "cpu", "calls") if quantity in first["median"]]
    head += [f"{'CPU' if quantity == 'cpu' else quantity}/{reference}" for reference in references for quantity in compared]
    lines = [head]
    for label, summary in programs.items():
        median = summary["median"]
        line = [label] + [
            shown.format(median[quantity] * factor) if quantity in median else "" for quantity, _, factor, shown in columns]
        for reference in references:
            ratios = summary.get(f"against_{reference}", {})
            line += [f"{ratios[quantity]:.2f}" if quantity in ratios else "1" for quantity in compared]
        lines.append(line)
    widths = [max(len(line[index]) for line in lines) for index in range(len(head))]
    rounds = f"{result['rounds']} rounds" if result["rounds"] > 1 else "1 round"
    out = [f"{name}: {result['title']} ({rounds})"]
    for line in lines:
        cells = [line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]
        out.append("  " + "  ".join(cells).rstrip())
    for goal in result["goals"]:
        out.append(f"  {'met' if goal['met'] else 'MISSED':6}  {goal['goal']}: {goal['shown']}")
    for fact in result["facts"]:
        out.append(f"  {'met' if fact['met'] else 'MISSED':6}  {fact['fact']}")
    return "\n".join(out)


def versions(environment):
    processor = environment["processor"]
    has = "with" if processor["has_sha_instructions"] else "without"
    lines = [
        f"{environment['machine']}, {environment['time']}",
        f"{processor['name']}, {has} instructions for SHA-256; OpenSSL hashes {processor['sha256_mb_per_second']} MB/s",
    ]
    for name, program in environment["programs"].items():
        lines.append(f"  {name:13} {program['version']:16} {program['does']}")
    return "\n".join(lines)
