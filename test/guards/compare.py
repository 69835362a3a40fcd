# SPDX-License-Identifier: Apache-2.0
"""Differences between two runs."""
import difflib

WIDTH = 32


def cut(value):
    text = "none" if value is None else str(value).replace("\n", "\\n")
    return text if len(text) <= WIDTH else text[:WIDTH - 3] + "..."


def percent(old, new):
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (old, new))
    return f"{100 * (new / old - 1):+.4g} %" if numbers and old else ""


def line(name, old, new):
    return f"{name:52} {cut(old):>{WIDTH}} {cut(new):>{WIDTH}} {percent(old, new):>12}"


def compare_values(kind, old, new):
    names = sorted(set(old) | set(new))
    return [line(f"{kind}{name}", old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]


def compare_files(old, new):
    found = []
    for name in sorted(set(old) | set(new)):
        if name not in old or name not in new:
            found.append(line(f"file {name}", "there" if name in old else None, "there" if name in new else None))
        elif old[name] != new[name]:
            found.append(first_difference(name, old[name], new[name]))
    return found


def first_difference(name, old, new):
    """Finds the first difference: by line in text files, by byte in others."""
    try:
        lines = [data.decode().splitlines() for data in (old, new)]
    except UnicodeDecodeError:
        same = next((at for at, pair in enumerate(zip(old, new)) if pair[0] != pair[1]), min(len(old), len(new)))
        return line(f"file {name}, from byte {same}", f"{len(old)} bytes", f"{len(new)} bytes")
    at = next((at for at, pair in enumerate(zip(*lines)) if pair[0] != pair[1]), min(map(len, lines)))
    return line(f"file {name}, line {at + 1}", *(text[at] if at < len(text) else None for text in lines))


def text_difference(old, new):
    """Returns the place where two texts of a run begin to differ, with the text before it."""
    at = next((at for at, pair in enumerate(zip(old, new)) if pair[0] != pair[1]), min(len(old), len(new)))
    return line(f"text, from character {at}", old[max(0, at - 8):], new[max(0, at - 8):])


def compare(old, new):
    """Returns the differences between two summaries (runs.summary_of), one per line. The list is empty if all
    bytes are equal."""
    before, after = dict(old["leaves"]), dict(new["leaves"])
    texts = [before.pop("text", ""), after.pop("text", "")]
    found = [text_difference(*texts)] if texts[0] != texts[1] else []
    found += compare_values("", before, after)
    found += compare_values("", old["figures"], new["figures"])
    found += compare_values("decisions ", old["decisions"], new["decisions"])
    if not found and old["bytes"] != new["bytes"]:  # The values are equal, but their order or format differs.
        found = [next(text for text in difflib.unified_diff(*(run["bytes"].split("\n") for run in (old, new)),
                                                            lineterm="", n=0) if text[0] in "+-" and text[:2] not in
                      ("--", "++"))]
    return found + compare_files(old["files"], new["files"])
