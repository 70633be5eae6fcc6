"""Results as pictures: one bar of time and one of instructions for each tool; time over size."""

import math

ROW, LEFT, RIGHT, TOP = 26, 150, 70, 46
COLOURS = {"time": "#4878a8", "instructions": "#b8cce0", "ours": "#c05040", "ours instructions": "#e8b8a8"}


def _bar(x, y, width, height, colour):
    return f'<rect x="{x}" y="{y}" width="{max(width, 0):.1f}" height="{height}" fill="{colour}"/>'


def _text(x, y, text, anchor="start", size=12, colour="#333"):
    return (f'<text x="{x:.1f}" y="{y}" font-family="sans-serif" font-size="{size}" fill="{colour}" '
            f'text-anchor="{anchor}">{text}</text>')


def overhead(result, means):
    """`means`: configuration -> (time, instructions), ratios to plain."""
    # A ratio off the scale is cut at its end and says so in figures.
    limit = 2.0
    width = 420
    rows = sorted(((n, m) for n, m in means.items() if all(v == v for v in m)), key=lambda item: item[1][0])
    height = TOP + ROW * len(rows) + 30
    scale = width / (limit - 0.95)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + width + RIGHT}" height="{height}">',
             '<rect width="100%" height="100%" fill="white"/>',
             _text(LEFT, 20, f"Cost over the plain build, geometric mean of {len(result['programs'])} programs", size=14),
             _text(LEFT, 36, "dark: CPU time; light: instructions executed", size=11, colour="#666")]
    for number, (name, (seconds, executed)) in enumerate(rows):
        y = TOP + ROW * number
        ours = name.startswith("chord")
        parts.append(_text(LEFT - 8, y + 15, name, "end"))
        for offset, value, kind in ((2, seconds, "ours" if ours else "time"),
                                    (12, executed, "ours instructions" if ours else "instructions")):
            parts.append(_bar(LEFT, y + offset, (min(value, limit) - 0.95) * scale, 9, COLOURS[kind]))
        end = LEFT + (min(max(seconds, executed), limit) - 0.95) * scale
        parts.append(_text(end + 4, y + 15, f"{seconds:.3f}, {executed:.3f}", size=11))
    one = LEFT + 0.05 * scale
    parts += [f'<line x1="{one:.1f}" y1="{TOP - 4}" x2="{one:.1f}" y2="{height - 26}" stroke="#999" stroke-dasharray="3,3"/>',
              _text(one, height - 12, "1.0 = plain", "middle", 11, "#666"), "</svg>"]
    return "\n".join(parts) + "\n"


def growth(curves, title="CPU seconds over the number of edges of one procedure"):
    """`curves`: name -> [(size, seconds)], on logarithmic scales; dashed: linear growth."""
    width, height, left, top = 460, 300, 70, 40
    points = [p for curve in curves.values() for p in curve]
    decades = [(math.floor(math.log10(min(p[k] for p in points))), math.ceil(math.log10(max(p[k] for p in points)))) for k in (0, 1)]

    def at(edges, seconds):
        (a, b), (c, d) = decades
        return left + width * (math.log10(edges) - a) / (b - a), top + height * (d - math.log10(seconds)) / (d - c)

    def line(ends, colour, dashes=""):
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in ends)
        return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 160}" height="{top + height + 50}">',
             '<rect width="100%" height="100%" fill="white"/>',
             _text(left, 20, title, size=14)]
    (a, b), (c, d) = decades
    for k in range(a, b + 1):
        x = at(10 ** k, 10 ** c)[0]
        parts += [line([(x, top), (x, top + height)], "#eee"), _text(x, top + height + 18, f"10^{k}", "middle", 11)]
    for k in range(c, d + 1):
        y = at(10 ** a, 10 ** k)[1]
        parts += [line([(left, y), (left + width, y)], "#eee"), _text(left - 6, y + 4, f"10^{k}", "end", 11)]
    shades = ["#c05040", "#4878a8", "#60a060", "#a07030", "#7050a0", "#508080"]
    for shade, (name, curve) in zip(shades, curves.items()):
        parts += [line([at(*p) for p in curve], shade), _text(at(*curve[-1])[0] + 6, at(*curve[-1])[1] + 4, name, size=11, colour=shade)]
    low, high = min(p[0] for p in points), max(p[0] for p in points)
    first = min(s for n, s in points if n == low)
    parts += [line([at(low, first), at(high, first * high / low)], "#999", "3,3"), "</svg>"]
    return "\n".join(parts) + "\n"
