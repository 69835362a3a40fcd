# SPDX-License-Identifier: Apache-2.0
"""Statements and modules: where expressions can be faulty."""
import re

import rules
from expressions import Expressions
from tokens import Node


class Design(Expressions):
    """One file and the edits that create its faults."""

    def __init__(self, path, mutants):
        super().__init__(path)
        self.mutants = mutants
        self.edits = []  # (start, end, text), in order

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
        start = self.take("if").start
        self.take("(")
        condition = self.expression()
        self.take(")")
        source = self.source(condition)
        is_reset = re.sub(r"\s", "", source) in ("!rst_ni", "~rst_ni")
        if not is_reset:
            condition.faults += rules.of_condition(source)
            self.edit(condition, start, self.last_end())
        self.statement(in_reset or is_reset)
        if self.peek() == "else":
            self.take()
            self.statement(in_reset)

    def case_statement(self, in_reset):
        start = self.take().start
        self.take("(")
        subject = self.expression()
        self.take(")")
        self.edit(subject, start, self.last_end())
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
        if left.startswith("unused_"):  # the name states that the signal is unused
            self.take(";")
            return
        whole = Node(value.start, value.end, [value])
        if in_reset:
            whole = Node(value.start, value.end)
            whole.faults = rules.of_reset(left, right)
        else:
            whole.faults = rules.of_value(left, right)
        self.edit(whole, target.start, value.end)
        self.take(";")

    def connection(self):
        """Reads the driver of an input port. An output's connection is not an expression."""
        start = self.take(".").start
        if self.take().text.endswith("_o"):
            return
        self.take("(")
        value = self.expression()
        self.take(")")
        self.edit(value, start, self.last_end())

    def scan(self):
        """Visits all modules of the file. Parameters, ports and declarations stay unchanged."""
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
                self.connection()
            else:
                self.take()

    def header(self):
        while self.peek() != ";":
            if self.peek() == "(":
                self.skip_balanced()
            else:
                self.take()

    def directive(self):
        """Skips assertions, which stay unchanged."""
        name = self.take().text
        if name == "`ifdef" and self.peek() == "INC_ASSERT":
            self.skip_past("`endif")
        elif self.peek() == "(":
            self.skip_balanced()

    def edit(self, node, start, end):
        """Replaces a node by a choice between its text and its faults. `start` and `end`
        are the bounds of the statement."""
        place = self.mutants.place(self.path, self.text[start:end])
        text = self.emit(node, place)
        if text != self.source(node):
            self.edits.append((node.start, node.end, text))

    def emit(self, node, place):
        """Returns the node's text with its own faults and those of its parts. A fault's text contains no other
        fault, since only one is selected at a time."""
        text, position = "", node.start
        for part in node.parts:
            text += self.text[position:part.start] + self.emit(part, place)
            position = part.end
        text += self.text[position:node.end]
        for rule, faulty in node.faults:
            number = self.mutants.add(place, rule, self.source(node), faulty)
            text = f"((levee_mutant_pkg::selected == {number}) ? ({faulty}) : ({text}))"
        return text

    def mutated(self, top):
        """Returns the file's text. If the file has the module `top`, the plusarg is read there."""
        self.scan()
        text, position = "", 0
        for start, end, new in sorted(self.edits):
            text += self.text[position:start] + new
            position = end
        text += self.text[position:]
        if not top:
            return text
        select = ('  initial if (!$value$plusargs("levee_mutant=%d", levee_mutant_pkg::selected))\n'
                  "    levee_mutant_pkg::selected = 0;\n")
        found = re.search(rf"\bmodule\s+{top}\b.*?(?=^endmodule)", text, re.S | re.M)
        return text if not found else text[:found.end()] + select + text[found.end():]
