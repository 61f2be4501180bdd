"""Pictures whose rows are filters, in groups with a heading each: dots, ranges or bars."""
import dataclasses
import math

import matplotlib.ticker

import style
import tables

ROW = 23
HEADING = 30
LABELS = 190  # the width of the names
BOTTOM = 34


@dataclasses.dataclass
class Row:
    look: style.Look
    value: float  # NaN: not measured
    low: float = float("nan")
    high: float = float("nan")
    other: float = float("nan")  # drawn as an upright stroke
    text: str = ""  # at the value


def timed(row, column):
    """The row of a CSV line: median, minimum and maximum of the rounds."""
    median, low, high = (tables.number(row, f"{column}_{of}") for of in ("median", "min", "max"))
    return Row(style.look(row["policy"]), median, low, high, text=f"{median:.2f}")


def rate(row, column, theory=None):
    """The row of a CSV line: a rate in percent, and the stroke of another column."""
    value = tables.number(row, column)
    return Row(style.look(row["policy"]), 100 * value, text=style.percent(value),
               other=100 * tables.number(row, theory) if theory else float("nan"))


def grouped(groups, row_of):
    """Groups of CSV lines as groups of rows."""
    return [(heading, [row_of(row) for row in group]) for heading, group in groups]


def decades(rates):
    """The range of a logarithmic axis for rates in percent."""
    positive = [100 * rate for rate in rates if rate > 0] or [0.01, 1]
    return 10 ** math.floor(math.log10(min(positive))), 1.6 * max(positive)


def worst(policy, groups, column):
    values = [tables.number(row, column) for _, group in groups for row in group
              if row["policy"] == policy]
    if not values:
        raise tables.Missing(f"no rows of {policy}")
    return max(values)


def picture(title, subtitle, groups, log=None, baseline=None, bars=False,
            tick=None, right=62):
    """`groups`: (heading, rows). `log`: the range of a logarithmic axis. `baseline`: the place of a
    vertical line and the text above it. `right`: pixels for texts beside the highest value."""
    body = sum(HEADING * bool(heading) + ROW * len(rows) for heading, rows in groups) + 6
    gap = 8 + 16 * bool(baseline)
    canvas = style.Canvas(style.WIDTH, lambda header: header + gap + body + BOTTOM, title,
                          subtitle)
    top = canvas.header + gap
    axes = canvas.axes(LABELS, top, style.WIDTH - LABELS - right, body)
    axes.set_ylim(body, 0)
    axes.set_yticks([])
    style.grid(axes, "x")
    if log:
        axes.set_xscale("log")
        axes.set_xlim(*log)
    else:
        highest = max(max(row.value, row.high if row.high == row.high else row.value)
                      for _, rows in groups for row in rows if row.value == row.value)
        axes.set_xlim(0, 1.03 * highest)
    axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(
        lambda value, _: tick(value) if tick else f"{value:g}"))
    if baseline:
        place, text = baseline
        axes.axvline(place, color=style.INK, linewidth=1.2)
        canvas.label(axes, place, 0, text, offset=(0, 10), ha="center")

    y = 0
    for heading, rows in groups:
        if heading:
            canvas.text(14, top + y + HEADING - 10, heading, weight="bold", va="center",
                        bbox={"facecolor": style.PAPER, "linewidth": 0, "pad": 1})
            y += HEADING
        for row in rows:
            if log and row.value < log[0]:  # nothing was found, of few queries
                row = dataclasses.replace(row, value=log[0])
            draw_row(canvas, axes, row, y + ROW / 2, bars)
            canvas.text(LABELS - 12, top + y + ROW / 2, row.look.name, ha="right", va="center",
                        color=canvas.color(row.look))
            y += ROW
    return canvas


def draw_row(canvas, axes, row, y, bars):
    color = canvas.color(row.look)
    if row.value != row.value:
        return
    end = row.value
    if bars:
        axes.barh(y, row.value, height=15, color=color)
    if row.low == row.low:
        axes.plot((row.low, row.high), (y, y), linewidth=1.6, solid_capstyle="butt",
                  color=style.INK if bars else color)
        end = max(end, row.high)
    if row.other == row.other:
        axes.plot(row.other, y, marker="|", markersize=canvas.points(15), color=style.INK,
                  markeredgewidth=1.6)
        end = max(end, row.other)
    if not bars:
        axes.plot(row.value, y, **canvas.marks(row.look, 9))
    canvas.label(axes, end, y, row.text, offset=(10, 0))
