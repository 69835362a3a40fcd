#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Single-fault variants of a SystemVerilog design, in one file, one of them selected at run time.

    mutate.py TOP OUTPUT.sv LIST.tsv INPUT.sv...

In OUTPUT every fault is a choice `levee_mutant_pkg::selected == N ? faulty : right`; the plusarg
+levee_mutant=N selects, 0 is the design as it is. LIST has a line for each: number, file:line, rule,
original and faulty text, divided by tabs. What is under `ifndef SYNTHESIS stays as it is.

Rules: comparison (another one), adder (+ and -), mux (swapped, stuck; also of an if), width (the top
bit of what is assigned lost, unless it is constant), constant (off by one, inverted), reset (inverted value, none).

Understands what a synthesisable design in lowRISC style is written in; refuses what it does not.
"""
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
BINARY = [["||"], ["&&"], ["|"], ["^", "~^"], ["&"], ["==", "!=", "===", "!=="], ["<", "<=", ">", ">="],
          ["<<", ">>", "<<<", ">>>"], ["+", "-"], ["*", "/", "%"], ["**"]]
PRECEDENCE = {op: level for level, ops in enumerate(BINARY) for op in ops}
UNARY = {"!", "~", "&", "|", "^", "+", "-", "~&", "~|", "~^"}
COMPARISONS = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="],
               "!=": ["=="]}
ADDERS = {"+": "-", "-": "+"}


class Token:
    def __init__(self, kind, text, start, end):
        self.kind, self.text, self.start, self.end = kind, text, start, end


class Node:
    """An expression: its extent in the source, its parts, the texts that it may be instead."""

    def __init__(self, start, end, parts=()):
        self.start, self.end, self.parts = start, end, list(parts)
        self.faults = []  # (rule, text)


class Source:
    """One file and the edits that make its faults."""

    def __init__(self, path, mutants):
        self.path, self.mutants = path, mutants
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.tokens = [Token(m.lastgroup, m.group(), m.start(), m.end())
                       for m in TOKEN.finditer(self.text) if m.lastgroup != "space"]
        self.tokens.append(Token("end", "", len(self.text), len(self.text)))
        self.at = 0
        self.edits = []  # (start, end, text), in order

    # Tokens.

    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)].text

    def take(self, expected=None):
        token = self.tokens[self.at]
        if expected is not None and token.text != expected:
            self.refuse(f"expected '{expected}'")
        self.at += 1
        return token

    def refuse(self, why):
        token = self.tokens[self.at]
        sys.exit(f"{self.path}:{self.line(token.start)}: {why}, found '{token.text}'")

    def line(self, position):
        return self.text.count("\n", 0, position) + 1

    def skip_balanced(self):
        """From an opening bracket to behind the one that closes it."""
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

    # Expressions.

    def expression(self):
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.take()
        yes = self.expression()
        self.take(":")
        no = self.expression()
        node = Node(condition.start, no.end, [condition, yes, no])
        c, y, n = (f"({self.source(part)})" for part in node.parts)
        node.faults = [("mux", f"{c} ? {n} : {y}"), ("mux", y), ("mux", n)]
        return node

    def binary(self, level):
        if level == len(BINARY):
            return self.unary()
        left = self.binary(level + 1)
        while PRECEDENCE.get(self.peek()) == level:
            op = self.take().text
            right = self.binary(level + 1)
            node = Node(left.start, right.end, [left, right])
            l, r = self.source(left), self.source(right)
            node.faults = [("comparison", f"{l} {other} {r}") for other in COMPARISONS.get(op, [])]
            if op in ADDERS:
                node.faults = [("adder", f"{l} {ADDERS[op]} {r}")]
            left = node
        return left

    def unary(self):
        if self.peek() in UNARY:
            op = self.take()
            operand = self.unary()
            return Node(op.start, operand.end, [operand])
        return self.primary()

    def primary(self):
        token = self.tokens[self.at]
        if token.kind == "number":
            return self.number()
        if token.text in ("(", "{"):
            node = self.brackets()
        elif token.kind == "word":
            node = self.name()
        else:
            self.refuse("expected an expression")
        while self.peek() == "[":  # a select: what is in it is mostly constant, and stays
            self.skip_balanced()
            node.end = self.tokens[self.at - 1].end
        return self.cast(node)

    def cast(self, node):
        if self.peek() != "'":
            return node
        self.take()
        inner = self.brackets()
        return Node(node.start, inner.end, [inner])

    def number(self):
        token = self.take()
        node = Node(token.start, token.end)
        if self.peek() == "'":
            return self.cast(node)
        text = token.text
        if text in ("'0", "'1"):
            node.faults = [("constant", "'1" if text == "'0" else "'0")]
            return node
        value = self.value(text)
        if value is None:
            return node
        size = text.split("'")[0] if "'" in text else ""
        if size == "1":
            node.faults = [("constant", f"1'd{1 - value}")]
        elif size:
            width = int(size)
            changed = {(value + 1) % 2**width, ~value % 2**width}
            node.faults = [("constant", f"{width}'d{other}") for other in sorted(changed)]
        else:
            node.faults = [("constant", str(value + 1))]
        return node

    @staticmethod
    def value(text):
        match = re.fullmatch(r"(?:\d*'[sS]?([bBdDhHoO]))?([0-9a-fA-F_]+)", text)
        if not match:
            return None
        base = {"b": 2, "o": 8, "d": 10, "h": 16}[(match.group(1) or "d").lower()]
        return int(match.group(2).replace("_", ""), base)

    def brackets(self):
        start = self.tokens[self.at]
        closing = ")" if self.take().text == "(" else "}"
        parts = []
        while self.peek() != closing:
            part = self.expression()
            if closing == "}" and self.peek() == "{":  # {count{value}}: the count is constant
                part = self.brackets()
            parts.append(part)
            if self.peek() == ",":
                self.take()
        end = self.take(closing)
        return Node(start.start, end.end, parts)

    def name(self):
        start = self.take()
        end = start
        while self.peek() in ("::", "."):
            self.take()
            end = self.take()
        node = Node(start.start, end.end)
        if self.peek() == "(":
            arguments = self.brackets()
            node = Node(start.start, arguments.end, [] if start.text == "$bits" else arguments.parts)
        return node

    # Statements.

    def statement(self, in_reset=False):
        text = self.peek()
        if text == "begin":
            self.take()
            if self.peek() == ":":
                self.take()
                self.take()
            while self.peek() != "end":
                self.statement(in_reset)
            self.take()
        elif text == "if":
            self.if_statement(in_reset)
        elif text in ("unique", "priority"):
            self.take()
            self.statement(in_reset)
        elif text in ("case", "casez"):
            self.case_statement(in_reset)
        elif text == "for":
            self.take()
            self.skip_balanced()
            self.statement(in_reset)
        elif text in ("logic", "int", "input", "bit", "automatic") or text == ";":
            self.skip_past(";")
        else:
            self.assignment(in_reset)

    def if_statement(self, in_reset):
        self.take("if")
        self.take("(")
        condition = self.expression()
        self.take(")")
        source = self.source(condition)
        is_reset = re.sub(r"\s", "", source) in ("!rst_ni", "~rst_ni")
        if not is_reset:
            condition.faults += [("mux", f"!({source})"), ("mux", "1'b0"), ("mux", "1'b1")]
            self.edit(condition)
        self.statement(in_reset or is_reset)
        if self.peek() == "else":
            self.take()
            self.statement(in_reset)

    def case_statement(self, in_reset):
        self.take()
        self.take("(")
        self.edit(self.expression())
        self.take(")")
        while self.peek() != "endcase":
            if self.peek() == "default":
                self.take()
            else:
                self.expression()
                while self.peek() == ",":
                    self.take()
                    self.expression()
            if self.peek() == ":":
                self.take()
            self.statement(in_reset)
        self.take()

    def assignment(self, in_reset=False):
        target = self.primary()
        if self.peek() not in ("=", "<="):
            self.refuse("expected an assignment")
        self.take()
        value = self.expression()
        left, right = self.source(target), self.source(value)
        whole = Node(value.start, value.end, [value])
        if in_reset:
            whole = Node(value.start, value.end)
            whole.faults = [("reset", f"~({right})"), ("reset", left)]
        elif not (left.startswith(("{", "unused_")) or self.has_no_top_bit(right)):
            whole.faults = [("width", f"({right}) & ({{$bits({left}){{1'b1}}}} >> 1)")]
        self.edit(whole)
        self.take(";")

    @staticmethod
    def has_no_top_bit(text):
        """A constant, or a concatenation that begins with zeroes."""
        return re.fullmatch(r"[\d'][\w']*|\{\d+'[bdh]0+,[^{}]*\}", text, re.S)

    # Modules.

    def scan(self):
        while self.tokens[self.at].kind != "end":
            token = self.tokens[self.at]
            if token.kind == "directive":
                self.directive()
            elif token.text == "assign":
                self.take()
                self.assignment()
            elif token.text in ("always_comb", "always_ff"):
                self.take()
                if self.peek() == "@":
                    self.take()
                    self.skip_balanced()
                self.statement()
            elif token.text == "function":
                self.skip_past(";")
                while self.peek() != "endfunction":
                    self.statement()
                self.take()
            elif token.text == "module":
                self.header()
            elif token.text == "#":
                self.take()
                if self.peek() == "(":
                    self.skip_balanced()
            elif token.text == "." and self.peek(2) == "(" and self.peek(3) != ")":
                self.at += 3
                self.edit(self.expression())
                self.take(")")
            else:
                self.take()

    def header(self):
        """Parameters and ports stay as they are."""
        while self.peek() != ";":
            if self.peek() == "(":
                self.skip_balanced()
            else:
                self.take()

    def directive(self):
        if self.take().text != "`ifndef":
            return
        if self.take().text == "SYNTHESIS":
            self.skip_past("`endif", "`else")

    # Faults.

    def edit(self, node):
        text = self.emit(node)
        if text != self.source(node):
            self.edits.append((node.start, node.end, text))

    def emit(self, node):
        """The node's text with its parts' faults and its own. A fault's text has none inside: only
        one is ever selected."""
        text, position = "", node.start
        for part in node.parts:
            text += self.text[position:part.start] + self.emit(part)
            position = part.end
        text += self.text[position:node.end]
        for rule, faulty in node.faults:
            number = self.mutants.add(self, node, rule, faulty)
            text = f"((levee_mutant_pkg::selected == {number}) ? ({faulty}) : ({text}))"
        return text

    def mutated(self, top):
        self.scan()
        text, position = "", 0
        for start, end, new in sorted(self.edits):
            text += self.text[position:start] + new
            position = end
        text += self.text[position:]
        select = ('  initial if (!$value$plusargs("levee_mutant=%d", levee_mutant_pkg::selected))\n'
                  "    levee_mutant_pkg::selected = 0;\n")
        found = re.search(rf"\bmodule\s+{top}\b.*?(?=^endmodule)", text, re.S | re.M)
        return text if not found else text[:found.end()] + select + text[found.end():]


class Mutants:
    def __init__(self):
        self.lines = []

    def add(self, source, node, rule, faulty):
        number = len(self.lines) + 1

        def flat(text):
            return re.sub(r"\s+", " ", text)
        name = re.sub(r".*/rtl/", "", source.path)
        self.lines.append("\t".join([str(number), f"{name}:{source.line(node.start)}", rule,
                                     flat(source.source(node)), flat(faulty)]))
        return number


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    top, output, listing, inputs = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    mutants = Mutants()
    designs = [Source(path, mutants).mutated(top) for path in inputs]
    with open(output, "w", encoding="utf-8") as file:
        file.write("package levee_mutant_pkg;\n  int unsigned selected;\nendpackage\n\n")
        file.write("\n".join(designs))
    with open(listing, "w", encoding="utf-8") as file:
        file.write("\n".join(mutants.lines) + "\n")


if __name__ == "__main__":
    main()
