# SPDX-License-Identifier: Apache-2.0
"""Tokens of SystemVerilog sources, with their positions."""
import re
import sys

TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<number>\d*'[sS]?[bBdDhHoO][0-9a-fA-FxXzZ_?]+|'[01xXzZ](?!\w)|\d[\d_]*)"
    r"|(?P<word>[A-Za-z_$][\w$]*)"
    r"|(?P<directive>`\w+)"
    r"|(?P<string>\"[^\"]*\")"
    r"|(?P<op><<<|>>>|===|!==|\|->|\|=>|<<|>>|<=|>=|==|!=|&&|\|\||::|\+:|-:|\+\+|--|~\^|~&|~\||\*\*|.)",
    re.S)


class Token:
    def __init__(self, kind, text, start, end):
        self.kind, self.text, self.start, self.end = kind, text, start, end


class Node:
    """An expression: its range in the source, its parts, and the texts that may replace it."""

    def __init__(self, start, end, parts=()):
        self.start, self.end, self.parts = start, end, list(parts)
        self.faults = []  # (rule, text)


class Source:
    """One file and a position in it."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.tokens = [Token(m.lastgroup, m.group(), m.start(), m.end())
                       for m in TOKEN.finditer(self.text) if m.lastgroup != "space"]
        self.tokens.append(Token("end", "", len(self.text), len(self.text)))
        self.at = 0

    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)].text

    def take(self, expected=None):
        token = self.tokens[self.at]
        if expected is not None and token.text != expected:
            self.refuse(f"expected '{expected}'")
        self.at += 1
        return token

    def last_end(self):
        """Returns the end of the token before this position."""
        return self.tokens[self.at - 1].end

    def refuse(self, why):
        token = self.tokens[self.at]
        line = self.text.count("\n", 0, token.start) + 1
        sys.exit(f"{self.path}:{line}: {why}, found '{token.text}'")

    def skip_balanced(self):
        """Skips from an opening bracket to the position after its closing one."""
        depth = 0
        while True:
            text = self.take().text
            depth += (text in "([{") - (text in ")]}") if text else 0
            if depth == 0:
                return
            if self.at >= len(self.tokens):
                self.refuse("a bracket is not closed")

    def skip_past(self, *texts):
        while self.tokens[self.at].kind != "end" and self.take().text not in texts:
            pass

    def source(self, node):
        return self.text[node.start:node.end]
