#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages of `plan` and `verify` in a real browser: pages.py FABRIC SOURCE_ROOT PICTURES

A ring of four, a bond pair through switches, and a tree of 648 hosts are opened, clicked, searched, filtered, and used by
the keys alone. No page may ask for anything, run anything but its own script, or take longer than two seconds. Pictures of
what was seen are left in the folder PICTURES, in light and dark, as a screen and as paper shows them.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import chromium
from chromium import Browser, Failure, Page

FABRIC, ROOT, PICTURES = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
sys.path.insert(0, str(ROOT / "tests/benchmark"))
import subnets  # noqa: E402  (beside another test)

MOST_SECONDS = 2.0
HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
PAIR = """\
apiVersion: fabric/v1
name: pair
nodes:
  pve[1-2]: {adapters: {cx5: {model: connectx-5-vpi}}, labels: {rack: r1}}
  leaf[1-2]: {platform: unmanaged, labels: {rack: r1}}
networks:
  storage:
    mode: lag
    ipv4: {subnet: 10.30.0.0/24}
    cables: [[pve1/1, leaf1/1], [pve1/2, leaf2/1], [pve2/1, leaf1/2], [pve2/2, leaf2/2], [leaf1/31, leaf2/31], [leaf1/32, leaf2/32]]
    lag: {policy: active-backup, roce: false}
"""
failed = []


def check(what, holds):
    print(f"{'ok' if holds else 'FAILED'}: {what}", flush=True)
    if not holds:
        failed.append(what)


def write_page(path, folder, *arguments):
    done = subprocess.run([FABRIC, "-q", *arguments, "--format", "html"], cwd=folder, capture_output=True, text=True)
    if not done.stdout.startswith("<!DOCTYPE html>"):
        sys.exit(f"fabric {' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stdout[:500]}\n{done.stderr[:2000]}")
    path.write_text(done.stdout)
    return path


def case(folder, name):
    """A copy of a golden case: a document behind a link out of its folder is not read."""
    return shutil.copytree(ROOT / "tests/golden" / name, folder / name)


def make_tree(folder):
    """648 hosts below 36 leaves below 9 spines; two hosts of two leaves are plugged into each other's ports."""
    subnets.HOSTS = subnets.UPLINKS = 18
    text = subnets.document(45)
    a, b = "[c000101/1, leaf1/1]", "[c003601/1, leaf36/1]"
    assert a in text and b in text
    text = text.replace(a, "[c000101/1, leaf36/1]").replace(b, "[c003601/1, leaf1/1]")
    (folder / "fabric.yaml").write_text(text)
    (folder / "subnet.txt").write_text(subnets.dump(45))


def make_pages(folder):
    ring, switch = case(folder, "plan/ring-from-factory"), case(folder, "verify/no-lacp")
    tree, pair, hostile = folder / "tree", folder / "pair", folder / "hostile"
    for each in (tree, pair, hostile):
        each.mkdir()
    make_tree(tree)
    (pair / "facts").symlink_to(switch / "facts", target_is_directory=True)
    (pair / "fabric.yaml").write_text(PAIR)
    (hostile / "facts").symlink_to(ring / "facts", target_is_directory=True)
    quoted = HOSTILE.replace("'", "''")
    (hostile / "fabric.yaml").write_text(
        (ring / "fabric.yaml").read_text().replace("defaults:\n", f"defaults:\n  labels: {{rack: '{quoted}'}}\n", 1))
    facts = ("--facts", "facts")
    return {
        "ring-plan": write_page(folder / "ring-plan.html", ring, *facts, "plan"),
        "ring-verify": write_page(folder / "ring-verify.html", case(folder, "verify/miswired"), *facts, "verify", "--level", "link"),
        "switch-verify": write_page(folder / "switch-verify.html", switch, *facts, "verify", "--level", "link"),
        "pair-plan": write_page(folder / "pair-plan.html", pair, *facts, "plan"),
        "tree-verify": write_page(folder / "tree-verify.html", tree, "verify", "--level", "wire", "--wire", "subnet.txt"),
        "hostile": write_page(folder / "hostile.html", hostile, *facts, "plan"),
    }


def box(name):
    """The box of a node, as an expression of the page."""
    return f"drawing.boxes[drawing.boxOf[data.nodes.findIndex((node) => node.name === {name!r})]].element"


def text_of(page, selector):
    return page.run(f"(document.querySelector({selector!r}) || {{}}).innerText || ''")


def use_ring(page):
    check("a ring has four boxes and four cables", page.run("[drawing.boxes.length, drawing.lines.length]") == [4, 4])
    page.click(box("pve2"))
    panel = text_of(page, "#panel")
    check("a click on a node shows its difference", panel.startswith("pve2") or "\npve2" in panel and "Changes" in panel)
    check("with values and places", "->" in panel and "fabric.yaml:" in panel)
    check("waves are told in order", "Wave 1" in text_of(page, "#waves") and page.run("document.querySelectorAll('.wave').length") >= 4)
    page.key("Escape")
    check("Escape goes back to the fabric", "The whole fabric" in text_of(page, "#panel"))


def use_keys(page):
    page.key("/")
    check("/ comes to the search", page.run("document.activeElement.id") == "search")
    page.type("pve3")
    check("what is not found fades", page.run("document.querySelectorAll('.box.out').length") == 3)
    page.key("Enter")
    check("Enter opens what is found", "pve3" in text_of(page, "#panel h2"))
    check("and puts the focus on its box", page.run(f"document.activeElement === {box('pve3')}"))
    for _ in range(2):
        page.key("Escape")
    check("Escape lets go of all", page.run("document.querySelectorAll('.box.out').length") == 0)
    page.run(f"focusBox(drawing.boxOf[0])")
    page.key("ArrowRight")
    page.key("ArrowDown")
    page.key("Enter")
    check("arrows go around the ring", text_of(page, "#panel h2") == "pve3")
    seen = set()
    for _ in range(40):
        page.key("Tab")
        seen.add(page.run("document.activeElement.tagName + '.' + document.activeElement.className"))
    check("Tab comes to search, filters, the drawing, nodes and the text",
          any(each.startswith("INPUT") for each in seen) and any("node" in each for each in seen))


def use_filter(page):
    page.run("document.querySelectorAll('.filter input').forEach((tick) => { if (tick.value !== 'wrong') tick.click(); })")
    wrong = page.run("data.nodes.filter((node, index) => node.state === 'wrong' || cablesOf[index].some((cable) => data.cables[cable].state === 'wrong')).length")
    check("a filter by state leaves what is wrong", wrong > 0 and page.run("matches().length") == wrong)
    check("and says how many", text_of(page, "#panel h2").startswith(f"{wrong} node"))


def use_tree(page, work):
    # A machine that does other things as well makes everybody wait.
    check(f"the tree is there with {work:.2f} s of work (at most {MOST_SECONDS})", work <= MOST_SECONDS)
    check("of 693 nodes it begins with groups", page.run("[data.nodes.length, view().name, drawing.boxes.length]") == [693, "groups", 36 + 36 + 1])
    page.click("document.querySelector('.box.group.wrong')")
    check("a group shows its nodes", page.run("document.querySelectorAll('#panel .node').length") == 18)
    page.click("document.querySelector('#panel .node.wrong')")
    panel = text_of(page, "#panel")
    check("a node shows its finding", "leaf" in panel and "Findings" in panel)
    before = page.working_time()
    page.click("document.getElementById('view')")
    page.wait_until_drawn()
    taken = page.working_time() - before
    check(f"every node is drawn with {taken:.2f} s of work", taken <= MOST_SECONDS and page.run("drawing.boxes.length") == 693)
    page.key("Escape")
    page.key("/")
    page.type("c003601")
    page.key("Enter")
    check("a host is found by its name", text_of(page, "#panel h2") == "c003601")


def look_at(browser, name, path):
    for dark in (False, True):
        page = Page(browser, path, dark=dark)
        page.screenshot(PICTURES / f"{name}-{'dark' if dark else 'light'}.png")
        if name == "tree-verify":
            page.click("document.getElementById('view')")
            page.screenshot(PICTURES / f"{name}-nodes-{'dark' if dark else 'light'}.png")
        page.click("drawing.boxes[Math.max(0, drawing.boxes.findIndex((each) => each.state !== 'fine'))].element")
        page.screenshot(PICTURES / f"{name}-chosen-{'dark' if dark else 'light'}.png", whole=True)
        check(f"{name} has nothing to complain of {page.complaints()}", not page.complaints())
        if not dark:
            page.print(PICTURES / f"{name}.pdf")
            page.call("Emulation.setEmulatedMedia", media="print")
            check("paper has the text", text_of(page, "#text") != "")
            page.screenshot(PICTURES / f"{name}-paper.png", whole=True)


def main():
    program = chromium.find()
    if program is None:
        print("skipped: no chromium is installed")
        sys.exit(77)
    shutil.rmtree(PICTURES, ignore_errors=True)
    PICTURES.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        pages = make_pages(pathlib.Path(scratch))
        browser = Browser(program)
        try:
            Page(browser, pages["ring-plan"])  # What a browser does once is not the page's.
            use_ring(Page(browser, pages["ring-plan"]))
            use_keys(Page(browser, pages["ring-plan"]))
            use_filter(Page(browser, pages["ring-verify"]))
            # The least disturbed of three; only the last is in front, and a page behind it is not painted.
            trees = [Page(browser, pages["tree-verify"]) for _ in range(3)]
            use_tree(trees[-1], min(tree.work for tree in trees))
            hostile = Page(browser, pages["hostile"])
            check("no text of a document runs", hostile.run("document.title") != "taken" and
                  hostile.run("[document.scripts.length, document.images.length]") == [2, 0])
            hostile.click(box("pve1"))
            check("and it is shown as it is", HOSTILE in text_of(hostile, "#panel"))
            for name, path in pages.items():
                look_at(browser, name, path)
        except Failure as failure:
            check(str(failure), False)
        finally:
            browser.close()
    print(f"pictures are in {PICTURES}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
