"""What all pictures share: the colours, light and dark, a marker for each filter, and the layout.

A picture is a function that returns a Canvas. Sizes are pixels of the PNG.
"""
import dataclasses
import io
import textwrap

import matplotlib

matplotlib.use("Agg")
from matplotlib import figure  # noqa: E402  after the choice of the backend

DPI = 100
WIDTH = 640  # of most pictures: texts can still be read at 400

# The layout is that of DejaVu Sans, which comes with matplotlib. Letters of an SVG are text, and
# a viewer takes the first of these fonts that it has: Verdana is as wide, most others are narrower.
FONT = "DejaVu Sans"
FONTS = "'DejaVu Sans', Verdana, sans-serif"

matplotlib.rcParams.update({
    "font.family": FONT,
    "svg.fonttype": "none",
    "svg.hashsalt": "bloomline",  # equal data, equal bytes
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": False,
    "text.parse_math": False,
})

PAPER, INK, MUTED, GRID = "#ffffff", "#1f2328", "#59636e", "#d8dee4"
# The palette of Okabe and Ito, darkened (light) or lightened (dark) until text in it has a contrast
# of at least 4.5 to the paper.
COLORS = {"bloom": "#0072b2", "ribbon": "#00805e", "blocked": "#c25400", "compact": "#aa3377",
          "by_level": "#7a1f55", "none": "#6e7781"}
DARK = {
    PAPER: "#0d1117", INK: "#e6edf3", MUTED: "#9198a1", GRID: "#30363d",
    COLORS["bloom"]: "#56b4e9", COLORS["ribbon"]: "#2fbf95", COLORS["blocked"]: "#f0883e",
    COLORS["compact"]: "#e58fc1", COLORS["by_level"]: "#f7c5e0", COLORS["none"]: "#8b949e"}


def dark_style():
    """The style sheet that changes the colours of an SVG where the viewer prefers dark pages."""
    rules = (f'[style*="{what}: {light}"] {{ {what}: {dark} !important }}'
             for light, dark in DARK.items() for what in ("fill", "stroke"))
    return ("<style>@media (prefers-color-scheme: dark) {\n" + "\n".join(rules) +
            "\n}</style>\n</svg>")


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
    "bloom-by-level": Look("Bloom by level", "bloom", "v", (0, (5, 1.5))),
    "builtin-ribbon": Look("built-in Ribbon", "ribbon", "s", (0, (5, 1.5))),
    "builtin-ribbon-10bits": Look("built-in Ribbon, 10 bits", "ribbon", "s", "-", True),
    "ribbon-by-level": Look("Ribbon by level", "ribbon", "v", (0, (1, 1))),
    "stock-bloom": Look("Bloom, queried by bloomline", "bloom", "o", (0, (1, 1)), True),
    "stock-ribbon": Look("Ribbon, queried by bloomline", "ribbon", "s", (0, (1, 1)), True),
    "blocked": Look("blocked", "blocked", "^"),
    "compact": Look("compact", "compact", "D"),
    "compact-same-fpr": Look("compact, Bloom's rate", "compact", "D", (0, (2, 1.2)), True),
    "by-level": Look("compact by level", "by_level", "P"),
    "by-level-7bits": Look("by level, 7 bits", "by_level", "v", (0, (5, 1.5))),
    "by-level-same-waste": Look("by level, 5 bits", "by_level", "v", (0, (1, 1)), True),
}


def look(policy):
    if policy in LOOKS:
        return LOOKS[policy]
    # `run --disk --sweep` names its policies compact-6 and by-level-6.
    family, _, bits = policy.rpartition("-")
    base = LOOKS.get(family, Look(policy, "none", "o"))
    name = f"{base.name.replace('compact by', 'by')}, {bits} bits" if family in LOOKS else policy
    return Look(name, base.color, base.marker)


class Canvas:
    """A figure with a title that says the message and a text that says what is plotted."""

    def __init__(self, width, height, title, subtitle, scale=1.0):
        """`height` is that of all, or a function of the height of these texts."""
        self.title = title
        self.width, self.scale = width, scale
        title = self.wrap(title, 17 * 0.645)
        subtitle = self.wrap(subtitle, 13 * 0.585)
        below_title = 12 + 24 * scale * len(title)
        self.header = round(below_title + 4 + 19 * scale * len(subtitle))
        self.height = height(self.header) if callable(height) else height
        self.figure = figure.Figure(figsize=(width / DPI, self.height / DPI), dpi=DPI,
                                    facecolor=PAPER)
        self.text(14, 12, "\n".join(title), size=17, weight="bold", va="top")
        self.text(14, below_title + 2, "\n".join(subtitle), color=MUTED, va="top")

    def wrap(self, text, character):
        """Lines of similar lengths. `character`: its width in pixels, on average."""
        width = int((self.width - 28) / (character * self.scale))
        lines = textwrap.wrap(text, width, break_on_hyphens=False)
        while True:
            width -= 1
            narrower = textwrap.wrap(text, width, break_on_hyphens=False)
            if len(narrower) > len(lines):
                return lines
            lines = narrower

    def points(self, pixels):
        return pixels * self.scale * 72 / DPI

    def text(self, x, y, text, size=13, color=None, **more):
        """Pixels from the upper left corner."""
        return self.figure.text(x / self.width, 1 - y / self.height, text,
                                fontsize=self.points(size), color=color or INK,
                                linespacing=1.25, **{"ha": "left", **more})

    def axes(self, left, top, width, height):
        axes = self.figure.add_axes([left / self.width, 1 - (top + height) / self.height,
                                     width / self.width, height / self.height])
        axes.set_facecolor("none")
        axes.set_axisbelow(True)
        for spine in axes.spines.values():
            spine.set_color(MUTED)
        axes.tick_params(colors=MUTED, labelcolor=INK, labelsize=self.points(12.5),
                         length=3)
        axes.tick_params(which="minor", length=0)
        return axes

    def bare_axes(self, left, top, width, height):
        """Without lines and ticks below."""
        axes = self.axes(left, top, width, height)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.spines["bottom"].set_visible(False)
        return axes

    def label(self, axes, x, y, text, size=12.5, color=None, **more):
        """Beside a point in the units of the axes, `offset` pixels away from it."""
        dx, dy = more.pop("offset", (0, 0))
        paper = {"boxstyle": "square,pad=0.08", "facecolor": PAPER, "linewidth": 0}
        return axes.annotate(text, (x, y), xytext=(self.points(dx), self.points(dy)),
                             textcoords="offset points", fontsize=self.points(size),
                             color=color or INK, linespacing=1.25,
                             annotation_clip=False, bbox=paper, **{"va": "center", **more})

    def names(self, policies, right, top, row_height):
        """Names of policies, one in each row, that end at `right`."""
        for i, policy in enumerate(policies):
            self.text(right, top + row_height * (i + 0.5), look(policy).name, ha="right",
                      va="center")

    def color(self, look):
        return COLORS[look.color]

    def marks(self, look, size=8):
        """Arguments of plot() for markers without a line."""
        return {"marker": look.marker, "color": self.color(look), "markersize": self.points(size),
                "markerfacecolor": PAPER if look.hollow else self.color(look),
                "markeredgewidth": self.points(1.8), "linestyle": "none"}

    def line(self, look, size=7, width=2.4):
        return {**self.marks(look, size), "linestyle": look.dash, "linewidth": self.points(width)}

    def save(self, folder, name, formats):
        """A PNG is light. An SVG is light or dark, as its viewer prefers."""
        if "png" in formats:
            self.figure.savefig(folder / f"{name}.png", facecolor=PAPER)
        if "svg" in formats:
            drawn = io.StringIO()
            self.figure.savefig(drawn, format="svg", facecolor=PAPER,
                                metadata={"Date": None, "Title": self.title})
            text = drawn.getvalue().replace(f"'{FONT}'", FONTS)
            text = text.replace("<svg ", '<svg role="img" ', 1)
            text = text.replace("</svg>", dark_style())
            (folder / f"{name}.svg").write_text(text, encoding="utf-8")


def grid(axes, axis):
    axes.grid(axis=axis, color=GRID, linewidth=0.8)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def percent(rate):
    """40.7 %, 0.97 %, 0.061 %."""
    value = 100 * rate
    return f"{value:.1f} %" if value >= 10 else f"{short(value)} %"


def short(value):
    """Two decimals, and three of small numbers: 4.65, 0.97, 0.061."""
    return f"{value:.2f}" if value >= 0.1 or value == 0 else f"{value:.3f}"
