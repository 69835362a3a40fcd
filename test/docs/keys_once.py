#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""keys_once.py LEVEE [FOLDER] checks that only declarations state the defaults of keys. Pages may explain keys.

The check covers FOLDER, by default the source tree. If a row of a page's table begins with declared keys, it
must not give a default, neither in a column of that name nor in words. A sentence that names a declared key must
not give a default.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

LEVEE = sys.argv[1]
ROOT = Path(sys.argv[2] if len(sys.argv) > 2 else Path(__file__).resolve().parent.parent.parent)
IN_WORDS = re.compile(r"\(default\b|\bdefault:|\bby default\b|\bdefaults? (?:is|are|to|of)\b|\(required\)", re.IGNORECASE)
IN_PROSE = re.compile(r"\(default\b|\bdefault:|\bby default\b|\bdefault (?:is|of)\b|\bdefaults to\b", re.IGNORECASE)
SENTENCE_END = re.compile(r"(?<=[.;|])\s+")
KEY = re.compile(r"`(?:[\w.]+\.)?(\w+)(?:: [^`]+)?`")
FIRST_CELL = re.compile(r"`[\w.]+`(?:(?:,? and|,) `[\w.]+`)*$")


def declared(schema):
    names = set()
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        names |= declared(part)
    return names | set(schema.get("properties", {})) if isinstance(schema, dict) else names


def faults(page, keys):
    heads = []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        heads = [] if not cells else heads or [cell.lower() for cell in cells]
        first = cells[0] if cells and FIRST_CELL.match(cells[0]) else ""
        named = [name for name in re.findall(r"(\w+)`", first) if name in keys]
        by_column = any(head in ("default", "required") and cell for head, cell in zip(heads, cells))
        if named and (by_column or IN_WORDS.search(line)):
            yield number, named[0]


def sentences(text):
    """Returns the sentences outside code, each with the number of its last line."""
    sentence, is_code = "", False
    for number, line in enumerate(text.splitlines(), 1):
        is_code ^= line.startswith("```")
        if is_code or not line.strip():
            sentence = ""
            continue
        *whole, sentence = SENTENCE_END.split(f"{sentence} {line}".strip() + " ")
        yield from ((number, one) for one in whole)


def faults_of_prose(page, keys):
    for number, sentence in sentences(page.read_text()):
        default = IN_PROSE.search(sentence)
        named = [name for name in KEY.findall(sentence) if name in keys]
        if default and named:
            yield number, named[0]


def said(page, keys):
    for number, name in sorted({**dict(faults_of_prose(page, keys)), **dict(faults(page, keys))}.items()):
        yield f"{page.relative_to(ROOT)}:{number}: says the default of '{name}', which its declaration has"


KINDS = ("scenario", "study", "exploration", "reproduction")
answers = [subprocess.run([LEVEE, "schema", kind], capture_output=True, text=True, check=True) for kind in KINDS]
names = set().union(*(declared(json.loads(answer.stdout)) for answer in answers))
pages = [page for folder in ("core", "docs", "firmware", "ip", "platform") for page in sorted((ROOT / folder).rglob("*.md"))]
found = [fault for page in pages for fault in said(page, names)]
print("\n".join(found), end="\n" if found else "")
sys.exit(bool(found) or len(names) < 100)
