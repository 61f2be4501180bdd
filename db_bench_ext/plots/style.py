"""What the pictures of README.md share: the colours, light and dark, and the layout.

A picture is a function that returns a Canvas. Sizes are pixels.
"""
import io
import textwrap

import matplotlib

matplotlib.use("Agg")
from matplotlib import figure  # noqa: E402  after the choice of the backend

DPI = 100
SCALE = 1.2  # of the letters: a page shows the pictures smaller

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
COLORS = {"bloom": "#0072b2", "ribbon": "#00805e", "blocked": "#c25400", "ranges": "#aa3377",
          "none": "#6e7781"}
DARK = {
    PAPER: "#0d1117", INK: "#e6edf3", MUTED: "#9198a1", GRID: "#30363d",
    COLORS["bloom"]: "#56b4e9", COLORS["ribbon"]: "#2fbf95", COLORS["blocked"]: "#f0883e",
    COLORS["ranges"]: "#e58fc1", COLORS["none"]: "#8b949e"}


def dark_style():
    """The style sheet that changes the colours of an SVG where the viewer prefers dark pages."""
    rules = (f'[style*="{what}: {light}"] {{ {what}: {dark} !important }}'
             for light, dark in DARK.items() for what in ("fill", "stroke"))
    return ("<style>@media (prefers-color-scheme: dark) {\n" + "\n".join(rules) +
            "\n}</style>\n</svg>")


class Canvas:
    """A figure with a title that says the message and a text that says what is plotted."""

    def __init__(self, width, height, title, subtitle):
        """`height` is that of all, or a function of the height of these texts."""
        self.title = title
        self.width = width
        title = self.wrap(title, 17 * 0.645)
        subtitle = self.wrap(subtitle, 13 * 0.585)
        below_title = 12 + 24 * SCALE * len(title)
        self.header = round(below_title + 4 + 19 * SCALE * len(subtitle))
        self.height = height(self.header) if callable(height) else height
        self.figure = figure.Figure(figsize=(width / DPI, self.height / DPI), dpi=DPI,
                                    facecolor=PAPER)
        self.text(14, 12, "\n".join(title), size=17, weight="bold", va="top")
        self.text(14, below_title + 2, "\n".join(subtitle), color=MUTED, va="top")

    def wrap(self, text, character):
        """Lines of similar lengths. `character`: its width in pixels, on average."""
        width = int((self.width - 28) / (character * SCALE))
        lines = textwrap.wrap(text, width, break_on_hyphens=False)
        while True:
            width -= 1
            narrower = textwrap.wrap(text, width, break_on_hyphens=False)
            if len(narrower) > len(lines):
                return lines
            lines = narrower

    def points(self, pixels):
        return pixels * SCALE * 72 / DPI

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

    def save(self, path):
        """The SVG is light or dark, as its viewer prefers."""
        drawn = io.StringIO()
        self.figure.savefig(drawn, format="svg", facecolor=PAPER,
                            metadata={"Date": None, "Title": self.title})
        text = drawn.getvalue().replace(f"'{FONT}'", FONTS)
        text = text.replace("<svg ", '<svg role="img" ', 1)
        text = text.replace("</svg>", dark_style())
        path.write_text(text, encoding="utf-8")
