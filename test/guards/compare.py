# SPDX-License-Identifier: Apache-2.0
"""What the two guards compare of a run, and how far figures may be apart."""
import re

DEFAULT_TOLERANCE = 0.03

# Guard two: work, which is the same whatever the core does. Of memories all but the tightly coupled one ("ram" where
# there is no other).
EXACT = re.compile(
    r"(?!core\.|ram\.|tcm\.)\w+\.(macs|folds|passes|cycles|elements|scores|evicted|moved_bytes|flipped_bits"
    r"|overcommitted_bytes|read_bytes|write_bytes|placed_bytes)"
    r"|(score|recall|model|kv)\.\w+|(generate|decode)\.tokens|generate\.prefill_chunk")
# Guard two: listed and not judged. Instructions are judged by the time they take, rates by what they divide.
LISTED = re.compile(
    r"core\.instructions|(tcm|ram)\.\w+|\w+\.operations|\w+\.descriptors_per_layer_step"
    r"|roofline\.\w+\.tcm\.\w+|roofline\..*(_per_s|_per_byte)"
    r"|(hello|gemv|overlap|attention_head)\.\w+")
# Where bits decay with age, what is read depends on when, and so on the core.
SOUND_CELLS_ONLY = re.compile(r"\w+\.flipped_bits|(score|recall)\.\w+|\w+\.age\..*")

# A figure that is part of a whole is judged by its share of it: (the part's name, the names the whole is the sum of).
WHOLES = [(re.compile(part), whole) for part, whole in (
    (r"(bounds|roofline)\..*_seconds", r"sim\.seconds"),
    (r"(energy\w*)\..*_j", r"{0}\.total_j"),
    (r"(roofline)\.\w+\.(\w+\.bytes|macs)", r"{0}\.\w+\.{1}"),
    (r"(\w+)\.(busy|waiting)_seconds", r"sim\.seconds"),
    (r"(\w+\.age\.\w+)\.below_\w+", r"{0}\.below_\w+"),
    (r"(\w+\.refresh)\.(high|low)_(msb|lsb)", r"{0}\.(high|low)_(msb|lsb)"),
    (r"(\w+\.valid_row_seconds)\.\w+", r"{0}\.\w+"),
)]


def whole_of(metric, metrics):
    """What a figure's change is divided by."""
    for part, whole in WHOLES:
        found = part.fullmatch(metric)
        if found:
            names = re.compile(whole.format(*map(re.escape, found.groups())))
            return sum(value for name, value in metrics.items() if names.fullmatch(name))
    return 1 if metric.startswith("sampling.error.") else metrics.get(metric, 0)


class Row:
    """A figure that differs. `allowed`: so far apart, relative to its whole; None: as far as it likes."""

    def __init__(self, metric, old, new, whole, allowed):
        self.name, self.old, self.new, self.allowed = metric, old, new, allowed
        comparable = isinstance(old, (int, float)) and isinstance(new, (int, float)) and whole
        self.share = abs(new - old) / abs(whole) if comparable else float("inf")

    kind = "metrics"

    @property
    def fails(self):
        return self.allowed is not None and self.share > self.allowed

    def text(self):
        judged = "not judged" if self.allowed is None else "TOO FAR" if self.fails else "ok"
        percent = f"{100 * self.share:.3f} %" if self.share < float("inf") else "-"
        return f"{self.name:52} {self.old!s:>22} {self.new!s:>22} {percent:>11}  {judged}"


class Change:
    """A hash that differs: of a section of results.json, or of decisions."""
    fails = True

    def __init__(self, kind, name, old, new):
        self.kind, self.name, self.old, self.new = kind, name, old, new

    def text(self):
        return f"{self.kind + ' ' + self.name:52} {self.old or 'none':>22} {self.new or 'none':>22} {'-':>11}  DIFFERS"


def compare_figures(old, new, allowed_for):
    rows = []
    for metric in sorted(set(old) | set(new)):
        is_part = any(part.fullmatch(metric) for part, _ in WHOLES)  # left out of results.json if 0
        before, after = (figures.get(metric, 0 if is_part else None) for figures in (old, new))
        if before != after:
            rows.append(Row(metric, before, after, whole_of(metric, old), allowed_for(metric)))
    return rows


def compare_hashes(kind, old, new):
    return [Change(kind, name, old.get(name), new.get(name))
            for name in sorted(set(old) | set(new)) if old.get(name) != new.get(name)]


def guard_one(golden, now):
    """What differs; nothing if all bytes are the same."""
    if golden["sha256"] == now["sha256"]:
        return []
    found = (compare_hashes("sections", golden["sections"], now["sections"]) +
             compare_figures(golden["metrics"], now["metrics"], lambda metric: 0))
    # Equal values may still be written in another order or format.
    return found or [Change("sections", "(all)", golden["sha256"][:16], now["sha256"][:16])]


def expected_by_guard_two(golden):
    """What firmware of old does, and over it what has been accepted of firmware since (None: no such figure)."""
    accepted = golden.get("accepted", {})
    return {kind: {name: value for name, value in {**golden[kind], **accepted.get(kind, {})}.items()
                   if value is not None} for kind in ("metrics", "sections", "decisions")}


def allowed_by_guard_two(case, metric):
    decays = case.get("decays", False)
    if LISTED.fullmatch(metric) or decays and SOUND_CELLS_ONLY.fullmatch(metric):
        return None
    return 0 if EXACT.fullmatch(metric) and not decays else case.get("tolerance", DEFAULT_TOLERANCE)


def guard_two(case, golden, now):
    """What differs of a run with the build's firmware: figures, text, tokens, decisions."""
    expected = expected_by_guard_two(golden)
    found = compare_hashes("sections", expected["sections"], now["sections"])
    found += compare_hashes("decisions", expected["decisions"], now["decisions"])
    free = {"text", "tokens", "decisions"} if case.get("decays") else set(case.get("free", []))
    found = [change for change in found if not free & {change.kind, change.name}]
    return found + compare_figures(expected["metrics"], now["metrics"],
                                   lambda metric: allowed_by_guard_two(case, metric))
