#!/usr/bin/env python3
"""The report formats as the programs that read them see them.

reports_test.py DOCUMENT_PROBE SOURCE_DIR

SARIF is checked against tests/schema/sarif.schema.json by python3-jsonschema, JUnit against the
structure below (what the Jenkins and GitLab readers need), JSON against the keys that users rely on.
"""
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

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


def render(probe, form, documents):
    """One text for each document."""
    output = subprocess.run([probe, "render", form, *documents], check=True, capture_output=True).stdout.decode()
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


def check_json(text):
    findings = json.loads(text)["diagnostics"]
    for finding in findings:
        assert set(finding) == {
            "rule", "severity", "message", "file", "line", "column", "related", "help"}
        assert finding["severity"] in ("error", "warning", "info")
        assert finding["line"] >= 1 and finding["column"] >= 1
        for note in finding["related"]:
            assert set(note) == {"file", "line", "column", "message"}
    return findings


def check_github(text, findings):
    form = re.compile(r"^::(error|warning|notice) file=[^,:]+,line=\d+,endLine=\d+(,col=\d+,endColumn=\d+)?,title=[a-z-]+::.+$")
    lines = text.splitlines()
    assert len(lines) == findings
    for line in lines:
        assert form.match(line), line


def check_text(text):
    assert "\x1b" not in text, "no colour unless asked for"
    for line in text.splitlines():
        assert len(line) <= 80 or " " not in line.strip().removeprefix("--> "), f"wider than 80 columns: {line}"


def main():
    probe, source = sys.argv[1], pathlib.Path(sys.argv[2])
    sarif = jsonschema.Draft202012Validator(
        json.loads((source / "tests/schema/sarif.schema.json").read_text()))
    documents = sorted((source / "tests/fuzz/corpus/yaml").iterdir())
    documents += sorted((source / "tests/golden/validate").glob("*/fabric.yaml"))
    seen = 0
    forms = [render(probe, form, documents) for form in ("json", "sarif", "junit", "github", "text")]
    for in_json, in_sarif, in_junit, in_github, in_text in zip(*forms):
        findings = check_json(in_json)
        sarif.validate(json.loads(in_sarif))
        check_junit(in_junit, len(findings))
        check_github(in_github, len(findings))
        check_text(in_text)
        seen += len(findings)
    print(f"{len(documents)} documents with {seen} findings in 5 formats")
    assert seen > 20, "documents with findings are needed"


if __name__ == "__main__":
    main()
