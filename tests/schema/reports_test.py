#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report formats as the programs that read them see them.

reports_test.py DOCUMENT_PROBE SOURCE_DIR FABRIC_SERVED

What `plan` and `verify` find is written by the program itself, for every golden case that plans, also where it
refuses, and for every one that verifies saved facts or a saved subnet.
SARIF is checked against tests/schema/sarif.schema.json by python3-jsonschema, JUnit against the
structure below (what the Jenkins and GitLab readers need), JSON against the keys that users rely on.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from served import Served  # noqa: E402  pylint: disable=wrong-import-position

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

# element: (allowed children, required attributes, allowed attributes)
JUNIT = {
    "testsuites": ({"testsuite"}, {"name", "tests", "failures", "errors"}, set()),
    "testsuite": ({"testcase"}, {"name", "tests", "failures", "errors"}, {"skipped"}),
    "testcase": ({"failure", "system-out"}, {"classname", "name"}, set()),
    "failure": (set(), {"message", "type"}, set()),
    "system-out": (set(), set(), set()),
}


def render(probe, form, source, documents):
    """One text for each document, whose path is relative: where this checkout lies is in none of them."""
    output = subprocess.run([probe, "render", form, *documents], cwd=source, check=True, capture_output=True).stdout.decode()
    texts = output.split("\0")[:-1]
    assert len(texts) == len(documents)
    return texts


def check_junit(text, failures):
    def walk(element):
        children, required, allowed = JUNIT[element.tag]
        assert required <= set(element.keys()) <= required | allowed, (element.tag, element.keys())
        for child in element:
            assert child.tag in children, f"{child.tag} in {element.tag}"
            walk(child)
        if element.tag == "testsuite":
            assert int(element.get("tests")) == len(element)
            assert int(element.get("failures")) == len(element.findall("testcase/failure"))

    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    walk(root)
    suites = root.findall("testsuite")
    assert int(root.get("tests")) == sum(int(suite.get("tests")) for suite in suites) > 0
    assert int(root.get("failures")) == failures


def check_findings(findings, placed=True):
    for finding in findings:
        assert set(finding) - {"cause"} == {
            "rule", "severity", "message", "file", "line", "column", "related", "help"}
        assert finding["severity"] in ("error", "warning", "info")
        if placed or finding["file"] is not None:
            assert finding["line"] >= 1 and finding["column"] >= 1
        for note in finding["related"]:
            assert set(note) == {"file", "line", "column", "message"}
    return findings


def check_json(text, placed=True):
    return check_findings(json.loads(text)["diagnostics"], placed)


def check_github(text, findings):
    form = re.compile(r"^::(error|warning|notice) (file=[^,:]+,line=\d+,endLine=\d+(,col=\d+,endColumn=\d+)?,)?title=[a-z-]+::.+$")
    lines = text.splitlines()
    # What differs in its subject alone is one annotation, which says how many more there are.
    assert len(lines) + sum(int(more) for more in re.findall(r"%0Aand (\d+) more\b", text)) == findings
    for line in lines:
        assert form.match(line), line


def check_text(text):
    assert "\x1b" not in text, "no colour unless asked for"
    for line in text.splitlines():
        assert len(line) <= 80 or " " not in line.strip().removeprefix("--> ").removeprefix("::: "), f"wider than 80 columns: {line}"


def planning_commands(source):
    """(folder, arguments) of every golden case's commands that plan and write a text for people."""
    for command in sorted((source / "tests/golden").glob("*/*/cmd")):
        for line in command.read_text().splitlines():
            # What a rule has nothing against has few findings.
            plans = command.parent.parent.name == "plan" or "-bad" in command.parent.name
            if line.startswith("!") or command.parent.parent.name not in ("facts", "plan") or not plans:
                continue
            words = shlex.split(line)
            if "plan" in words and not {"--json", "--format", "--out", "--refresh-only"} & set(words):
                yield command.parent, words


def forms_of(number):
    """SARIF tells how many findings there are; the others are compared with it by turns, so that each sees every kind of case."""
    return ("sarif", ("json", "junit", "github")[number % 3])


def check_plans(fabric, source, sarif):
    counts = {"cases": 0, "findings": 0, "refused": 0, "empty": 0}
    for number, (folder, words) in enumerate(planning_commands(source)):
        with tempfile.TemporaryDirectory() as scratch:
            # Links are followed: documents and facts are shared.
            case = shutil.copytree(folder, pathlib.Path(scratch) / "case")
            texts, codes = {}, set()
            for form in forms_of(number):
                done = fabric.run([*words, "--format", form], case, os.environ)
                texts[form] = done.stdout.decode()
                codes.add(done.returncode)
            assert len(codes) == 1, (folder, codes)
            if texts["sarif"] == "":
                # Neither the document nor a node is at fault, but the command line: nothing to report on.
                assert codes == {3} and not any(texts.values()), folder
                continue
            results = json.loads(texts["sarif"])["runs"][0]["results"]
            sarif.validate(json.loads(texts["sarif"]))
            errors = sum(result["level"] == "error" for result in results)
            # 5: what is wrong is only that nobody trusts the document.
            assert (errors > 0) == (codes in ({3}, {5})), (folder, codes)
            counts["refused"] += errors > 0
            if "junit" in texts:
                check_junit(texts["junit"], errors)
            elif "github" in texts:
                check_github(texts["github"], len(results))
            elif errors:
                assert len(check_json(texts["json"], placed=False)) == len(results), folder
            else:
                assert "actions" in json.loads(texts["json"]), folder
            counts["cases"] += 1
            counts["findings"] += len(results)
            counts["empty"] += not results
    print(f"{counts['cases']} plans, {counts['refused']} refused, with {counts['findings']} findings, in SARIF and by turns in 3 other formats")
    assert counts["cases"] > 30 and counts["refused"] > 5 and counts["findings"] > 40 and counts["empty"] > 0, counts


def check_verify(fabric, source, sarif):
    """All findings in each format, each with a place; a consequence names a cause that is there too."""
    seen = consequences = number = 0
    for commands in sorted((source / "tests/golden").glob("*/*/cmd")):
        line = commands.read_text().splitlines()[0]
        if not re.match(r"(--facts facts )?verify --level (link|wire)", line) or "--format" in line:
            continue
        texts = {}
        with tempfile.TemporaryDirectory() as scratch:
            case = shutil.copytree(commands.parent, pathlib.Path(scratch) / "case")
            for form in ("json", ("sarif", "junit", "github")[number % 3]):
                done = fabric.run([*shlex.split(line), "--format", form], case, os.environ)
                assert done.returncode in (0, 4, 13), (commands, done)
                texts[form] = done.stdout.decode()
        number += 1
        findings = check_findings(json.loads(texts["json"])["findings"])
        causes = [(finding["rule"], finding["message"]) for finding in findings if "cause" not in finding]
        for finding in findings:
            if "cause" in finding:
                assert (finding["cause"]["rule"], finding["cause"]["message"]) in causes, commands
                consequences += 1
        if "sarif" in texts:
            sarif.validate(json.loads(texts["sarif"]))
            assert len(json.loads(texts["sarif"])["runs"][0]["results"]) == len(findings), commands
        elif "junit" in texts:
            check_junit(texts["junit"], sum(finding["severity"] == "error" for finding in findings))
        else:
            check_github(texts["github"], len(findings))
        seen += len(findings)
    print(f"verify: {seen} findings in JSON and by turns in 3 other formats, {consequences} of them consequences")
    assert seen > 40 and consequences > 8, "fabrics with findings are needed"


def main():
    probe, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    # Leaks are looked for by the unit tests.
    fabric = Served(pathlib.Path(sys.argv[3]).resolve(), {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "malloc_context_size=1") + ":detect_leaks=0"})
    sarif = jsonschema.Draft202012Validator(
        json.loads((source / "tests/schema/sarif.schema.json").read_text()))
    documents = sorted((source / "tests/fuzz/corpus/yaml").iterdir())
    documents += sorted((source / "tests/golden/validate").glob("*/fabric.yaml"))
    seen = 0
    documents = [document.relative_to(source) for document in documents]
    forms = [render(probe, form, source, documents) for form in ("json", "sarif", "junit", "github", "text")]
    for in_json, in_sarif, in_junit, in_github, in_text in zip(*forms):
        findings = check_json(in_json)
        sarif.validate(json.loads(in_sarif))
        check_junit(in_junit, len(findings))
        check_github(in_github, len(findings))
        check_text(in_text)
        seen += len(findings)
    print(f"{len(documents)} documents with {seen} findings in 5 formats")
    assert seen > 20, "documents with findings are needed"
    check_plans(fabric, source, sarif)
    check_verify(fabric, source, sarif)


if __name__ == "__main__":
    main()
