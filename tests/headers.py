#!/usr/bin/env python3
"""Checks that every header stands on its own: it includes, or includes headers of ours that include, what it names.

To compile each header by itself says the same more strictly, and takes a quarter of an hour. Reported are

- a name of the standard library without one of its headers (STANDARD),
- a class of Qt that is neither declared ahead nor in a header of Qt reached from here,
- names of LibTorch without a header of it,
- a type of ours that is neither declared ahead nor in a header reached from here,
- a header that is not guarded, and a source that does not begin with the header of its name.

Usage: headers.py ROOT QT_INCLUDE_FOLDER    exit status 1 when something is reported, one line each
"""
import functools
import pathlib
import re
import sys

TOPS = ("app", "engine", "launcher", "storage", "tests", "ui")
# Which headers declare a name: of std, of std::chrono, of std::filesystem.
STANDARD = {
    "algorithm": "min max clamp shuffle sort",
    "array": "array",
    "atomic": "atomic atomic_bool atomic_flag memory_order_relaxed",
    "bit": "bit_cast",
    "bitset": "bitset",
    "charconv": "to_chars from_chars",
    "chrono": "chrono",
    "cmath": "isnan isinf isfinite signbit sqrt floor abs cos sin exp nan",
    "condition_variable": "condition_variable condition_variable_any",
    "cstddef": "size_t byte ptrdiff_t nullptr_t",
    "cstdint": "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintmax_t uintptr_t",
    "csetjmp": "jmp_buf",
    "cstdio": "FILE fprintf fputc fputs remove",
    "cstdlib": "free aligned_alloc abort getenv abs",
    "cstring": "memcpy memset strcmp strrchr",
    "ctime": "clock clock_t time_t",
    "deque": "deque",
    "exception": "exception exception_ptr",
    "filesystem": "filesystem",
    "functional": "function less hash identity equal_to boyer_moore_horspool_searcher",
    "fstream": "ifstream ofstream fstream",
    "future": "future promise future_status",
    "initializer_list": "initializer_list",
    "ios": "ios",
    "iosfwd": "ostream istream",
    "iterator": "istreambuf_iterator size",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "unique_ptr shared_ptr weak_ptr make_unique make_shared",
    "mutex": "mutex lock_guard unique_lock scoped_lock once_flag",
    "new": "bad_alloc",
    "numbers": "numbers",
    "optional": "optional nullopt nullopt_t",
    "source_location": "source_location",
    "ostream": "ostream",
    "istream": "istream",
    "iostream": "cout cerr",
    "regex": "regex",
    "random": "mersenne_twister_engine mt19937 mt19937_64 normal_distribution uniform_int_distribution",
    "ranges": "ranges",
    "ratio": "milli",
    "set": "set multiset",
    "span": "span",
    "stdexcept": "runtime_error invalid_argument logic_error out_of_range",
    "stop_token": "stop_token stop_source stop_callback",
    "string": "string u32string u16string to_string",
    "string_view": "string_view u32string_view u16string_view",
    "system_error": "system_error error_code errc generic_category",
    "thread": "thread jthread",
    "tuple": "tuple",
    "type_traits": "is_same_v invoke_result_t remove_const_t remove_pointer_t remove_cvref_t",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "pair move exchange forward swap index_sequence index_sequence_for",
    "variant": "variant get",
    "vector": "vector erase_if",
}
# A header that the standard says declares what another is known for.
ALSO = {"cstddef": ("string", "vector", "array", "span", "map", "set", "deque", "string_view", "cstdlib", "cstring", "memory", "optional"),
        "utility": ("map", "unordered_map", "vector", "string", "memory", "functional", "optional", "tuple", "algorithm", "set"),
        "initializer_list": ("vector", "string", "map", "set", "deque"),
        "string_view": ("string", "filesystem"),
        "string": ("filesystem", "stdexcept", "system_error"),
        "system_error": ("filesystem",),
        "exception": ("stdexcept", "system_error", "new"),
        "type_traits": ("utility", "functional", "memory"),
        "stop_token": ("thread",),
        "chrono": ("filesystem",),
        "ios": ("fstream", "ostream", "istream"),
        "iterator": ("string", "vector", "span", "map", "set", "fstream"),
        "ranges": ("algorithm",),
        "ratio": ("chrono",),
        "iosfwd": ("ostream", "istream", "iostream")}
TORCH_NAMES = re.compile(r"\b(?:at|c10|c10d|torch)::")
COMMENTS = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
ENUMERATORS = re.compile(r"\benum\b[^;{]*\{([^}]*)\}", re.DOTALL)
QT_CLASS = re.compile(r"\bQ[A-Z]\w*[a-z]\w*\b")
OUR_TYPE = re.compile(r"(?<!\.)\b(?:[A-Z][a-z0-9]+){2,}\b")  # of two words or more: one word is a member's or a case's name too often
FORWARD = re.compile(r"\b(?:class|struct|enum class|enum)\s+(\w+)(?:\s*:\s*[\w:]+)?\s*;")
DECLARED = re.compile(r"^(?:template\s*<[^>]*>\s*)?(?:class|struct|enum class|enum|union)\s+(?:\[\[\w+\]\]\s*)?(\w+)[^;{()]*\{|^using\s+(\w+)\s*=", re.MULTILINE)


def blank(match):
    return '""' if match.group(0)[0] in '"R' else " "


class Tree:
    def __init__(self, root, qt):
        self.root, self.qt = root, qt
        self.texts = {}  # by path from the root, as written
        for top in TOPS:
            for path in sorted((root / top).rglob("*")):
                if path.suffix in (".h", ".cpp"):
                    self.texts[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8")
        self.code = {name: COMMENTS.sub(blank, INCLUDE.sub("", text)) for name, text in self.texts.items()}
        self.forward = {name: set(FORWARD.findall(code)) for name, code in self.code.items()}
        enumerators = {word for code in self.code.values() for body in ENUMERATORS.findall(code) for word in re.findall(r"\w+", body)}
        self.declared_in = {}
        for name, code in self.code.items():
            if name.endswith(".h"):
                for groups in DECLARED.findall(code):
                    declared = groups[0] or groups[1]
                    if declared not in enumerators:
                        self.declared_in.setdefault(declared, set()).add(name)

    def headers(self):
        return [name for name in self.texts if name.endswith(".h")]

    @functools.cache
    def reached(self, name):
        """Headers of ours, and those of others by the name between <…>, that including this one includes."""
        ours, others, open_names = set(), set(), [name]
        while open_names:
            current = open_names.pop()
            if current in ours:
                continue
            ours.add(current)
            for mine, other in INCLUDE.findall(self.texts[current]):
                if mine in self.texts:
                    open_names.append(mine)
                else:
                    others.add(other or mine)
        return ours, others

    @functools.cache
    def qt_file(self, name):
        """The header that <QName>, <QtModule/QName> or a name within Qt's headers leads to, or None."""
        for folder in ("", "QtCore", "QtGui", "QtWidgets", "QtNetwork", "QtPrintSupport", "QtDBus", "QtTest"):
            path = self.qt / folder / name
            if path.is_file():
                inner = INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace")) if path.suffix != ".h" else []
                return self.qt_file(inner[0][0] or inner[0][1]) if len(inner) == 1 else path
        return None

    @functools.cache
    def qt_text(self, path):
        """What a header of Qt includes, and what it declares ahead."""
        text = path.read_text(encoding="utf-8", errors="replace")
        return [mine or other for mine, other in INCLUDE.findall(text)], set(FORWARD.findall(text))

    @functools.cache
    def qt_reached(self, name):
        """The headers of Qt that <QName> includes, and the classes that they declare ahead."""
        seen, ahead, open_names = set(), set(), [self.qt_file(name)]
        while open_names:
            path = open_names.pop()
            if path is None or path in seen:
                continue
            seen.add(path)
            included, declared = self.qt_text(path)
            ahead |= declared
            open_names += [self.qt_file(inner) for inner in included]
        return seen, ahead


def standard_problems(code, others):
    for header, names in STANDARD.items():
        for name in names.split():
            if re.search(rf"\bstd::{name}\b", code):
                homes = {header, *ALSO.get(header, ())} | {other for other, more in STANDARD.items() if name in more.split()}
                if not homes & others:
                    yield f"std::{name} without <{header}>"
    known = {name for names in STANDARD.values() for name in names.split()}
    for name in sorted(set(re.findall(r"\bstd::(\w+)", code)) - known):
        yield f"std::{name}: tests/headers.py does not know its header"


def problems_of(tree, name):
    code = tree.code[name]
    ours, others = tree.reached(name)
    ahead = set().union(*(tree.forward[header] for header in ours))
    if not re.search(r"^#pragma once$", tree.texts[name], re.MULTILINE):
        yield "is not guarded by #pragma once"
    yield from standard_problems(code, others)
    if TORCH_NAMES.search(code) and not any(other.startswith(("ATen/", "c10/", "torch/")) for other in others):
        yield "names of LibTorch without a header of it"
    qt = [tree.qt_reached(other) for other in others if other.startswith("Q")]
    for used in sorted(set(QT_CLASS.findall(code))):
        home = tree.qt_file(used)
        if home and used not in ahead and not any(home in seen or used in declared for seen, declared in qt):
            yield f"{used} without <{used}>"
    for used in sorted(set(OUR_TYPE.findall(ENUMERATORS.sub(" ", code)))):
        homes = tree.declared_in.get(used)
        if homes and not homes & ours and used not in ahead:
            yield f"{used} without \"{sorted(homes)[0]}\""


def check(root, qt):
    tree = Tree(root, qt)
    problems = [f"{name}: {problem}" for name in tree.headers() for problem in problems_of(tree, name)]
    for name, text in tree.texts.items():
        own = name[:-4] + ".h"
        if name.endswith(".cpp") and own in tree.texts:
            first = INCLUDE.search(text)
            if not first or first.group(1) != own:
                problems.append(f"{name}: does not begin with \"{own}\"")
    return problems


def main():
    problems = check(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
