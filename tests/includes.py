#!/usr/bin/env python3
"""Checks who includes whom, against what the folders' READMEs say.

Every folder with sources has a README.md with a paragraph that begins "May include" and names folders between backticks;
a name without sources of its own (engine/contract) stands for all folders below it. Reported are

- an include of a folder that the README does not name, and a name that nothing includes;
- circles between folders;
- product code that includes tests, and libraries that a folder must not know (OUTSIDE);
- a folder that has grown past MOST_FILES, and an engine folder that links other folders than it includes.

Usage: includes.py [ROOT]    exit status 1 when something is reported, one line each
"""
import pathlib
import re
import sys

TOPS = ("app", "engine", "launcher", "storage", "ui")
MOST_FILES = 50  # headers and sources of a folder
MOST_ENGINE_FILES = 45
# What a folder and those below it must not include, by the beginning of <…>.
TORCH, QT, SQL = ("ATen/", "c10/", "torch/"), ("Q",), ("sqlite3", "SQLiteCpp")
OUTSIDE = {
    "engine": QT + SQL,
    "engine/contract": TORCH,
    "engine/emoji": TORCH,
    "engine/text": TORCH,
    "app": TORCH + SQL,
    "launcher": TORCH + SQL + ("QtWidgets", "QWidget", "QApplication"),
    "storage": TORCH + ("QtWidgets", "QWidget", "QApplication", "QProcess"),
    "ui": TORCH + SQL + ("QProcess",),
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def folder_of(path):
    return path.rpartition("/")[0]


def is_below(folder, top):
    return folder == top or folder.startswith(top + "/")


def sources(root):
    for top in TOPS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                yield path.relative_to(root).as_posix()


def permissions(root, folder, complain):
    """The folders that the README of a folder names, or None without such a paragraph."""
    readme = root / folder / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    paragraph = re.search(r"^(May include.*?)(?:\n\s*\n|\Z)", text, re.MULTILINE | re.DOTALL)
    if not paragraph:
        complain(f"{folder}/README.md: no paragraph begins \"May include\"")
        return None
    return {name for name in re.findall(r"`([^`]+)`", paragraph.group(1)) if name.split("/")[0] in TOPS}


def linked(root, folder):
    """The engine's folders whose libraries an engine folder's CMakeLists.txt links; "engine_data_headers" are the headers of engine_data."""
    text = (root / folder / "CMakeLists.txt").read_text(encoding="utf-8")
    call = re.search(r"engine_part\((.*?)\)\n", text, re.DOTALL)
    libraries = call.group(1).partition("LIBRARIES")[2].split() if call else []
    return {library.removesuffix("_headers") for library in libraries if library.startswith("engine_")}


def circle(graph):
    state, path = {}, []

    def visit(folder):
        if state.get(folder) == "done":
            return None
        if state.get(folder) == "open":
            return path[path.index(folder):] + [folder]
        state[folder] = "open"
        path.append(folder)
        for other in sorted(graph.get(folder, ())):
            found = visit(other)
            if found:
                return found
        path.pop()
        state[folder] = "done"
        return None

    for folder in sorted(graph):
        found = visit(folder)
        if found:
            return found
    return None


def check(root):
    problems = []
    complain = problems.append
    graph, files = {}, {}
    for name in sources(root):
        folder = folder_of(name)
        files.setdefault(folder, []).append(name)
        included = graph.setdefault(folder, {})
        for quoted, bracketed in INCLUDE.findall((root / name).read_text(encoding="utf-8")):
            if bracketed:
                for top, prefixes in OUTSIDE.items():
                    if is_below(folder, top) and bracketed.startswith(prefixes):
                        complain(f"{name}: includes <{bracketed}>, which {top} must not know")
            elif quoted.startswith("tests/"):
                complain(f"{name}: includes {quoted}; product code does not know the tests")
            elif quoted.split("/")[0] in TOPS and folder_of(quoted) != folder:
                included.setdefault(folder_of(quoted), f"{name} includes {quoted}")

    for folder, included in sorted(graph.items()):
        allowed = permissions(root, folder, complain)
        if allowed is not None:
            covers = lambda name, other: other == name or (name not in files and is_below(other, name))
            for other, example in sorted(included.items()):
                if not any(covers(name, other) for name in allowed):
                    complain(f"{example}, but {folder}/README.md does not name {other}")
            for name in sorted(allowed):
                if not any(covers(name, other) for other in included):
                    complain(f"{folder}/README.md names {name}, which nothing in the folder includes")
        most = MOST_ENGINE_FILES if folder.startswith("engine/") else MOST_FILES
        if len(files[folder]) > most:
            complain(f"{folder}: {len(files[folder])} files; at most {most} are one idea")
        if folder.startswith("engine/"):
            wanted = {other.replace("/", "_") for other in included}
            for library in sorted(linked(root, folder) ^ wanted):
                verb = "does not link" if library in wanted else "links without need"
                complain(f"{folder}/CMakeLists.txt: {verb} {library}")

    found = circle(graph)
    if found:
        complain("a circle: " + " → ".join(found))
    return problems, len(files)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    problems, folders = check(root)
    if folders == 0:
        problems = [f"{root}: no sources"]
    for problem in problems:
        print(problem)
    print(f"{folders} folders, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
