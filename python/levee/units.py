# SPDX-License-Identifier: Apache-2.0
"""Units of metrics, which follow from their names (docs/results.md)."""
from typing import Any, Mapping, Optional

ENDINGS = (  # the first ending that matches is used
    ("per_token_j", "J/token"), ("tokens_per_joule", "tokens/J"), ("tokens_per_s", "tokens/s"),
    ("bytes_per_token", "B/token"), ("bytes_per_s", "B/s"), ("macs_per_byte", "MAC/B"), ("macs_per_s", "MAC/s"),
    ("ns_a_token", "ns/token"), ("per_s", "1/s"), ("_mm2", "mm²"), ("_bytes", "B"),
    ("_hz", "Hz"), ("_ps", "ps"), ("seconds", "s"), ("_s", "s"), ("_w", "W"), ("_j", "J"), ("mips", "MIPS"),
    ("bytes", "B"), ("tokens", "tokens"), ("cycles", "cycles"), ("instructions", "instructions"))

PREFIXES = {1e-12: "T", 1e-9: "G", 1e-6: "M", 1e-3: "k", 1e3: "m", 1e6: "µ", 1e9: "n", 1e12: "p"}


def unit_of(metric: str) -> str:
    """Returns the unit of a metric; empty for counts, shares and texts."""
    last = metric.rsplit(".", 1)[-1]
    if metric.startswith("sampling.error."):
        return ""  # a relative error has no unit
    if "interval_s." in metric or "valid_row_seconds." in metric:
        return "s"
    for ending, unit in ENDINGS:
        if last == ending.lstrip("_") or last.endswith(ending):
            return unit
    return ""


def unit_of_column(column: Mapping[str, Any]) -> str:
    """Returns the unit of a study's column, which is a metric, scaled by a power of 1000 or divided by another
    metric."""
    unit = unit_of(column["metric"])
    scale = float(column.get("scale", 1))
    if scale != 1:
        prefix: Optional[str] = PREFIXES.get(scale)
        unit = "%" if scale == 100 and not unit else prefix + unit if prefix and unit else f"{unit} / {scale:g}".strip()
    over = column.get("over")
    if not over:
        return unit
    below = unit_of(over)
    if below == unit:
        return ""
    return f"{unit or 1}/{below}" if below else unit


def labelled(name: str, unit: str) -> str:
    """Returns the text for an axis: "edram [B]"."""
    return f"{name} [{unit}]" if unit else name
