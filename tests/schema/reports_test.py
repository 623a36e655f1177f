#!/usr/bin/env python3
"""The report formats as the programs that read them see them.

reports_test.py DOCUMENT_PROBE FABRIC SOURCE_DIR

Of `validate` on every document at hand, and of `verify` on every saved fabric of the golden cases. SARIF is checked against tests/schema/sarif.schema.json by python3-jsonschema, JUnit against the
structure below (what the Jenkins and GitLab readers need), JSON against the members that are promised.
"""
import json
import os
import pathlib
import re
import shlex
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


def check_findings(findings):
    for finding in findings:
        assert set(finding) - {"cause"} == {
            "rule", "severity", "message", "file", "line", "column", "related", "help"}
        assert finding["severity"] in ("error", "warning", "info")
        assert finding["line"] >= 1 and finding["column"] >= 1
        for note in finding["related"]:
            assert set(note) == {"file", "line", "column", "message"}
    return findings


def check_json(text):
    return check_findings(json.loads(text)["diagnostics"])


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


def check_verify(fabric, source, sarif):
    """The formats of `verify`; a consequence names a cause that is there too."""
    seen = consequences = 0
    cases = [case for suite in ("verify", "facts") for case in sorted((source / "tests/golden" / suite).iterdir())]
    for case in cases:
        lines = (case / "cmd").read_text().splitlines()
        command = next((line for line in lines if re.match(r"(--facts facts )?verify --level (link|wire)", line)), None)
        if command is None or not (case / "facts").exists() and not (case / "subnet.txt").exists():
            continue

        def run(form):
            done = subprocess.run(
                [fabric, *shlex.split(command), "--format", form], cwd=case, capture_output=True, text=True, check=False,
                env={**os.environ, "NO_COLOR": "1", "COLUMNS": "80"})
            assert done.returncode in (0, 4, 13), (case.name, done)
            return done.stdout

        findings = check_findings(json.loads(run("json"))["findings"])
        known = [(finding["rule"], finding["message"]) for finding in findings if "cause" not in finding]
        for finding in findings:
            if "cause" in finding:
                assert (finding["cause"]["rule"], finding["cause"]["message"]) in known, case.name
                consequences += 1
        sarif.validate(json.loads(run("sarif")))
        check_junit(run("junit"), sum(finding["severity"] == "error" for finding in findings))
        check_github(run("github"), len(findings))
        seen += len(findings)
    print(f"verify: {seen} findings in 4 formats, {consequences} of them consequences")
    assert seen > 20 and consequences > 5, "fabrics with findings are needed"


def main():
    probe, fabric, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
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
    check_verify(fabric, source, sarif)


if __name__ == "__main__":
    main()
