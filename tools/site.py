#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""site.py [--check] [--out DIR] [--levee PROGRAM] makes a site of the tree's pages (docs/, READMEs) with MkDocs.

Pages link to each other and to sources by their places in the tree. They are therefore copied in the same
layout, with the files to which they link. A link to a missing file or heading is an error, which is reported
with page and line. --check only checks the links and the list in mkdocs.yml, and does not need MkDocs.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!\!)\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^\s*```")
# Pages that are generated with the site and are not in the tree. A tool or a command of the program prints each. Other
# pages do not link to the first of them.
MADE = {"docs/registers.md": ["tools/registers.sh"], "docs/parameters.md": ["levee", "schema", "--markdown"]}


def lines_of_text(text):
    """Returns numbered lines outside of code blocks, without code spans."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def without_code(line):
    return re.sub(r"`[^`]*`", "", line)


def slug(heading):
    """Returns the name of a heading as GitHub and MkDocs make it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = re.sub(r"[^\w\s-]", "", heading.replace("`", "")).strip().lower()
    return re.sub(r"\s", "-", heading)


def headings(page):
    names = set()
    for _, line in lines_of_text(page.read_text(encoding="utf-8")):
        if line.startswith("#"):
            names.add(slug(line.lstrip("#")))
    return names


def tracked():
    names = []
    if shutil.which("git"):
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True)
        names = listed.stdout.split("\0")
    if not any(names):  # outside a repository, the tree is an unpacked archive
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*.md") if "build" not in str(path.relative_to(ROOT))]
    pages = [ROOT / name for name in sorted(names) if name and not name.startswith("test/")]
    return [page for page in pages if page.exists()]  # git lists a deleted page until the deletion is staged


def is_there(path):
    tool, *_ = MADE.get(str(path.relative_to(ROOT)), [""]) if path.is_relative_to(ROOT) else [""]
    return path.exists() or tool == "levee" or (tool != "" and (ROOT / tool).exists())


def links(page):
    for number, line in lines_of_text(page.read_text(encoding="utf-8")):
        for match in LINK.finditer(without_code(line)):
            target = match[1] or match[2]
            if not re.match(r"[a-z]+:", target):
                yield number, target


def target_of(page, link):
    """Returns the file or folder that a link names, and its heading."""
    path, _, heading = link.partition("#")
    return ((page.parent / path).resolve() if path else page), heading


def broken_links(pages):
    known = {}
    for page in pages:
        for number, link in links(page):
            path, heading = target_of(page, link)
            place = f"{page.relative_to(ROOT)}:{number}: {link}: "
            if not path.is_relative_to(ROOT):
                yield place + "that is outside the tree"
            elif not is_there(path):
                yield place + "there is no such file"
            elif heading and path.suffix == ".md" and path.exists():
                if heading not in known.setdefault(path, headings(path)):
                    yield place + "that page has no such heading"


def broken_navigation():
    """Returns pages that mkdocs.yml lists twice, or that do not exist."""
    listed = {}
    for number, line in enumerate((ROOT / "mkdocs.yml").read_text(encoding="utf-8").splitlines(), 1):
        entry = re.match(r"\s*- .*?: (\S+\.md)$", line)
        if not entry:
            continue
        place = f"mkdocs.yml:{number}: {entry[1]}: "
        if entry[1] in listed:
            yield place + f"is listed twice, first in line {listed[entry[1]]}"
        elif not is_there(ROOT / entry[1]):
            yield place + "there is no such file"
        listed.setdefault(entry[1], number)


def stage(pages, out):
    """Copies the pages, and the files to which they link, to the folder that MkDocs reads."""
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for _, link in links(page):
            path, _ = target_of(page, link)
            name = path.relative_to(ROOT)
            if path.is_dir():
                index = "README.md" if (path / "README.md").exists() else "index.txt"
                if index == "index.txt":
                    (out / name).mkdir(parents=True, exist_ok=True)
                    (out / name / index).write_text("\n".join(sorted(p.name for p in path.iterdir())) + "\n")
                text = text.replace(f"]({link})", f"]({link.rstrip('/')}/{index})")
            elif path.suffix != ".md":
                (out / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, out / name)
        write(out / page.relative_to(ROOT), text)


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def make_pages(program, out):
    for name, (tool, *arguments) in MADE.items():
        command = program if tool == "levee" else ROOT / tool
        if tool == "levee" or command.exists():
            write(out / name, subprocess.run([command, *arguments], capture_output=True, text=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only check the links")
    parser.add_argument("--out", default=str(ROOT / "build-site"), help="folder of the site")
    parser.add_argument("--levee", default=str(ROOT / "build/platform/levee"), help="the program, which writes some pages")
    arguments = parser.parse_args()
    pages = tracked()
    broken = [*broken_links(pages), *broken_navigation()]
    if broken:
        sys.exit("\n".join(broken))
    if arguments.check:
        return 0
    if not shutil.which("mkdocs"):
        sys.exit("mkdocs, which makes the site, is not on the PATH (Debian: mkdocs); --check does not need it")
    if not shutil.which(arguments.levee):
        sys.exit(f"{arguments.levee} is missing, and writes {', '.join(MADE)}; './levee build' makes it")
    out = pathlib.Path(arguments.out).resolve()
    source = out / "pages"
    shutil.rmtree(source, ignore_errors=True)
    stage(pages, source)
    make_pages(arguments.levee, source)
    configuration = out / "mkdocs.yml"
    configuration.write_text((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--config-file", str(configuration)])
    if done.returncode == 0:
        print(out / "site/index.html")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
