#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a software bill of materials: an SPDX 2.3 document (tag-value) about the contents of Levee and the
libraries with which it is linked.

usage: tools/sbom/sbom.py [--program build/platform/levee]

The list is components.tsv. With --program, it is an error if the program needs a library that is not in the
list, or does not need one that is. The date is SOURCE_DATE_EPOCH, or that of the last commit.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
SANITIZERS = ("libasan", "libubsan", "libtsan")  # libraries that only builds with sanitizers use
RELATIONS = ("DYNAMIC_LINK", "STATIC_LINK", "CONTAINS")


def fail(message):
    sys.exit(f"sbom.py: {message}")


def components(file):
    found = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 6 or not all(fields):
            fail(f"{file}:{number}: {len(fields)} fields; expected 6, none empty, with tabs between them")
        one = dict(zip(("name", "version", "licence", "relation", "library", "home"), fields))
        if one["relation"] not in RELATIONS:
            fail(f"{file}:{number}: relation '{one['relation']}'; expected one of {', '.join(RELATIONS)}")
        if not re.fullmatch(r"[A-Za-z0-9.+-]+", one["name"]):
            fail(f"{file}:{number}: name '{one['name']}'; expected letters, digits, '.', '+' and '-'")
        if any(other["name"] == one["name"] for other in found):
            fail(f"{file}:{number}: '{one['name']}' is listed twice")
        found.append(one)
    return found


def output_of(*words):
    try:
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def version_of(source):
    kind, name = source.split(":", 1)
    if kind == "npm":
        lock = json.loads((ROOT / "platform/observe/report/page/package-lock.json").read_text())
        return lock["packages"]["node_modules/" + name]["version"]
    return output_of("dpkg-query", "-W", "-f=${Version}", name)


def version_of_levee():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(\s*levee\s+VERSION\s+([0-9.]+)", text).group(1)


def libraries_of(program):
    needed = output_of("readelf", "-d", str(program.resolve()))
    names = re.findall(r"\(NEEDED\).*\[(.*)\]", needed)
    if not names:
        fail(f"{program}: needs no library; expected a program that is linked dynamically")
    return names


def check(program, listed):
    prefixes = [(one["name"], prefix) for one in listed if one["relation"] == "DYNAMIC_LINK"
                for prefix in one["library"].split()]
    needed = libraries_of(program)
    for library in needed:
        if not library.startswith(SANITIZERS) and not any(library.startswith(prefix) for _, prefix in prefixes):
            fail(f"{program} needs {library}, which components.tsv does not have")
    for one in listed:
        own = [prefix for name, prefix in prefixes if name == one["name"]]
        if own and not any(library.startswith(prefix) for library in needed for prefix in own):
            fail(f"components.tsv has {one['name']}, which {program} does not need")


def created():
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or output_of("git", "log", "-1", "--format=%ct") or "0"
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(seconds)))


def package(name, version, licence, home):
    identifier = "SPDXRef-" + name.replace("+", "-plus")
    return [f"PackageName: {name}", f"SPDXID: {identifier}", *([f"PackageVersion: {version}"] if version else []),
            f"PackageDownloadLocation: {home}", "FilesAnalyzed: false", f"PackageLicenseConcluded: {licence}",
            f"PackageLicenseDeclared: {licence}", "PackageCopyrightText: NOASSERTION", ""]


def document(listed):
    version = version_of_levee()
    lines = ["SPDXVersion: SPDX-2.3", "DataLicense: CC0-1.0", "SPDXID: SPDXRef-DOCUMENT",
             f"DocumentName: levee-{version}", f"DocumentNamespace: https://levee.invalid/spdx/levee-{version}",
             "Creator: Tool: levee-sbom", f"Created: {created()}", "",
             *package("levee", version, "Apache-2.0", "NOASSERTION")]
    for one in listed:
        lines += package(one["name"], version_of(one["version"]), one["licence"], one["home"])
    lines.append("Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-levee")
    for one in listed:
        lines.append(f"Relationship: SPDXRef-levee {one['relation']} SPDXRef-{one['name'].replace('+', '-plus')}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--list", type=pathlib.Path, default=FOLDER / "components.tsv")
    arguments = parser.parse_args()
    listed = components(arguments.list)
    if arguments.program:
        check(arguments.program, listed)
    print(document(listed))


main()
