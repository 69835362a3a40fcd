#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""includes.py [FOLDER]: checks the direction of includes in FOLDER, by default the source tree.

core/FOLDER      includes core folders that core/CMakeLists.txt lists before it, and itself; nothing else
ip/BLOCK         includes core, itself, and the files of other blocks that its README.md names in the item
                 "**Includes**", each of which it does include; no two blocks include each other, also not by
                 way of others
platform/FOLDER  includes core, platform folders that platform/CMakeLists.txt adds before it, itself,
                 firmware/policies and machines, and of ip only the files listed below, each of which it does
                 include
core, platform   name no type of component but those that every system has, neither in texts nor within
                 identifiers; that is also how a library of a component would be linked
core, ip         declare nothing of the platform ahead: neither its types nor in its namespaces
CMakeLists.txt   name files of their own folder alone; those of core and ip link only libraries of what their
                 sources may include
firmware/FOLDER  includes firmware (which folders of it: firmware/CMakeLists.txt), core/abi, and plain C of
                 ip; no two files of a folder include each other, also not by way of others; a file is
                 one with the headers whose functions it defines
references       (ip/*/model.*) and what they include know nothing of SystemC
"""
import functools
import os
import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent.parent)
# Files of the components that the platform itself puts into each system. docs/architecture.md gives the reasons.
EVERY_SYSTEM = {
    "bus": {"declaration.hpp", "module.hpp"},
    "hostlink": {"marked_part.hpp", "module.hpp", "regs.h"},
    "interleave": {"model.hpp", "module.hpp"},
    "riscv": {"bits.hpp", "clint.hpp", "clock.hpp", "config.hpp", "core.hpp", "csr.hpp", "declaration.hpp",
              "decode.hpp", "hart.hpp", "plic.hpp"},
    "sram": {"module.hpp"},
    "sync": {"regs.h"},
    "uart": {"module.hpp", "regs.h"},
}
SOURCES = (".c", ".h", ".cpp", ".hpp")
OTHER_SOURCES = (".C", ".H", ".c++", ".cc", ".cppm", ".cxx", ".def", ".hh", ".hxx", ".inc", ".inl", ".ipp", ".ixx",
                 ".tpp")
NAMING = (*SOURCES, ".cmake", ".css", ".html", ".js", ".json", ".jsx", ".list", ".mjs", ".py", ".ts", ".tsx",
          ".txt", ".yaml") # .txt is the suffix of CMakeLists.txt
PROJECT = ROOT / "platform" / "front" / "init" / "project"  # Files for a user, copied by `levee init`.
FOLDERS = ("core", "firmware", "ip", "platform", "rtl", "test")
# Matches names in quotes, names of the tree in angle brackets, and names relative to the file.
DIRECTIVE = r"^\s*(?:#|%:)\s*(?:include|include_next|import|embed)\b\s*"
INCLUDE = DIRECTIVE + r'(?:"([^"]+)"|<((?:\.|' + "|".join(FOLDERS) + r')[^>]*/[^>]+)>)'
INDIRECT = DIRECTIVE + r'((?!LEVEE_DESIGN_)[^"<\s].*)' # Excludes the design that a build selects.
# Matches a string literal, or a comment that does not begin inside a string literal.
TEXT_OR_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')|//[^\n]*|/\*.*?\*/', re.DOTALL)
RAW_TEXT = re.compile(r'\b(?:u8|[uUL])?R"([^\s()\\"]{0,16})\((.*?)\)\1"', re.DOTALL)
# Matches characters in string literals that are written by number, and the separators between parts
# of one literal or name.
ESCAPE = re.compile(r"\\(?:x\{?([0-9a-fA-F]+)\}?|u\{?([0-9a-fA-F]{2,4})\}?|U([0-9a-fA-F]{8})|o?\{?([0-7]{1,3})\}?)")
SEAM = re.compile(r"""(["'`])(?:sv?\b)?\)?\s*(?:[,+]\s*|;\s*\w+\s*\+=\s*|(?:;\s*\w+\s*)?\.append\(\s*)?"""
                  r"""(?:std::string(?:_view)?[({]\s*)?(?:u8|[uUL])?\1|\s*##\s*""")
NUMBERS = re.compile(r"\b(?:\d{2,3}\s*,\s*){2,}\d{1,3}\b")      # Finds characters written by their numbers.
# Finds names that a macro joins from parts.
PASTED = re.compile(r"\b[A-Z][A-Z0-9_]+\(\s*(\w+)\s*,[^\w\n()]*(?:[A-Z][A-Z0-9_]+\(\s*)?(\w+)\b")
# Namespaces of core. A component has its folder's namespace in addition.
CORE_NAMESPACES = {"config", "cosim", "own_rtl", "tables", "LEVEE_DESIGN_NAMESPACE"}
TYPE = (r"\b(?:class|struct|union|enum|enum class|enum struct)\s+(?:\[\[.*?\]\]\s*|alignas\([^)]*\)\s*)*"
        r"(?:\w+::)*(\w+)")
# Libraries of ip/ that are not components: operations whose decisions are recorded and replayed.
OBSERVED = {"observe": {"kv_tables": {"decided.hpp", "drawn_cache.hpp", "model.hpp"}}}
# Names in other programs' formats.
FOREIGN = r"\buse_flash_att(?:n|ention|ention_2)\b"
faults = []


def sources(folder, suffixes=SOURCES):
    return sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in suffixes)


def in_tree(path, included):
    """Returns the file's path from the root, even if the include is relative to `path`."""
    if not included.startswith("."):
        return os.path.normpath(included)
    return str(Path(os.path.normpath(path.parent / included)).relative_to(ROOT))


def plain_text(raw):
    return '"' + re.sub(r'["\\\n]', " ", raw.group(2)) + '"'


def character(escape):
    digits, base = next((part, base) for part, base in zip(escape.groups(), (16, 16, 16, 8)) if part)
    number = int(digits, base)
    return chr(number) if number < 0x80 and re.match(r"\w", chr(number)) else " "


def spelt_out(code):
    """Returns the code with numbered characters decoded, and with parts of texts and names joined."""
    code = NUMBERS.sub(lambda match: spelt_by_numbers(match.group()), ESCAPE.sub(character, code))
    return SEAM.sub("", code) + "".join(f"\n{one}{other}" for one, other in PASTED.findall(code))


def spelt_by_numbers(numbers):
    letters = [chr(int(number)) for number in re.findall(r"\d+", numbers) if int(number) < 0x80]
    return '"' + "".join(re.sub(r"\W", " ", letter) for letter in letters) + '"'


@functools.cache
def code_of(path):
    """Returns a file's text in whole lines, without comments."""
    text = RAW_TEXT.sub(plain_text, path.read_text()).replace("\\\n", "")
    if path.suffix == ".txt":
        return re.sub(r"#.*", "", text)
    return TEXT_OR_COMMENT.sub(lambda match: match.group(1) or " ", text)


def includes(path, pattern=INCLUDE):
    matches = re.findall(pattern, code_of(path), re.MULTILINE)
    return [in_tree(path, "".join(match)) for match in matches]


def report(path, included, rule):
    faults.append(f'{path.relative_to(ROOT)}: includes "{included}", but {rule}')


def folder_of(included, depth):
    return "/".join(included.split("/")[:depth])


def listed(path, pattern):
    """Returns the words of all matches in a file, in order."""
    text = path.read_text() if path.exists() else ""
    return [word for match in re.findall(pattern, text, re.MULTILINE) for word in match.split()]


def check_order(folder, order):
    """Checks that the order lists each folder with sources exactly once. Otherwise a folder would not be
    checked."""
    folders = sorted({path.relative_to(ROOT).parts[1] for path in sources(folder) if path.parent != ROOT / folder})
    if sorted(order) != folders:
        faults.append(f"{folder}/CMakeLists.txt: the order has {', '.join(order)}, but the folders are "
                      f"{', '.join(folders)}")


def check_core():
    order = listed(ROOT / "core/CMakeLists.txt", r"^# In this order: ([a-z, ]+)\.$")
    order = [word.strip(",") for word in order]
    check_order("core", order)
    for place, name in enumerate(order):
        allowed = {f"core/{other}" for other in order[: place + 1]}
        for path in sources(f"core/{name}"):
            for included in includes(path):
                if "/" in included and folder_of(included, 2) not in allowed:
                    report(path, included, f"core/{name} knows only {', '.join(sorted(allowed))}")


def named_in_readme(block):
    readme = ROOT / f"ip/{block}/README.md"
    text = readme.read_text() if readme.exists() else ""
    item = re.search(r"^\* \*\*Includes\*\*(.*?)^(?:\* |\n|\Z)", text, re.MULTILINE | re.DOTALL)
    return set(re.findall(r"ip/[a-z_0-9]+/[a-z_0-9./]+", item.group(1))) if item else set()


def check_blocks():
    blocks = sorted(path.name for path in (ROOT / "ip").iterdir() if path.is_dir())
    graph = {}
    for block in blocks:
        if not (ROOT / f"ip/{block}/README.md").exists():
            faults.append(f"ip/{block}: has no README.md, which every component has")
        named = named_in_readme(block)
        graph[block] = {name.split("/")[1] for name in named} - {block}
        allowed = {"core", f"ip/{block}"} | named
        unused = set(named)
        for path in sources(f"ip/{block}"):
            for included in includes(path):
                unused.discard(included)
                if "/" in included and not {folder_of(included, 1), folder_of(included, 2), included} & allowed:
                    report(path, included, f"ip/{block}/README.md names only: {', '.join(sorted(allowed))}")
        for name in sorted(unused):
            faults.append(f"ip/{block}/README.md: names {name}, which the block does not include")
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


def words_of_texts(code):
    """Returns the words inside string literals."""
    texts = [one or other for one, other in re.findall(r'"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'', code)]
    return set(re.findall(r"[a-z_0-9]+", "\n".join(texts)))


def named_within(types, code):
    """Returns the types that are whole words of names or prose, as in EDRAM_ROWS, edramRows, "eDRAMs" or "voting
    engine"."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", code).lower() + code.lower()
    words = {name: name.replace("_", "[-_ ]") for name in types}
    return {name for name in types if re.search(rf"(?<![a-z0-9]){words[name]}s?(?![a-z0-9])", apart)}


def check_names():
    """Checks that core and platform name no type of component. A policy of the cache (kv_cache.NAME) is not a
    component, and may share a component's name."""
    types = types_of_components()
    policies = set(listed(ROOT / "firmware/policies/policies.c", r'\.name = "([a-z_0-9]+)"'))
    for path in sources("core", NAMING) + sources("platform", NAMING):
        if path.is_relative_to(PROJECT):
            continue
        code = re.sub(INCLUDE + r".*|\bkv_cache\.\w+|" + FOREIGN, "", code_of(path), flags=re.MULTILINE)
        whole = spelt_out(code)
        # Names that a macro may turn into strings.
        made_text = set(re.findall(r"\b[A-Z][A-Z0-9_]+\(\s*(\w+)\s*\)", code))
        words = words_of_texts(code) | words_of_texts(whole) | made_text
        for name in sorted(types & words | named_within(types - policies, f"{code}\n{whole}")):
            faults.append(f"{path.relative_to(ROOT)}: names the component '{name}'")


def paths_of(files_by_block):
    return {f"ip/{block}/{name}" for block, names in files_by_block.items() for name in names}


def check_platform():
    unused = paths_of(EVERY_SYSTEM).union(*map(paths_of, OBSERVED.values()))
    order = listed(ROOT / "platform/CMakeLists.txt", r"^add_subdirectory\(([a-z]+)\)")
    check_order("platform", order)
    for place, name in enumerate(order):
        later = {f"platform/{other}" for other in order[place + 1 :]}
        allowed = {f"platform/{other}" for other in order[: place + 1]}
        allowed |= {"core", "firmware/policies", "firmware/machines"}
        of_ip = paths_of(EVERY_SYSTEM | OBSERVED.get(name, {}))
        for path in sources(f"platform/{name}"):
            for included in includes(path):
                unused.discard(included)
                if folder_of(included, 2) in later:
                    report(path, included, f"platform/{name} comes before it")
                elif folder_of(included, 1) == "ip" and included not in of_ip:
                    report(path, included, f"of ip, platform/{name} knows only {', '.join(sorted(of_ip))}")
                elif "/" in included and not {folder_of(included, n) for n in (1, 2)} & (allowed | {"ip"}):
                    report(path, included, f"platform/{name} knows only {', '.join(sorted(allowed))}, and some of ip")
    for name in sorted(name for name in unused if (ROOT / name).parent.is_dir()):
        faults.append(f"test/docs/includes.py: lists {name}, which the platform does not include")


def check_firmware():
    for path in sources("firmware"):
        for included in includes(path):
            plain = included.startswith("ip/") and included.endswith(".h")
            if "/" in included and not plain and not included.startswith(("firmware/", "core/abi/")):
                report(path, included, "firmware knows only firmware, core/abi, and ip/*/*.h")
    for folder in sorted((ROOT / "firmware").glob("*/")):
        place = folder.relative_to(ROOT)
        graph, unit = {}, units_of(place)
        for path in sources(place):
            own = unit[name_of(path)]
            others = {unit.get(str(Path(included).with_suffix("")), own) for included in includes(path)}
            graph.setdefault(own, set()).update(others - {own})
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            faults.append(f"{place}: files include each other in a circle, where a file is one with the headers whose "
                          f"functions it defines: {', '.join(error.args[1])}")


def name_of(path):
    return str(path.relative_to(ROOT).with_suffix(""))


def units_of(place):
    """Returns the unit of each file of a folder, without suffix. A file is one unit with every header that declares
    its functions."""
    function = r"^[a-z][\w ]*[ *](\w+)\([^;{}()]*(?:\([^()]*\)[^;{}()]*)*\)\s*"
    unit = {name_of(path): name_of(path) for path in sources(place)}
    declared = {name: name_of(path) for path in sources(place, (".h",))
                for name in re.findall(function + ";", code_of(path), re.MULTILINE)}
    for path in sources(place, (".c",)):
        bodies = re.findall(function + r"\{", code_of(path), re.MULTILINE)
        for header in {declared[name] for name in bodies if name in declared}:
            merged, kept = unit[name_of(path)], unit[header]
            unit = {name: kept if one == merged else one for name, one in unit.items()}
    return unit


def check_indirect():
    for folder in ("core", "firmware", "ip", "platform"):
        for path in sources(folder, OTHER_SOURCES):
            faults.append(f"{path.relative_to(ROOT)}: only {', '.join(SOURCES)} are looked into")
        for path in sources(folder):
            for name in re.findall(INDIRECT, code_of(path), re.MULTILINE):
                faults.append(f"{path.relative_to(ROOT)}: includes {name.strip()}, which is no name of a file")
            for included in includes(path):
                # A header that is not there is made by the build.
                is_here = "/" in included or (path.parent / included).exists()
                if is_here and Path(included).suffix not in SOURCES:
                    report(path, included, f"only {', '.join(SOURCES)} are looked into")


def check_declarations():
    """Checks that core and ip declare no type or function of the platform, which they could then use without an
    include."""
    defined, ahead = {}, []
    for path in sources("core") + sources("ip") + sources("platform"):
        code, floor = code_of(path), path.relative_to(ROOT).parts[0]
        for name in re.findall(TYPE + r"[^;(){}]*\{", code):
            defined.setdefault(name, set()).add(floor)
        if floor == "platform":
            continue
        ahead += [(path, floor, name) for name in re.findall(TYPE + r"\s*(?::\s*[\w:]+\s*)?[;*&]", code)]
        own = CORE_NAMESPACES | ({path.relative_to(ROOT).parts[1]} if floor == "ip" else set())
        for name in re.findall(r"\bnamespace levee(?:::(?:inline )?|\s*\{\s*(?:inline )?namespace )(\w+)", code):
            if name not in own:
                faults.append(f"{path.relative_to(ROOT)}: opens levee::{name}, but knows only {', '.join(sorted(own))}")
    for path, floor, name in ahead:
        above = {"core": {"ip", "platform"}, "ip": {"platform"}}[floor]
        if name in defined and defined[name] <= above:
            faults.append(f"{path.relative_to(ROOT)}: declares {name}, which {', '.join(sorted(defined[name]))} defines")


def floor_of(path):
    """Returns core, ip/BLOCK or platform/FOLDER."""
    parts = path.relative_to(ROOT).parts
    return parts[0] if parts[0] == "core" or len(parts) < 3 else "/".join(parts[:2])


def check_links():
    """Checks the libraries and files by which core and ip could use what their sources may not include."""
    lists = [path for folder in ("core", "ip", "platform") for path in sorted((ROOT / folder).rglob("CMakeLists.txt"))]
    library_of = {name: floor_of(path) for path in lists
                  for name in re.findall(r"^\s*add_library\((levee_\w+)", code_of(path), re.MULTILINE)}
    for path in lists:
        floor, code = floor_of(path), code_of(path)
        foreign = r"[\w./${}]*\b(?:platform|ip)/[\w.*/]+|\.\./[\w.*/]+|(?<=\s)-include\b"
        for name in re.findall(foreign, code):
            faults.append(f"{path.relative_to(ROOT)}: names {name}, which is not of its own folder")
        if floor.startswith("platform"):
            continue
        allowed = {"core", floor}
        if floor.startswith("ip/"):
            allowed |= {"ip"} | {"/".join(name.split("/")[:2]) for name in named_in_readme(floor.split("/")[1])}
        linked = {name.replace("levee::", "levee_") for name in re.findall(r"\blevee(?:::|_)\w+", code)}
        for name in sorted(linked & set(library_of)):
            if library_of[name] not in allowed and not (floor == "ip" and library_of[name].startswith("ip/")):
                faults.append(f"{path.relative_to(ROOT)}: links {name}, but knows only {', '.join(sorted(allowed))}")


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
check_names()
check_firmware()
check_indirect()
check_declarations()
check_links()
check_references()
print("\n".join(faults), end="\n" if faults else "")
sys.exit(bool(faults))
