#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds a made-up seventh platform to a clone of this tree, by a folder and rows, and converges a fabric of it in the lab.

usage: seventh.py ROOT

The folder is that of ESX (3.5, 4) under another name. Beside it stand three rows (traits; entry; simulated machine) and the name
where names are listed: the enumeration, the schema, the layers of CMake. Nothing else of the tree may have to change: that is
what this test shows. It builds the program, which takes minutes.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

OLD, NEW = "esx_classic", "seventh"
# A file, a line of it by a pattern, and what follows that line.
ROWS = [
    ("engine/model/platform.cpp", r"     \.called = \"an ESX host\",\n(     .*\n)*?     \.service_console = true\},\n",
     '    {.platform = Platform::seventh, .name = "seventh", .called = "a host of the seventh kind", .keys = &kEsxClassicKeys,\n'
     "     .maintenance_mode = true, .service_console = true},\n", "the row of its traits"),
    ("providers/builtin.cpp", r"      esx_classic_entry\(\),\n", "      seventh_entry(),\n", "the row of what the program has of it"),
    ("providers/simulated/simulated_platforms.cpp", r"      \{Platform::esx_classic, .*\n",
     "      {Platform::seventh, lab::make_seventh_machine, rehearse::simulated_seventh()},\n", "the row of its simulated machine"),
]
NAMES = [
    ("engine/model/platform.hpp", r"unmanaged \};", "seventh, unmanaged };"),
    ("schemas/fabric.schema.json", r'"esx-classic", "mlnx-os"', '"esx-classic", "seventh", "mlnx-os"'),
    ("providers/platform_entry.hpp", r"PlatformEntry esx_classic_entry\(\);\n", "PlatformEntry esx_classic_entry();\nPlatformEntry seventh_entry();\n"),
    ("providers/simulated/simulated_platforms.cpp", r'(#include "providers/)esx_classic(/lab/)esx_classic(_machine.hpp"\n)',
     r'\g<0>\1seventh\2seventh\3#include "providers/seventh/copy/simulated_seventh.hpp"\n'),
    ("providers/simulated/CMakeLists.txt", "esx_classic_copy", "esx_classic_copy seventh_lab seventh_copy"),
    ("providers/CMakeLists.txt", "(?m)^add_subdirectory.esx_classic/(machine|lab|copy).$", r"\g<0>\nadd_subdirectory(seventh/\1)"),
    ("providers/CMakeLists.txt", "platform esx_classic_platform", "platform esx_classic_platform seventh_platform"),
]


def renamed(text):
    """In words of the new platform; it reads its tools by the parsers of the old one, and prints nothing more by `fabric parse`."""
    text = re.sub(r"\bsh::(?!\w+::)(\w+)", r"sh::seventh_\1", text)
    text = re.sub(r"\.parsers =\n\s*\{\n.*?\n {10}\},\n", ".parsers = {},\n", text, flags=re.S)
    text = text.replace("bulletin_of(", "seventh_bulletin_of(")
    return renamed_words(text).replace(f"{NEW}/parsers", f"{OLD}/parsers")


def renamed_words(text):
    return text.replace(OLD, NEW).replace("EsxClassic", "Seventh").replace("kSeventhKeys", "kEsxClassicKeys").replace("esx-classic", NEW)


def copy_folder(top):
    for path in sorted((top / "providers" / OLD).rglob("*")):
        inside = path.relative_to(top / "providers" / OLD)
        if inside.parts[0] == "parsers":
            continue
        name = renamed_words(inside.as_posix())
        # Scripts of all platforms have names of their own.
        target = top / "providers" / NEW / (re.sub(r"/(\w+\.sh)$", r"/seventh_\1", name) if path.suffix == ".sh" else name)
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(renamed(path.read_text()))
            target.chmod(path.stat().st_mode)


def edit(top, path, pattern, text):
    before = (top / path).read_text()
    after, count = re.subn(pattern, text, before)
    assert count, f"{path} has nothing like {pattern}"
    (top / path).write_text(after)


def run(folder, *argv, status=0):
    print("+", *argv, flush=True)
    done = subprocess.run(argv, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != status:
        sys.exit(f"{argv[0]} ended with {done.returncode}, expected {status}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as place:
        top = pathlib.Path(place) / "fabric"
        run(place, "git", "clone", "-q", str(root), str(top))
        copy_folder(top)
        for path, pattern, row, _ in ROWS:
            edit(top, path, pattern, lambda found, row=row: found.group(0) + row)
        for path, pattern, text in NAMES:
            edit(top, path, pattern, text)
        run(top, "cmake", "--preset", "dev")
        run(top, "cmake", "--build", "build/dev", "--target", "fabric")
        fabric = top / "build/dev/engine/cli/fabric"
        sys.argv[1:] = [str(fabric), str(top)]
        sys.path.insert(0, str(top / "tests/lab"))
        from lab import Lab  # pylint: disable=import-outside-toplevel,import-error
        document, lab_yaml = ((top / "examples/esx-classic" / name).read_text() for name in ("fabric.yaml", "lab.yaml"))
        with Lab(document=renamed(document), lab_yaml=lab_yaml) as lab:
            lab.fabric("validate", expect=0)
            lab.fabric("--lab", "plan", "--detailed-exitcode", expect=2)
            lab.fabric("--lab", "apply", "--auto-approve", expect=0)
            lab.fabric("--lab", "plan", "--detailed-exitcode", expect=0)
    print("a seventh platform: one folder, and")
    for path, _, _, what in ROWS:
        print(f"  {path}: {what}")
    for path in dict.fromkeys(path for path, _, _ in NAMES):
        print(f"  {path}: its name")


if __name__ == "__main__":
    main()
