#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks each rule of includes.py once, in a small tree of its own, and expects includes.py to name it."""
import subprocess
import sys
import tempfile
from pathlib import Path

CHECK = Path(__file__).with_name("includes.py")
TREE = {
    "core/CMakeLists.txt": "# In this order: units, config.\n",
    "core/units/clock.hpp": "#pragma once\n",
    "core/config/node.hpp": '#include "core/units/clock.hpp"\n',
    "ip/low/README.md": "# low\n",
    "ip/low/model.hpp": '#include "core/units/clock.hpp"\n',
    "ip/low/declaration.hpp": '{.type = "low"};\n',
    "ip/high/README.md": "# high\n\n* **Includes** `ip/low`.\n",
    "ip/high/module.cpp": '#include "ip/low/model.hpp"\n#include "core/config/node.hpp"\n',
    "firmware/cache/tables.c": '#include "firmware/cache/tables.h"\n',
    "firmware/cache/slots.c": '#include "firmware/cache/slots.h"\n#include "firmware/cache/tables.h"\n',
    "ip/sram/README.md": "# sram\n",
    "platform/CMakeLists.txt": "add_subdirectory(input)   # first\nadd_subdirectory(observe) # second\n",
    "platform/input/reader.hpp": '#include "core/config/node.hpp"\n',
    "platform/observe/watch.cpp": '#include "platform/input/reader.hpp"\n#include "ip/sram/module.hpp"\n',
}
BROKEN = [  # file, text, what is said of it
    ("core/units/clock.hpp", '#include "core/config/node.hpp"\n', 'includes "core/config/node.hpp", but core/units knows only'),
    ("core/config/node.hpp", '#include "ip/low/model.hpp"\n', "core/config knows only"),
    ("core/config/node.hpp", '#include "platform/input/reader.hpp"\n', "core/config knows only"),
    ("ip/low/component.cpp", '#include "platform/input/reader.hpp"\n', "ip/low/README.md names only"),
    ("ip/low/model.hpp", '#include "ip/high/model.hpp"\n', "ip/low/README.md names only"),
    ("ip/low/README.md", "* **Includes** `ip/high`.\n", "in a circle"),
    ("ip/low/model.hpp", "#include <systemc>\n", "a reference"),
    ("firmware/cache/tables.h", '#include "firmware/cache/slots.h"\n', "firmware/cache: files include each other in a circle"),
    ("platform/input/reader.hpp", '#include "platform/observe/watch.hpp"\n', "platform/input comes before it"),
    ("platform/input/reader.hpp", '#include "ip/low/model.hpp"\n', "the platform knows no component"),
    ("platform/input/reader.hpp", 'bool is = type == "low";\n', "names the component 'low'"),
]


def check(changes):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**TREE, **changes}.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr


code, text = check({})
assert code == 0, text
for name, content, said in BROKEN:
    code, text = check({name: content})
    assert code == 1 and said in text, f"{name} with {content!r}: expected {said!r}, got\n{text}"
