# SPDX-License-Identifier: Apache-2.0
"""The rules: which texts may replace an expression. Each function returns a list of (rule, faulty text)."""
import re

COMPARISONS = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="],
               "!=": ["=="]}
ADDERS = {"+": "-", "-": "+"}
LOGIC = {"&&": "||", "||": "&&", "&": "|", "|": "&", "^": "|"}
SHIFTS = {"<<": ">>", ">>": "<<"}
ALL = {"adder", "comparison", "constant", "index", "logic", "mux", "reset", "shift", "width"}


def of_binary(left, op, right):
    if op in COMPARISONS:
        return [("comparison", f"{left} {other} {right}") for other in COMPARISONS[op]]
    for rule, others in (("adder", ADDERS), ("logic", LOGIC), ("shift", SHIFTS)):
        if op in others:
            return [(rule, f"{left} {others[op]} {right}")]
    return []


def of_unary(op, operand):
    """Returns faults that remove a negation or use another gate for a reduction."""
    if op in ("!", "~"):
        return [("logic", f"{'|' if op == '!' else ''}({operand})")]
    if op in ("|", "&", "^"):
        return [("logic", f"{'&' if op == '|' else '|'}({operand})")]
    return []


def of_choice(condition, yes, no):
    return [("mux", f"({condition}) ? ({no}) : ({yes})"), ("mux", f"({yes})"), ("mux", f"({no})")]


def of_condition(condition):
    return [("mux", f"!({condition})"), ("mux", "1'b0"), ("mux", "1'b1")]


def of_select(name, kind, first, second):
    """Returns faults that select bits next to name[first], name[first:second] or name[first+:second]."""
    if kind == "":
        return [("index", f"{name}[{neighbour}]") for neighbour in neighbours(first, "1")]
    if kind == ":":
        if not (first.isdigit() and second.isdigit()):
            return []
        high, low = int(first), int(second)
        faults = [("index", f"{name}[{high + 1}:{low + 1}]")]
        if low > 0:
            faults.append(("index", f"{name}[{high - 1}:{low - 1}]"))
        return faults
    return [("index", f"{name}[{neighbour}{kind}{second}]") for neighbour in neighbours(first, second)]


def width_of_select(kind, first, second):
    if kind == ":":
        return str(int(first) - int(second) + 1) if first.isdigit() and second.isdigit() else f"({first}-({second})+1)"
    return second if second.isidentifier() or second.isdigit() else f"({second})"


def neighbours(index, step):
    if index.isdigit():
        texts = [str(int(index) + 1)] if step == "1" else [f"{index} + {step}"]
        return texts + ([str(int(index) - 1)] if step == "1" and int(index) > 0 else [])
    return [f"{index} + {step}", f"{index} - {step}"]


def of_width(text, width):
    """Returns the fault that clears the top bit."""
    return [("width", f"({text}) & ({{{width}{{1'b1}}}} >> 1)")]


def of_value(target, text):
    """Returns the fault that clears the top bit of an assigned value, unless the value is
    constant."""
    constant = re.fullmatch(r"[\d'][\w']*|\{\d+'[bdh]0+,[^{}]*\}", text, re.S)
    if constant or target.startswith("{"):
        return []
    return of_width(text, f"$bits({target})")


def of_reset(target, text):
    return [("reset", f"~({text})"), ("reset", target)]


def of_number(text):
    """Returns faults that change a constant by one or invert it."""
    if text in ("'0", "'1"):
        return [("constant", "'1" if text == "'0" else "'0")]
    match = re.fullmatch(r"(?:(\d*)'[sS]?([bBdDhHoO]))?([0-9a-fA-F_]+)", text)
    if not match:
        return []
    base = {"b": 2, "o": 8, "d": 10, "h": 16}[(match.group(2) or "d").lower()]
    value = int(match.group(3).replace("_", ""), base)
    if not match.group(1):
        return [("constant", str(value + 1))]
    width = int(match.group(1))
    changed = {(value + 1) % 2**width, ~value % 2**width}
    return [("constant", f"{width}'d{other}") for other in sorted(changed)]
