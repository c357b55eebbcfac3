#!/usr/bin/env python3
"""E17: a manual in another language says what the English one says.

Of each page it has the same headings, and below each heading the same links, pictures, code, keys, list items and table rows; menus, buttons
and states are called as the window in that language calls them; and no English text has changed since it was translated, which
resources/translations/manual_LANGUAGE.txt keeps as a checksum for each heading.

Usage: manual_test.py ROOT                 exit status 1 when something is reported, one line each
       manual_test.py ROOT --translated    after a translation: keeps that the other languages now say what the English pages say
"""
import hashlib
import pathlib
import re
import sys
import xml.etree.ElementTree as xml
from collections import Counter, namedtuple

KEYS = {"de": {"Ctrl": "Strg", "Shift": "Umschalt", "Del": "Entf", "Home": "Pos1", "End": "Ende"}}
KEY = re.compile(r"(?:(?:Ctrl|Shift|Alt)\+)+\S+|Del|Home|End|Ctrl")
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)]+)\)")
EMPHASIS = re.compile(r"\*([^*]+)\*")

Section = namedtuple("Section", "heading level text")


def sections(file):
    """The page as a list of Section, without the empty text before the first heading."""
    parts = re.split(r"^(#+) (.+)$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [Section(heading, len(marks), text) for marks, heading, text in zip(parts[1::3], parts[2::3], parts[3::3])]


def window_names(file):
    """What the window calls something in English, without case, keys and marks at its end: what it may be called in the file's language."""
    plain = lambda text: (text or "").replace("&", "").removesuffix(" (%1)").strip(" :").lower()
    names = {}
    for message in xml.parse(file).getroot().iter("message"):
        names.setdefault(plain(message.findtext("source")), set()).add(plain(message.findtext("translation")))
    return names


def translations(name, names):
    """What @p name, as it stands in an English page, may be called; empty when the window has no such text."""
    name = " ".join(name.split()).lower()
    found = set(names.get(name, ()))
    for source, texts in names.items() if not found else ():
        if source.count("%") == 1 and "%1" in source and len(source) > 7:
            filled = re.fullmatch(re.escape(source).replace("%1", "(.+)"), name)
            found |= {text.replace("%1", filled.group(1)) for text in texts} if filled else set()
    return found


def first_cells(text):
    for row in re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE):
        yield from row.split(", ")


def emphasised(text):
    return [" ".join(name.split()) for name in EMPHASIS.findall(text.replace("**", ""))]


def code_of(text):
    return [" ".join(span.split()) for span in CODE.findall(text) + re.findall(r"^    (.+)$", text, re.MULTILINE)]


def parts(section):
    """What a section must have in every language, as a Counter of (kind, text)."""
    found = Counter(("code", span) for span in code_of(section.text))
    for is_picture, target in LINK.findall(section.text):
        found["picture" if is_picture else "link", target.removeprefix("../")] += 1
    found["list items", ""] = len(re.findall(r"^(?:- |\d+\. )", section.text, re.MULTILINE))
    found["table rows", ""] = len(re.findall(r"^\|", section.text, re.MULTILINE))
    found["paragraphs", ""] = len(section.text.strip().split("\n\n"))
    found["emphasised words", ""] = len(emphasised(CODE.sub("", section.text)))
    return found


def in_language(part, language):
    kind, text = part
    if kind == "code" and KEY.fullmatch(text):
        text = "+".join(KEYS.get(language, {}).get(key, key) for key in text.split("+"))
    return kind, text


def described(counter):
    return ", ".join(f"{number} {kind}" if not text else f"the {kind} {text}" for (kind, text), number in sorted(counter.items()))


def compare(english, other, language, names, say):
    """Reports by say(heading, sentence) what the sections of a page have that those of the other one have not."""
    for index in range(max(len(english), len(other))):
        if index >= len(other) or index >= len(english) or english[index].level != other[index].level:
            return say((english + other[len(english):])[index].heading, "has no counterpart of its level at its place in the other language")
    for source, target in zip(english, other):
        wanted = Counter()
        for part, number in parts(source).items():
            wanted[in_language(part, language)] += number
        found = parts(target)
        if wanted - found:
            say(source.heading, f"lacks {described(wanted - found)}")
        if found - wanted:
            say(source.heading, f"has {described(found - wanted)}, which the English page has not")
        says = " ".join(CODE.sub("", target.text).replace("**", "").split()).lower()
        for is_cell, mentioned in ((False, emphasised(CODE.sub("", source.text))), (True, first_cells(source.text))):
            for name in mentioned:
                is_code = any(name in span for span in code_of(source.text))
                options = () if is_code else translations(name, names)
                if options and not any(option in says if is_cell else f"*{option}*" in says for option in options):
                    say(source.heading, f"does not name “{name}” as the window does: {' or '.join(sorted(options))}")
        for line in set(source.text.splitlines()) & set(target.text.splitlines()):
            if len(line) > 60 and not line.startswith("    "):
                say(source.heading, f"is still English: {line[:60]}…")


def checksum(section):
    return hashlib.sha256(" ".join(f"{section.heading} {section.text}".split()).encode()).hexdigest()[:12]


def main():
    root, keeps = pathlib.Path(sys.argv[1]).resolve(), "--translated" in sys.argv[2:]
    manual, texts = root / "resources/manual", root / "resources/translations"
    pages = {file.name: sections(file) for file in sorted(manual.glob("*.md"))}
    problems = []
    for folder in sorted(file for file in manual.iterdir() if file.is_dir()):
        language = folder.name
        names = window_names(texts / f"atelier_{language}.ts")
        kept_in = texts / f"manual_{language}.txt"
        kept = set(kept_in.read_text(encoding="utf-8").splitlines()) if kept_in.exists() else set()
        now = []
        for page, english in pages.items():
            say = lambda heading, sentence: problems.append(f"{language}/{page}, “{heading}”: {sentence}")
            if not (folder / page).exists():
                problems.append(f"{language}/{page} is missing: translate {page}")
                continue
            compare(english, sections(folder / page), language, names, say)
            for section in english:
                now.append(f"{checksum(section)} {page}: {section.heading}")
                if not keeps and now[-1] not in kept:
                    say(section.heading, "the English text has changed since it was translated; translate the change, then run manual_test.py with --translated")
        problems += [f"{language}/{file.name} has no English page" for file in sorted(folder.glob("*.md")) if file.name not in pages]
        if keeps and not problems:
            kept_in.write_text("\n".join(now) + "\n", encoding="utf-8")
    print("\n".join(problems + [f"{len(pages)} pages, {len(problems)} problems"]))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
