#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the bill of materials: its form, its licences, and that it has no entries that do not belong to the
program.

usage: sbom_test.py SOURCE PROGRAM
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, PROGRAM = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
TOOL = SOURCE / "tools/sbom/sbom.py"
LIST = (SOURCE / "tools/sbom/components.tsv").read_text()
# Licences compatible with Apache-2.0: permissive ones, or ones for libraries.
LICENCES = {"Apache-2.0", "MIT", "Zlib", "BSL-1.0", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "LGPL-2.1-or-later",
            "LGPL-3.0-only OR Artistic-2.0", "GPL-3.0-only WITH GCC-exception-3.1"}


def run(*words):
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "86400"}
    done = subprocess.run([TOOL, *words], capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout, done.stderr


def expect(what, so):
    if not so:
        sys.exit(f"sbom_test.py: {what}")


def check_document():
    code, text, said = run("--program", PROGRAM)
    expect(said, code == 0)
    expect("another document the second time", run("--program", PROGRAM)[1] == text)
    expect("no date of SOURCE_DATE_EPOCH", "Created: 1970-01-02T00:00:00Z\n" in text)
    identifiers = re.findall(r"^SPDXID: (.*)$", text, re.M)
    expect("an identifier twice", len(set(identifiers)) == len(identifiers))
    for identifier in identifiers:
        expect(f"{identifier}: no identifier of SPDX", re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", identifier))
    related = re.findall(r"^Relationship: (\S+) (\S+) (\S+)$", text, re.M)
    for left, _, right in related:
        expect(f"{left}, {right}: of no package", left in identifiers and right in identifiers)
    expect("a package without a relation", {right for _, _, right in related} == set(identifiers) - {"SPDXRef-DOCUMENT"})
    for one in text.split("\n\n")[1:]:
        if one.startswith("PackageName"):
            for tag in ("SPDXID", "PackageDownloadLocation", "FilesAnalyzed", "PackageLicenseConcluded"):
                expect(f"no {tag} in:\n{one}", f"\n{tag}: " in one)
    for licence in re.findall(r"^PackageLicenseConcluded: (.*)$", text, re.M):
        expect(f"{licence}: not a licence that the program may be linked with", licence in LICENCES)
    expect("no version of ECharts", re.search(r"PackageName: echarts\nSPDXID: .*\nPackageVersion: \d+\.\d+", text))


def check_faults():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "list.tsv"

        def said(text):
            file.write_text(text)
            code, _, message = run("--list", file, "--program", PROGRAM)
            expect(f"no error for:\n{text}", code != 0)
            return message

        expect("a missing library", "needs libz.so" in said(re.sub(r"^zlib\t.*\n", "", LIST, flags=re.M)))
        extra = LIST + "other\tdeb:x\tMIT\tDYNAMIC_LINK\tlibother.so\thttps://x\n"
        expect("a library too many", "components.tsv has other, which" in said(extra))
        expect("two of a name", "'zlib' is listed twice" in said(LIST + re.search(r"^zlib\t.*\n", LIST, re.M)[0]))
        expect("a field too few", ":1: 5 fields; expected 6" in said("a\tb\tc\td\te\n"))
        expect("a relation", "relation 'NEAR'; expected one of" in said("a\tdeb:b\tMIT\tNEAR\t-\thttps://x\n"))


check_document()
check_faults()
