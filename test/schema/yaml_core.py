# SPDX-License-Identifier: Apache-2.0
"""YAML as the program reads it (YAML 1.2): plain true, false, null and numbers are such, all else is text, keys too."""
import re

import yaml


class Loader(yaml.SafeLoader):
    """PyYAML without the words and numbers of YAML 1.1: `off`, `yes`, `1:30`, `0b1`."""
    yaml_implicit_resolvers = {}

    def construct_map(self, node):
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}

    def construct_number(self, node):
        return float(node.value) if re.search(r"[.eE]", node.value) else int(node.value)


for tag, pattern, first in (
        ("bool", r"true|false", "tf"),
        ("null", r"null|~|", ["n", "~", ""]),
        ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789")):
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"(?:{pattern})$"), list(first))
Loader.add_constructor("tag:yaml.org,2002:float", Loader.construct_number)
Loader.add_constructor("tag:yaml.org,2002:map", Loader.construct_map)


def load(text):
    return yaml.load(text, Loader)
