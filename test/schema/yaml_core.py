# SPDX-License-Identifier: Apache-2.0
"""Reads YAML as the program and editors do, by YAML 1.2's core schema: plain booleans, null and numbers have these
types, and everything else, including keys, is text. The program differs from the core schema only in `.inf` and
`.nan`, which no key accepts."""
import re

import yaml


class Loader(yaml.SafeLoader):
    """PyYAML without the words and numbers of YAML 1.1, such as `off`, `yes`, `1:30` and `0b1`."""
    yaml_implicit_resolvers = {}

    def construct_map(self, node):
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}

    def construct_boolean(self, node):
        return node.value.lower() == "true"

    def construct_number(self, node):
        return float(node.value) if re.search(r"[.eE]", node.value) else int(node.value)

    def construct_based(self, node):
        return int(node.value, 0)


for tag, pattern, first in (
        ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
        ("null", r"null|Null|NULL|~|", ["n", "N", "~", ""]),
        ("int", r"0o[0-7]+|0x[0-9a-fA-F]+", "0"),
        ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789")):
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"(?:{pattern})$"), list(first))
Loader.add_constructor("tag:yaml.org,2002:bool", Loader.construct_boolean)
Loader.add_constructor("tag:yaml.org,2002:int", Loader.construct_based)
Loader.add_constructor("tag:yaml.org,2002:float", Loader.construct_number)
Loader.add_constructor("tag:yaml.org,2002:map", Loader.construct_map)


def load(text):
    return yaml.load(text, Loader)
