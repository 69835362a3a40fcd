# SPDX-License-Identifier: Apache-2.0
"""Finds the longest paths of a mapped netlist (Yosys' JSON) to each register and output of each module.

Modules are kept separate. One that is used 128 times is mapped once, and evaluated once for each set of arrival
times at its inputs.
"""
import json
import re

GATES = {"$_NOT_", "$_NAND_", "$_NOR_", "$_XOR_", "$_XNOR_", "$_MUX_"}
REGISTER = re.compile(r"\$_S?DFF")
BEGIN = (0.0, 0)  # delay and number of gates


def later(first, second):
    """Returns the larger delay and the larger number of gates, which may belong to different paths."""
    return max(first[0], second[0]), max(first[1], second[1])


class Module:
    """A module's gates in the order of evaluation, its registers, and its instances."""

    def __init__(self, name, description):
        self.name = re.sub(r"^\$paramod[^\\]*\\", "", name).split("\\")[0]
        self.ports = description["ports"]
        self.instances, self.registers, gates = [], [], {}
        names = self.register_names(description)
        for cell in description["cells"].values():
            pins, kind = cell["connections"], cell["type"]
            if kind in GATES:
                inputs = [bit for pin, bits in pins.items() if pin != "Y" for bit in bits]
                gates[pins["Y"][0]] = (kind, inputs)
            elif REGISTER.match(kind):
                ends = [bit for pin, bits in pins.items() if pin not in ("C", "Q") for bit in bits]
                self.registers.append((names.get(pins["Q"][0], "?"), pins["Q"][0], ends))
            elif kind.startswith("$_"):
                raise ValueError(f"{self.name}: has a cell of the unknown type {kind}")
            else:
                self.instances.append((kind, pins))
        self.gates = self.in_order(gates)

    @staticmethod
    def register_names(description):
        names = {}
        for name, net in description["netnames"].items():
            for bit in net["bits"]:
                if not net.get("hide_name") and (bit not in names or name.endswith("_q")):
                    names[bit] = re.sub(r"\[\d+\]", "", name)
        return names

    @staticmethod
    def in_order(gates):
        order, seen = [], set()
        for output in gates:
            stack = [output]
            while stack:
                bit = stack[-1]
                waiting = [] if bit in seen else [i for i in gates[bit][1] if i in gates and i not in seen]
                if waiting:
                    stack += waiting
                    continue
                stack.pop()
                if bit not in seen:
                    seen.add(bit)
                    order.append((bit, *gates[bit]))
        return order


class Netlist:
    """`delay_of` maps each type of gate to its delay."""

    def __init__(self, path, top, delay_of):
        with open(path, encoding="utf-8") as file:
            modules = json.load(file)["modules"]
        self.modules = {name: Module(name, description) for name, description in modules.items()}
        self.top = self.modules[top]
        self.delay_of = delay_of
        self.stages = {}  # (module, register or output) -> delay, gates
        self.done = {}
        for name, arrival in self.evaluate(self.top, {}).items():
            self.end((self.top.name, name), arrival)

    def end(self, stage, arrival):
        self.stages[stage] = later(self.stages.get(stage, BEGIN), arrival)

    def evaluate(self, module, inputs):
        """Returns the latest arrival at each output port. `inputs` has the arrivals at each bit of the input ports."""
        key = (id(module), tuple(sorted(inputs.items())))
        if key not in self.done:
            arrivals = dict(inputs)
            while self.relax(module, arrivals):
                pass
            for name, _, ends in module.registers:
                for bit in ends:
                    self.end((module.name, name), arrivals.get(bit, BEGIN))
            self.done[key] = arrivals
        arrivals = self.done[key]
        return {name: self.latest(arrivals, port["bits"])
                for name, port in module.ports.items() if port["direction"] == "output"}

    @staticmethod
    def latest(arrivals, bits):
        found = BEGIN
        for bit in bits:
            found = later(found, arrivals.get(bit, BEGIN))
        return found

    def relax(self, module, arrivals):
        """Evaluates gates, then instances. Returns whether an instance's output now arrives later."""
        for output, kind, bits in module.gates:
            delay, gates = self.latest(arrivals, bits)
            arrivals[output] = (delay + self.delay_of[kind], gates + 1)
        changed = False
        for kind, pins in module.instances:
            child = self.modules[kind]
            inputs = {own: arrivals[bit]
                      for name, port in child.ports.items() if port["direction"] == "input"
                      for own, bit in zip(port["bits"], pins.get(name, [])) if arrivals.get(bit, BEGIN) != BEGIN}
            for name, arrival in self.evaluate(child, inputs).items():
                for bit in pins.get(name, []):
                    if later(arrivals.get(bit, BEGIN), arrival) != arrivals.get(bit, BEGIN):
                        arrivals[bit] = later(arrivals.get(bit, BEGIN), arrival)
                        changed = True
        return changed
