# SPDX-License-Identifier: Apache-2.0
"""Expressions, with the faults that the rules find in them."""
import rules
from tokens import Node, Source

BINARY = [["||"], ["&&"], ["|"], ["^", "~^"], ["&"], ["==", "!=", "===", "!=="], ["<", "<=", ">", ">="],
          ["<<", ">>", "<<<", ">>>"], ["+", "-"], ["*", "/", "%"], ["**"]]
PRECEDENCE = {op: level for level, ops in enumerate(BINARY) for op in ops}
UNARY = {"!", "~", "&", "|", "^", "+", "-", "~&", "~|", "~^"}


class Expressions(Source):
    def expression(self):
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.take()
        yes = self.expression()
        self.take(":")
        no = self.expression()
        node = Node(condition.start, no.end, [condition, yes, no])
        node.faults = rules.of_choice(*(self.source(part) for part in node.parts))
        return node

    def binary(self, level):
        if level == len(BINARY):
            return self.unary()
        left = self.binary(level + 1)
        while PRECEDENCE.get(self.peek()) == level:
            op = self.take().text
            right = self.binary(level + 1)
            node = Node(left.start, right.end, [left, right])
            node.faults = rules.of_binary(self.source(left), op, self.source(right))
            left = node
        return left

    def unary(self):
        if self.peek() not in UNARY:
            return self.primary()
        op = self.take()
        operand = self.unary()
        node = Node(op.start, operand.end, [operand])
        node.faults = rules.of_unary(op.text, self.source(operand))
        return node

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
        while self.peek() == "[":
            node = self.select(node)
        return self.cast(node)

    def select(self, node):
        """Reads a select. The contents of the brackets are mostly constant and stay unchanged, but a neighbour may
        replace the whole select."""
        self.take("[")
        first = self.expression()
        kind, second = "", None
        if self.peek() in (":", "+:", "-:"):
            kind = self.take().text
            second = self.expression()
        end = self.take("]")
        whole = Node(node.start, end.end)
        whole.faults = rules.of_select(self.source(node), kind, self.source(first),
                                       second and self.source(second))
        if kind:
            bounds = kind, self.source(first), self.source(second)
            whole.faults += rules.of_width(self.source(whole), rules.width_of_select(*bounds))
        return whole

    def cast(self, node):
        if self.peek() != "'":
            return node
        self.take()
        inner = self.brackets()
        whole = Node(node.start, inner.end, [inner])
        if not self.source(inner)[1:-1].isdigit():
            whole.faults = rules.of_width(self.source(whole), self.source(node))
        return whole

    def number(self):
        token = self.take()
        node = Node(token.start, token.end)
        if self.peek() == "'":
            return self.cast(node)
        node.faults = rules.of_number(token.text)
        return node

    def brackets(self):
        start = self.tokens[self.at]
        closing = ")" if self.take().text == "(" else "}"
        parts = []
        while self.peek() != closing:
            part = self.expression()
            if closing == "}" and self.peek() == "{":  # In {count{value}} the count is constant.
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
