#!/usr/bin/env python3
"""Expands performance tests the way ClickHouse's runner is documented to, and compares with ours.

    scripts/lab_reference.py FILE...                    prints every fact of the files
    scripts/lab_reference.py --check PROGRAM FILE...    runs PROGRAM on each file too

PROGRAM is the example `facts` of crates/lab. Written from the rules, on purpose without a look at our
Rust: the two are to agree because both are right. Substitution is Python's own str.format, and `short`
Python's own eval, which the reference uses as well; so files must be trusted here.
"""

import argparse
import itertools
import json
import pathlib
import string
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

NAME_LENGTH = 1000


def splice(element, folder, way):
    """Replaces includes below an element by the children of their fragments."""
    children = []
    for child in list(element):
        if child.tag != "include":
            splice(child, folder, way)
            children.append(child)
            continue
        path = (folder / child.attrib["file"]).resolve()
        if path in way:
            raise ValueError(f"{path} includes itself")
        fragment = ElementTree.fromstring(path.read_text(encoding="utf-8"))
        if fragment.tag != "fragment":
            raise ValueError(f"{path} is not a fragment")
        splice(fragment, path.parent, way + [path])
        children.extend(fragment)
    for child in list(element):
        element.remove(child)
    element.extend(children)


def statements(text):
    """The statements of a script, and whether each has more than comments."""
    found, start, at = [], 0, 0
    bare = ""
    while at < len(text):
        ahead = text[at:]
        if ahead[0] in "'\"`":
            end = at + 1
            while end < len(text) and text[end] != ahead[0]:
                end += 2 if text[end] == "\\" else 1
            bare += text[at:end + 1]
            at = end + 1
        elif ahead.startswith("--") or ahead.startswith("#"):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            bare += " "
        elif ahead.startswith("/*"):
            end = text.find("*/", at + 2)
            at = len(text) if end < 0 else end + 2
            bare += " "
        elif ahead[0] == ";":
            found.append((text[start:at].strip(), bare.strip()))
            at += 1
            start, bare = at, ""
        else:
            bare += ahead[0]
            at += 1
    found.append((text[start:].strip(), bare.strip()))
    return [(statement, bare) for statement, bare in found if bare]


class Test:
    """One file, expanded."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.root = ElementTree.fromstring(self.path.read_text(encoding="utf-8"))
        if self.root.tag != "test":
            raise ValueError("the root is not <test>")
        splice(self.root, self.path.parent, [self.path.resolve()])
        self.values = {}
        for element in self.root.findall("substitutions/substitution"):
            values = [value.text for value in element.findall("values/value")]
            if not values:
                raise ValueError("a substitution without values")
            self.values[element.find("name").text] = values
        self.setup, self.teardown, self.queries = [], [], []
        self.read_queries()
        inline = [e.text for e in self.root if e.tag in ("create_query", "fill_query")]
        self.setup = self.expand_all(inline + self.setup)
        if any("create temporary table" in text.lower() for text in self.setup):
            raise ValueError("a temporary table")
        drops = [e.text for e in self.root.findall("drop_query")]
        self.teardown = self.expand_all(drops + self.teardown)

    def expand(self, template, other="0"):
        """Pairs of the text and `other` (with the text's values) for all values of the text's names."""
        fields = string.Formatter().parse(template)
        names = sorted({name for _, name, _, _ in fields if name})
        for values in itertools.product(*(self.values[name] for name in names)):
            bound = dict(zip(names, values))
            yield template.format(**bound), other.format(**bound)

    def expand_all(self, templates):
        return [text for template in templates for text, _ in self.expand(template)]

    def read_queries(self):
        for element in self.root.findall("query"):
            if element.get("type") == "shell":
                if not (element.text or "").strip():
                    raise ValueError("an empty script")
                self.queries.append((element.text, False))
                continue
            short = element.get("short", "0")
            timed = [element.text]
            if "file" in element.attrib:
                timed = self.read_script(element)
            groups = zip(*[list(self.expand(template, short)) for template in timed])
            for group in groups:
                text = ";\n".join(statement for statement, _ in group)
                self.queries.append((text, bool(eval(group[0][1], {"__builtins__": {}}))))

    def read_script(self, element):
        timed = []
        path = self.path.parent / element.attrib["file"]
        for statement, bare in statements(path.read_text(encoding="utf-8")):
            word = bare.split("(")[0].split()[:1]
            word = word[0].upper() if word else ""
            if word in ("CREATE", "ALTER"):
                self.setup.append(statement)
            elif word in ("DROP", "TRUNCATE"):
                self.teardown.append(statement)
            else:
                timed.append(statement)
        return timed

    def settings(self):
        merged = {}
        element = self.root.find("settings")
        if element is not None and "file" in element.attrib:
            file = self.path.parent / element.attrib["file"]
            # A server does not care for their order; ours is the alphabet.
            values = json.loads(file.read_text(encoding="utf-8"))["settings"]
            # A truth is written as in JSON; the runner writes Python's, and servers read both.
            text = {name: str(value).lower() if isinstance(value, bool) else value
                    for name, value in values.items()}
            merged.update(sorted(text.items()))
        for setting in self.root.findall("settings/*"):
            merged[setting.tag] = setting.text
        return merged

    def facts(self):
        """Lines: test, kind, number, text."""
        lines = []

        def add(kind, number, text):
            text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
            lines.append(f"{self.path.stem}\t{kind}\t{number}\t{text}")

        for at, (name, value) in enumerate(self.settings().items()):
            add("setting", at, f"{name}={value}")
        for at, text in enumerate(self.setup):
            add("setup", at, text)
        for at, (text, short) in enumerate(self.queries):
            add("query", at, text)
            cut = text if len(text) <= NAME_LENGTH else f"{text[:NAME_LENGTH]}...({at})"
            add("name", at, cut)
            add("short", at, "01"[short])
        for at, text in enumerate(self.teardown):
            add("teardown", at, text)
        for at, element in enumerate(self.root.findall(".//tag")):
            add("tag", at, (element.text or "").strip())
        return lines


def facts(path):
    """The facts of a file, or None if it cannot be expanded."""
    try:
        return Test(path).facts()
    except Exception as error:  # any failure of the runner's is a failure of the file's
        print(f"{path}: {type(error).__name__}: {error}", file=sys.stderr)
        return None


def check(program, paths):
    files = equal = both_refuse = queries = equal_queries = 0
    for path in paths:
        files += 1
        expected = facts(path)
        run = subprocess.run([program, path], capture_output=True, check=False)
        found = run.stdout.decode().split("\n")[:-1] if run.returncode == 0 else None
        if expected is None and found is None:
            both_refuse += 1
            continue
        of_queries = [line for line in expected or [] if line.split("\t")[1] == "query"]
        queries += len(of_queries)
        equal_queries += len(set(of_queries) & set(found or []))
        if expected == found:
            equal += 1
            continue
        print(f"{path}: differs", run.stderr.decode(), sep="\n")
        for line in sorted(set(expected or []) ^ set(found or []))[:10]:
            print("  " + line[:200])
    print(f"{files} files: {equal} equal, {both_refuse} refused by both, "
          f"{files - equal - both_refuse} differ; {queries} queries: {equal_queries} equal")
    return files == equal + both_refuse


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--check", metavar="PROGRAM")
    arguments.add_argument("files", nargs="+", metavar="FILE")
    arguments = arguments.parse_args()
    if arguments.check:
        sys.exit(0 if check(arguments.check, arguments.files) else 1)
    for path in arguments.files:
        for line in facts(path) or []:
            print(line)


if __name__ == "__main__":
    main()
