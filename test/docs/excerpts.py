#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that excerpts of sources on pages match the sources. Each listing without a file name must be a part of
one file, where `[...]` stands for omitted lines."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {"docs/plugins.md": ["test/install/plugin"], "docs/firmware.md": ["firmware/apps/tutorial"],
           "firmware/apps/tutorial/README.md": ["firmware/apps/tutorial"]}
LISTING = re.compile(r"^```(?:c|cpp)\n(.*?)^```$", re.M | re.S)


def is_part(listing, text):
    at = 0
    for piece in re.split(r"^ *\[\.\.\.\]\n", listing, flags=re.M):
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def main():
    wrong = 0
    for page, folders in SOURCES.items():
        texts = [file.read_text() for folder in folders for file in (ROOT / folder).iterdir() if file.suffix != ".md"]
        listings = LISTING.findall((ROOT / page).read_text())
        if not listings:
            print(f"{page}: has no listing without a file name; expected at least one excerpt")
            wrong += 1
        for listing in listings:
            if not any(is_part(listing, text) for text in texts):
                print(f"{page}: this excerpt is in no file of {', '.join(folders)}; copy it again from its source:\n{listing}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
