#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A working tree of a stranger, who has put something else where fabric keeps its own: state.py FABRIC SOURCE [all]

What a lab and a run leave beneath `.fabric` is looked at, not listed here. Each of these paths becomes a link to a copy outside
of the tree, a link that leads nowhere, a pipe and a device, and then each verb runs: none waits, none tells a secret of what the
link leads to, none changes anything outside, the link is still there, and those that need the path say which one it is. The same
for the places that a verb writes to. Without `all` two verbs for each path, each with a link and a pipe.
"""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lab"))
from lab import Lab, binary  # noqa: E402  (reads the same arguments)

everything = "all" in sys.argv[3:]
SECRET = "hunter2secret"
failed, runs = [], 0


def run(path, *arguments):
    global runs  # pylint: disable=global-statement
    runs += 1
    try:
        done = subprocess.run([binary, "--no-input", *arguments], cwd=path, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


def seen(folder):
    """Everything in a folder: names, kinds, modes, content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = (stat.S_IFMT(about.st_mode), about.st_mode & 0o7777, content)
    return found


def left_by_a_run(lab):
    """Beneath .fabric, while the lab runs; the names of runs as RUN."""
    return [".fabric"] + sorted(str(path.relative_to(lab.path)) for path in (lab.path / ".fabric").rglob("*"))


# Who needs a path: by its begin, the words of the command line.
def verbs(name):
    """The run is the first part, the paths that it can't do without the second."""
    lab = [r"\.fabric$", r"\.fabric/lab($|/(?!document/))"]
    journal = [r"\.fabric$", r"\.fabric/runs$", rf"\.fabric/runs/{name}$", rf"\.fabric/runs/{name}/journal\.jsonl$"]
    plan = [*journal[:3], rf"\.fabric/runs/{name}/plan\.json$"]
    return {
        ("lab", "status"): lab,
        ("lab", "up"): lab,
        ("--lab", "plan"): lab,
        ("--lab", "apply", "--auto-approve"): [*lab, r"\.fabric/lock$", r"\.fabric/runs$"],
        ("--lab", "apply", "--auto-approve", "--policy", "true"): lab,
        ("--lab", "apply", "--resume", name): [*lab, *plan, journal[3]],
        ("history",): journal,
        ("support-bundle", name): [*plan, journal[3]],
        ("show", name): journal,
        ("show", "--format", "json", name): plan,
        ("show", f".fabric/runs/{name}/plan.json"): plan,
        ("completion", "runs"): journal[:2],
        ("--facts", "facts", "plan", "--refresh-only"): [],
        ("--lab", "unlock"): lab,
        ("--lab", "lab", "recable", "pve1/1", "pve2/2"): lab,
        ("validate",): [],
    }


def obstacles(original, outside):
    """What stands in place of a path: a name, and what makes it."""
    copy = outside / "copy"

    def link(path):
        if original.is_dir():
            shutil.copytree(original, copy, symlinks=True, ignore=lambda folder, names: [
                name for name in names if stat.S_ISSOCK((pathlib.Path(folder) / name).lstat().st_mode)])
            (copy / "secret.json").write_text(SECRET)
        elif original.is_file():
            shutil.copy(original, copy)
            with open(copy, "a", encoding="utf-8") as more:
                more.write(f"{SECRET}\n")
        else:
            copy.write_text(SECRET)
        path.symlink_to(copy)

    yield "a link", link
    yield "a pipe", os.mkfifo
    if not everything:
        return
    yield "a link to nowhere", lambda path: path.symlink_to(outside / "nowhere")
    yield "a link to a secret", lambda path: ((outside / "secret").write_text(f"{SECRET}\n"), path.symlink_to(outside / "secret"))
    if os.geteuid() == 0:
        yield "a device", lambda path: os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))  # zeros without end


def bundles_tell(path):
    """Whether an archive that was written has the secret."""
    told = False
    for archive in path.glob("*.tar"):
        with tarfile.open(archive) as members:
            told |= any(SECRET.encode() in members.extractfile(member).read() for member in members)
        archive.unlink()
    return told


def judge(what, path, place, planted, outside, before, result, must_fail):
    code, said = result
    if code is None:
        failed.append(f"{what}: waits for ever")
        return
    if code < 0 or code == 255:
        failed.append(f"{what}: exit {code}: {said[-500:]}")
    if SECRET in said or bundles_tell(path):
        failed.append(f"{what}: tells what lies outside: {said[-500:]}")
    after = seen(outside)
    if after != before:
        changed = sorted(name for name in {*after, *before} if after.get(name) != before.get(name))
        failed.append(f"{what}: changes {changed} outside")
    if not os.path.lexists(planted) or stat.S_IFMT(planted.lstat().st_mode) not in (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR):
        failed.append(f"{what}: what stood there is gone")
    if must_fail and code == 0:
        failed.append(f"{what}: exit 0, and nothing is said: {said[-300:]}")
    if must_fail and not re.search(rf"{re.escape(place)}: expected .*, found a (symbolic link|pipe|device|file)", said):
        failed.append(f"{what}: does not say what is in the way: {said[-500:]}")


def beneath_the_state_folder(lab):
    name = next((lab.path / ".fabric/runs").iterdir()).name
    places = left_by_a_run(lab)
    assert len(places) > 12 and f".fabric/runs/{name}/journal.jsonl" in places, places
    table = verbs(name)
    for place in places:
        who = [(words, any(re.match(needs, place) for needs in needed)) for words, needed in table.items()]
        if not everything:
            who = [each for each in who if each[1]][:2] or who[:1]
        original = lab.path / place
        aside = lab.path / "aside"
        original.rename(aside)
        for words, needs in who:
            with tempfile.TemporaryDirectory() as scratch:
                for kind, make in obstacles(aside, pathlib.Path(scratch)):
                    outside = pathlib.Path(scratch)
                    make(original)
                    before = seen(outside)
                    result = run(lab.path, *words)
                    judge(f"{' '.join(words)} with {kind} as {place}", lab.path, place, original, outside, before, result, needs)
                    if original.is_symlink() or not original.is_dir():
                        original.unlink(missing_ok=True)
                    else:
                        shutil.rmtree(original)
                    for each in outside.iterdir():
                        shutil.rmtree(each) if each.is_dir() else each.unlink()
        aside.rename(original)
    return places


def before_a_lab(document, places):
    """No lab runs: what a new one makes."""
    for place in [each for each in places if each == ".fabric" or re.match(r"\.fabric/lab", each)]:
        for words in (("lab", "up", "--nodes", "2"), ("lab", "down")):
            with tempfile.TemporaryDirectory() as scratch:
                work, outside = pathlib.Path(scratch) / "work", pathlib.Path(scratch) / "outside"
                work.mkdir()
                outside.mkdir()
                (work / "fabric.yaml").write_text(document)
                (work / place).parent.mkdir(parents=True, exist_ok=True)
                (outside / "secret").write_text(SECRET)
                # Where the lab's files would be written over.
                (outside / "folder").mkdir()
                for name in ("id_ed25519", "known_hosts", "lab.json", "lab.log"):
                    (outside / "folder" / name).write_text(SECRET)
                is_folder = place in (".fabric", ".fabric/lab", ".fabric/lab/document")
                (work / place).symlink_to(outside / ("folder" if is_folder else "secret"))
                before = seen(outside)
                result = run(work, *words)
                inner = place.startswith(".fabric/lab/document/") or (place == ".fabric/lab/lab.log")
                judge(f"{' '.join(words)} with a link as {place}", work, place, work / place, outside, before, result,
                      words[1] == "up" or not inner)
                run(work, "lab", "down")


# A path that the verb writes to, whose first part is a link of the tree to a folder outside.
WRITES = [
    ("init", "new"),
    ("--facts", "facts", "plan", "--out", "new/plan.json"),
    ("--facts", "facts", "plan", "--out", "./x/../new/plan.json"),
    ("--facts", "facts", "discover", "--save", "new"),
    ("--facts", "facts", "discover", "--save", "new/deeper"),
    ("--log", "new/log", "--facts", "facts", "plan"),
    ("--log", "new/sub/log", "--facts", "facts", "plan"),
    ("support-bundle", "--out", "new/bundle.tar"),
    ("import", "--facts", "facts", "--out", "new/fabric.yaml"),
    ("export", "hosts", "--out", "new/hosts"),
    ("fmt", "new/wide.yaml"),
    ("fmt", "new"),
]


def where_verbs_write(lab):
    (lab.path / "x").mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        outside = pathlib.Path(scratch)
        (outside / "sub").mkdir()
        (outside / "wide.yaml").write_text("apiVersion:   fabric/v1\nname:   x\nnodes: {n1: {}}\n")
        link = lab.path / "new"
        for words in WRITES:
            absolute = [word.replace("new", str(link), 1) if word.startswith("new") else word for word in words]
            for each in (words, absolute):
                link.symlink_to(outside)
                before = seen(outside)
                code, said = run(lab.path, *each)
                if code in (None, 0, 255):
                    failed.append(f"{' '.join(each)}, a link: exit {code}: {said[-500:]}")
                if "found a symbolic link" not in said and "in the way" not in said:
                    failed.append(f"{' '.join(each)}: does not say that a link is in the way: {said[-500:]}")
                if seen(outside) != before:
                    failed.append(f"{' '.join(each)}: writes through a link of the tree")
                link.unlink()
        # One level down: what `init` finds there is a link.
        (lab.path / "there").mkdir()
        (lab.path / "there/.github").symlink_to(outside)
        before = seen(outside)
        code, said = run(lab.path, "init", "there")
        if code == 0 or seen(outside) != before or [path.name for path in (lab.path / "there").iterdir()] != [".github"]:
            failed.append(f"init with .github as a link: exit {code}: {said[-500:]}")
        # The operator's own way to a folder outside of the tree.
        way = outside / "way"
        way.symlink_to(outside / "sub")
        for words in (("--facts", "facts", "plan", "--out", f"{way}/plan.json"), ("--log", f"{way}/log", "version"),
                      ("--facts", "facts", "discover", "--save", f"{way}/facts")):
            code, said = run(lab.path, *words)
            if code != 0:
                failed.append(f"{' '.join(words)}: a link of the operator is refused: exit {code}: {said[-500:]}")
        # Not /dev/stdout: were it replaced, root would have no such device any more.
        for words in (("--log", "/dev/stdout", "version"), ("--log", "/dev/null", "version"),
                      ("import", "--facts", "facts", "--out", "/dev/fd/1"),
                      ("import", "--facts", "facts", "--out", "/dev/null")):
            code, said = run(lab.path, *words)
            if code != 0:
                failed.append(f"{' '.join(words)}: exit {code}: {said[-500:]}")
            if "/dev/fd/1" in words and "apiVersion" not in said:
                failed.append(f"{' '.join(words)}: nothing is written to standard output: {said[-500:]}")
        os.mkfifo(lab.path / "pipe")
        for words in (("--log", "pipe", "version"), ("support-bundle", "--activity-log", "pipe")):
            code, said = run(lab.path, *words)
            if code in (None, 0, 255):
                failed.append(f"{' '.join(words)}, a pipe that nobody reads: exit {code}: {said[-500:]}")
        (lab.path / "secret.log").symlink_to(outside / "secret")
        (outside / "secret").write_text(SECRET)
        code, said = run(lab.path, "support-bundle", "--activity-log", "secret.log")
        if code == 0 or bundles_tell(lab.path):
            failed.append(f"support-bundle --activity-log of a link: exit {code}: {said[-500:]}")


def what_is_bundled(lab):
    """A file of a run that is none of fabric's is refused by its name, whatever it holds."""
    folder = next((lab.path / ".fabric/runs").iterdir())
    for name, text in (("plan.json", f"root:{SECRET}:1\n"), ("plan.json", f'"{SECRET}"'), ("plan.json", f'{{"a": "{SECRET}"}}'),
                       ("journal.jsonl", f"{SECRET}\n"), ("journal.jsonl", f'{{"a": 1}}\nroot:{SECRET}:1\n'),
                       ("journal.jsonl", f'"{SECRET}"\n'), ("journal.jsonl", SECRET)):
        whole = (folder / name).read_text()
        (folder / name).write_text(text)
        code, said = run(lab.path, "support-bundle", folder.name)
        if code != 3 or f"{folder.name}/{name}: expected" not in said or bundles_tell(lab.path):
            failed.append(f"support-bundle of {name} with {text!r}: exit {code}: {said[-500:]}")
        (folder / name).write_text(whole)
    # What a crash has cut short is a journal all the same.
    with open(folder / "journal.jsonl", "a", encoding="utf-8") as journal:
        journal.write('{"event": "acti')
    code, said = run(lab.path, "support-bundle", folder.name)
    if code != 0:
        failed.append(f"support-bundle of a journal that was cut short: exit {code}: {said[-500:]}")


def main():
    with Lab(nodes=2) as lab:
        lab.fabric("--lab", "discover", "--save", "facts", expect=0)
        lab.apply()
        lab.fabric("lab", "up", "--nodes", "2")  # the document of a lab without one; the lab itself goes on
        places = beneath_the_state_folder(lab)
        before_a_lab((lab.path / "fabric.yaml").read_text(), places)
        where_verbs_write(lab)
        what_is_bundled(lab)
        shutil.rmtree(lab.path / ".fabric/lab/document")  # that of `lab up --nodes`, which stays
    print("\n".join(failed), file=sys.stderr)
    print(f"{len(places)} paths beneath .fabric, {runs} runs, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
