"""What all pictures share: two themes, a colour and a marker for each filter, and the layout.

A picture is a function that takes a Theme and returns a Canvas. Sizes are pixels of the PNG.
"""
import dataclasses

import matplotlib

matplotlib.use("Agg")
from matplotlib import figure  # noqa: E402  after the choice of the backend

DPI = 100

matplotlib.rcParams.update({
    "font.family": "DejaVu Sans",  # comes with matplotlib: texts are as wide everywhere
    "svg.fonttype": "path",
    "svg.hashsalt": "bloomline",  # equal data, equal bytes
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": False,
    "text.parse_math": False,
})


@dataclasses.dataclass(frozen=True)
class Theme:
    suffix: str  # of the file's name
    paper: str
    ink: str
    muted: str
    grid: str
    colors: dict


# The palette of Okabe and Ito, darkened (light) or lightened (dark) until text in it has a contrast
# of at least 4.5 to the paper.
LIGHT = Theme("", "#ffffff", "#1f2328", "#59636e", "#d8dee4", {
    "bloom": "#0072b2", "ribbon": "#00805e", "blocked": "#c25400", "compact": "#aa3377",
    "by_level": "#7a1f55", "none": "#6e7781"})
DARK = Theme("_dark", "#0d1117", "#e6edf3", "#9198a1", "#30363d", {
    "bloom": "#56b4e9", "ribbon": "#2fbf95", "blocked": "#f0883e", "compact": "#e58fc1",
    "by_level": "#f7c5e0", "none": "#8b949e"})
THEMES = (LIGHT, DARK)


@dataclasses.dataclass(frozen=True)
class Look:
    """How a filter is named and drawn. Colours alone never tell two filters apart."""
    name: str
    color: str
    marker: str
    dash: object = "-"
    hollow: bool = False


# By the names of the policies in the benches' CSV files.
LOOKS = {
    "none": Look("no filter", "none", "x", ":"),
    "builtin-bloom": Look("built-in Bloom", "bloom", "o"),
    "builtin-ribbon": Look("built-in Ribbon", "ribbon", "s", (0, (5, 1.5))),
    "builtin-ribbon-10bits": Look("built-in Ribbon, 10 bits", "ribbon", "s", "-", True),
    "blocked": Look("blocked", "blocked", "^"),
    "bloomline": Look("blocked", "blocked", "^"),
    "compact": Look("compact", "compact", "D"),
    "compact-same-fpr": Look("compact, Bloom's rate", "compact", "D", (0, (2, 1.2)), True),
    "by-level": Look("compact by level", "by_level", "P"),
    "by-level-7bits": Look("by level, 7 bits", "by_level", "v", (0, (5, 1.5))),
    "by-level-same-waste": Look("by level, 5 bits", "by_level", "v", (0, (1, 1)), True),
}


def look(policy):
    if policy in LOOKS:
        return LOOKS[policy]
    # Of disk_bench --sweep: compact-6, by-level-6.
    family, _, bits = policy.rpartition("-")
    base = LOOKS.get(family, Look(policy, "none", "o"))
    return Look(f"{base.name}, {bits} bits" if family in LOOKS else policy, base.color, base.marker)


class Canvas:
    """A figure with a title that says the message and a line that says what is plotted."""

    def __init__(self, theme, width, height, title, subtitle="", scale=1.0):
        self.theme = theme
        self.width, self.height, self.scale = width, height, scale
        self.figure = figure.Figure(figsize=(width / DPI, height / DPI), dpi=DPI,
                                    facecolor=theme.paper)
        self.text(14, 12, title, size=17, weight="bold", va="top")
        lines = title.count("\n") + 1
        self.header = 12 + 24 * scale * lines  # where the next thing may begin
        if subtitle:
            self.text(14, self.header + 2, subtitle, color=theme.muted, va="top")
            self.header += 4 + 19 * scale * (subtitle.count("\n") + 1)

    def points(self, pixels):
        return pixels * self.scale * 72 / DPI

    def text(self, x, y, text, size=13, color=None, **more):
        """Pixels from the upper left corner."""
        return self.figure.text(x / self.width, 1 - y / self.height, text,
                                fontsize=self.points(size), color=color or self.theme.ink,
                                linespacing=1.25, **{"ha": "left", **more})

    def axes(self, left, top, width, height):
        axes = self.figure.add_axes([left / self.width, 1 - (top + height) / self.height,
                                     width / self.width, height / self.height])
        theme = self.theme
        axes.set_facecolor("none")
        axes.set_axisbelow(True)
        for spine in axes.spines.values():
            spine.set_color(theme.muted)
        axes.tick_params(colors=theme.muted, labelcolor=theme.ink, labelsize=self.points(12.5),
                         length=3)
        axes.tick_params(which="minor", length=0)
        return axes

    def label(self, axes, x, y, text, size=12.5, color=None, **more):
        """Beside a point in the units of the axes, `offset` pixels away from it."""
        dx, dy = more.pop("offset", (0, 0))
        paper = {"boxstyle": "square,pad=0.08", "facecolor": self.theme.paper, "linewidth": 0}
        return axes.annotate(text, (x, y), xytext=(self.points(dx), self.points(dy)),
                             textcoords="offset points", fontsize=self.points(size),
                             color=color or self.theme.ink, linespacing=1.25,
                             annotation_clip=False, bbox=paper, **{"va": "center", **more})

    def color(self, look):
        return self.theme.colors[look.color]

    def marks(self, look, size=8):
        """Arguments of plot() for markers without a line."""
        return {"marker": look.marker, "color": self.color(look), "markersize": self.points(size),
                "markerfacecolor": self.theme.paper if look.hollow else self.color(look),
                "markeredgewidth": self.points(1.8), "linestyle": "none"}

    def line(self, look, size=7, width=2.4):
        return {**self.marks(look, size), "linestyle": look.dash, "linewidth": self.points(width)}

    def save(self, folder, name, formats):
        for suffix in formats:
            path = folder / f"{name}{self.theme.suffix}.{suffix}"
            metadata = {"Date": None} if suffix == "svg" else {}
            self.figure.savefig(path, facecolor=self.theme.paper, metadata=metadata)


def x_grid(axes, theme):
    axes.grid(axis="x", color=theme.grid, linewidth=0.8)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def y_grid(axes, theme):
    axes.grid(axis="y", color=theme.grid, linewidth=0.8)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def percent(rate):
    """40.7 %, 0.97 %, 0.061 %."""
    value = 100 * rate
    return f"{value:.1f} %" if value >= 10 else f"{short(value)} %"


def short(value):
    """Two decimals, and three of small numbers: 4.65, 0.97, 0.061."""
    return f"{value:.2f}" if value >= 0.1 or value == 0 else f"{value:.3f}"
