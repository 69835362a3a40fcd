#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the activity inside a component as an SVG, from timelines of runs (run --trace timeline --trace-inside
NAME).

    request_timeline.py NAME "CAPTION=out/run/timeline.json.gz" ... > picture.svg

All parts have the same scale and begin with the first span. Equal timelines give equal bytes.
"""

import gzip
import html
import json
import sys

LABEL, WIDTH, ROW, GAP = 190, 1000, 20, 4
COLOURS = {
    "command": "#7f7f7f", "input": "#d62728", "result": "#8c1c13", "data_out": "#6baed6", "data_in": "#17becf",
    "sense": "#bcd9ea", "compute": "#f4c48a", "program": "#c5b0d5", "erase": "#c7c7c7",
    "hold": "#e3e9cf",
}


def read(path, component):
    """Returns names of the tracks, and spans [track, name, details, from, to] in ps since the first one."""
    with gzip.open(path, "rt") as file:
        events = json.load(file)["traceEvents"]
    processes = {e["pid"]: e["args"]["name"] for e in events if e.get("name") == "process_name"}
    inside = [pid for pid, name in processes.items() if name == f"inside {component}"]
    if not inside:
        sys.exit(f"{path}: nothing inside '{component}'; expected a timeline with --trace-inside {component}")
    own = [e for e in events if e["pid"] == inside[0]]
    tracks = {e["tid"]: e["args"]["name"] for e in own if e.get("name") == "thread_name"}
    spans = [(e["tid"], e["name"], e.get("args", {}), round(e["ts"] * 1e6), round((e["ts"] + e["dur"]) * 1e6))
             for e in own if e["ph"] == "X"]
    first = min((s[3] for s in spans), default=0)
    return tracks, [(t, n, a, b - first, e - first) for t, n, a, b, e in spans]


def text(x, y, words, size=12, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{html.escape(words)}</text>'


def axis(y, scale, end):
    """Draws lines every 10 us, or as many as fit."""
    step = 10_000_000
    while end / step > 20:
        step *= 2
    lines = []
    for at in range(0, end + 1, step):
        x = LABEL + at * scale
        lines.append(f'<line x1="{x:.1f}" y1="{y - 4:.1f}" x2="{x:.1f}" y2="{y:.1f}" stroke="#000"/>')
        lines.append(text(x, y + 12, f"{at // 1_000_000} us" if at == 0 else str(at // 1_000_000), 10, "middle"))
    return lines


def bar(span, y, scale):
    _, name, details, begin, end = span
    x, width = LABEL + begin * scale, max((end - begin) * scale, 0.8)
    title = f"{name} of {details.get('request', '')} {details.get('number', '')}: {begin / 1e6:.3f} to {end / 1e6:.3f} us"
    parts = [f'<rect x="{x:.2f}" y="{y}" width="{width:.2f}" height="{ROW - GAP}" fill="{COLOURS.get(name, "#999")}"'
             f' stroke="#fff" stroke-width="0.3"><title>{html.escape(title)}</title></rect>']
    words = f"{details.get('request', '')} {details.get('number', '')}"
    if width > 7 * len(words):
        parts.append(text(x + width / 2, y + ROW - GAP - 4, words, 11, "middle"))
    return parts


def part(caption, tracks, spans, y, scale):
    end = max((s[4] for s in spans), default=0)
    lines = [text(4, y + 12, f"{caption}: {end / 1e6:.3f} us", 13)]
    y += ROW
    for track in sorted(tracks):
        lines.append(text(4, y + ROW - GAP - 4, tracks[track]))
        lines.append(f'<line x1="{LABEL}" y1="{y + ROW - GAP}" x2="{WIDTH}" y2="{y + ROW - GAP}" stroke="#ccc"/>')
        for span in spans:
            if span[0] == track:
                lines += bar(span, y, scale)
        y += ROW
    return lines + axis(y, scale, end), y + 2 * ROW


def legend(y, used):
    lines, x = [], LABEL
    for name, colour in COLOURS.items():
        if name in used:
            lines.append(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{colour}"/>')
            lines.append(text(x + 16, y + 11, name.replace("_", " ")))
            x += 90
    return lines


def main():
    if len(sys.argv) < 3 or any("=" not in a for a in sys.argv[2:]):
        sys.exit(__doc__)
    parts = [(caption, *read(path, sys.argv[1])) for caption, path in (a.rsplit("=", 1) for a in sys.argv[2:])]
    longest = max((s[4] for _, _, spans in parts for s in spans), default=1)
    lines, y = [], 4
    for caption, tracks, spans in parts:
        drawn, y = part(caption, tracks, spans, y, (WIDTH - LABEL - 10) / longest)
        lines += drawn
    lines += legend(y, {s[1] for _, _, spans in parts for s in spans})
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + ROW}" font-family="sans-serif">')
    print(f'<rect width="{WIDTH}" height="{y + ROW}" fill="#fff"/>')
    print("\n".join(lines))
    print("</svg>")


if __name__ == "__main__":
    main()
