#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""includes.py [FOLDER]: checks the direction of includes in FOLDER, by default the source tree.

core/FOLDER      includes core folders that core/CMakeLists.txt lists before it, and itself; nothing else
ip/BLOCK         includes core, itself, and the blocks that its README.md names in the item
                 "**Includes**"; no two blocks include each other, also not by way of others
platform/FOLDER  includes core, platform folders that platform/CMakeLists.txt adds before it, itself, and
                 of ip only what every system has; it names no other type of component
firmware/FOLDER  no two files of a folder include each other, also not by way of others; a header and the
                 source of its name are one
references       (ip/*/model.*) and what they include know nothing of SystemC
"""
import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent.parent)
# The parts that the platform itself puts into each system.
EVERY_SYSTEM = {"bus", "hostlink", "riscv", "sram", "interleave", "sync", "uart"}
SOURCES = (".c", ".h", ".cpp", ".hpp")
# Libraries of ip/ that are no component: operations whose decisions are recorded and replayed.
OBSERVED = {"observe": {"kv_tables"}}
faults = []


def sources(folder):
    return sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in SOURCES)


def includes(path, pattern=r'^\s*#include "([^"]+)"'):
    return re.findall(pattern, path.read_text(), re.MULTILINE)


def report(path, included, rule):
    faults.append(f'{path.relative_to(ROOT)}: includes "{included}", but {rule}')


def folder_of(included, depth):
    return "/".join(included.split("/")[:depth])


def listed(path, pattern):
    """Words of all matches in a file, in order."""
    text = path.read_text() if path.exists() else ""
    return [word for match in re.findall(pattern, text, re.MULTILINE) for word in match.split()]


def check_core():
    order = listed(ROOT / "core/CMakeLists.txt", r"^# In this order: ([a-z, ]+)\.$")
    order = [word.strip(",") for word in order]
    for place, name in enumerate(order):
        allowed = {f"core/{other}" for other in order[: place + 1]}
        for path in sources(f"core/{name}"):
            for included in includes(path):
                if "/" in included and folder_of(included, 2) not in allowed:
                    report(path, included, f"core/{name} knows only {', '.join(sorted(allowed))}")


def named_in_readme(block):
    item = re.search(r"^\* \*\*Includes\*\*(.*?)^(?:\* |\n|\Z)", (ROOT / f"ip/{block}/README.md").read_text(),
                     re.MULTILINE | re.DOTALL)
    return set(re.findall(r"ip/([a-z_0-9]+)", item.group(1))) - {block} if item else set()


def check_blocks():
    blocks = sorted(path.name for path in (ROOT / "ip").iterdir() if path.is_dir())
    graph = {block: named_in_readme(block) for block in blocks}
    for block in blocks:
        allowed = {"core", f"ip/{block}"} | {f"ip/{other}" for other in graph[block]}
        for path in sources(f"ip/{block}"):
            for included in includes(path):
                if "/" in included and not {folder_of(included, 1), folder_of(included, 2)} & allowed:
                    report(path, included, f"ip/{block}/README.md names only: {', '.join(sorted(allowed))}")
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        faults.append(f"ip/*/README.md: blocks include each other in a circle: {', '.join(error.args[1])}")


def types_of_components():
    found = {}
    for path in sources("ip"):
        if path.name == "declaration.hpp":
            for name in re.findall(r'\.type = "([a-z_0-9]+)"', path.read_text()):
                found[name] = path.parent.name
    return {name for name, block in found.items() if block not in EVERY_SYSTEM}


def check_platform():
    later = listed(ROOT / "platform/CMakeLists.txt", r"^add_subdirectory\(([a-z]+)\)")
    types = types_of_components()
    for name in list(later):
        later.remove(name)
        for path in sources(f"platform/{name}"):
            for included in includes(path):
                if folder_of(included, 2) in {f"platform/{other}" for other in later}:
                    report(path, included, f"platform/{name} comes before it")
                if included.startswith("ip/") and included.split("/")[1] not in EVERY_SYSTEM | OBSERVED.get(name, set()):
                    report(path, included, "the platform knows no component")
            code = re.sub(r"//.*|^\s*#include.*", "", path.read_text(), flags=re.MULTILINE)
            for word in sorted(types & set(re.findall(r"['\"]([a-z_0-9]+)['\"]", code))):
                faults.append(f"{path.relative_to(ROOT)}: names the component '{word}'")


def check_firmware():
    for folder in sorted((ROOT / "firmware").glob("*/")):
        place = folder.relative_to(ROOT)
        graph = {}
        for path in sources(place):
            name = str(path.relative_to(ROOT).with_suffix(""))
            others = {str(Path(included).with_suffix("")) for included in includes(path)}
            graph.setdefault(name, set()).update(other for other in others - {name} if other.startswith(f"{place}/"))
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            faults.append(f"{place}: files include each other in a circle: {', '.join(error.args[1])}")


def check_references():
    seen, todo = set(), sorted((ROOT / "ip").glob("*/model.[ch]pp"))
    while todo:
        path = todo.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        for included in includes(path, r"^\s*#include <(systemc|tlm|tlm_utils/.*)>"):
            report(path, included, "a reference (ip/*/model.*) includes it")
        todo += [ROOT / included for included in includes(path)]


check_core()
check_blocks()
check_platform()
check_firmware()
check_references()
print("\n".join(faults), end="\n" if faults else "")
sys.exit(bool(faults))
