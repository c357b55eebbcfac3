#!/usr/bin/env python3
"""E17: the translations are complete and keep what the program fills into texts.

Usage: translations_test.py ROOT FIXED_TEXTS    exit status 1 when something is reported, one line each
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

PLURAL_FORMS = {"de": 2}
ENTITY = re.compile(r"&(?:[a-z]+|#\d+);")
ENDINGS = ("…", "...", ".", ":", "?", "!")


def messages(file):
    for context in xml.parse(file).getroot().iter("context"):
        for message in context.iter("message"):
            yield context.findtext("name"), message


def key(context, message):
    return context, message.findtext("source"), message.get("numerus")


def forms(message):
    translation = message.find("translation")
    if message.get("numerus") == "yes":
        return [form.text or "" for form in translation.iter("numerusform")]
    return [translation.text or ""]


def has_mnemonic(text):
    return re.search(r"&[^\W_]", ENTITY.sub("", text)) is not None


def differences(source, text, is_singular):
    """What the translation lacks of the source, or has too much."""
    marks = lambda value: set(re.findall(r"%L?[1-9]", value))
    if marks(source) != marks(text):
        yield f"has the marks {sorted(marks(text))} for {sorted(marks(source))}"
    counts = lambda value: re.findall(r"%L?n", value)
    if counts(source) != counts(text) and not (is_singular and not counts(text)):
        yield f"has the counts {counts(text)} for {counts(source)}"
    if has_mnemonic(source) != has_mnemonic(text):
        yield "has a key marked with &, or lacks one"
    ending = lambda value: next((each for each in ENDINGS if value.endswith(each)), "")
    if ending(source) != ending(text):
        yield f"ends in {ending(text)!r} for {ending(source)!r}"
    for what in (r"<[^<>]*>", r"\n", r"^\s+|\s+$"):
        if re.search(r"<\w+>|\n|^\s|\s$", source) and len(re.findall(what, source)) != len(re.findall(what, text)):
            yield f"differs in its tags, lines or spaces ({what})"
    if set(ENTITY.findall(source)) != set(ENTITY.findall(text)):
        yield "differs in its entities"
    for filters in re.findall(r"\*\.\w+", source):
        if filters not in text:
            yield f"lacks {filters}"


def check(file, root, fixed_texts, report):
    language = file.stem.removeprefix("atelier_")
    known = {}
    for context, message in messages(file):
        place = f"{file.name}: {context}: {message.findtext('source')!r}"
        known[key(context, message)] = message
        state = message.find("translation").get("type")
        if state:
            report(f"{place} is {state}; translate it, or run resources/translations/update")
            continue
        texts = forms(message)
        if message.get("numerus") == "yes" and len(texts) != PLURAL_FORMS.get(language, len(texts)):
            report(f"{place} has {len(texts)} plural forms")
        for index, text in enumerate(texts):
            if not text:
                report(f"{place} has an empty translation")
                continue
            for difference in differences(message.findtext("source"), text, is_singular=len(texts) > 1 and index == 0):
                report(f"{place}: {text!r} {difference}")
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / file.name
        shutil.copy(file, copy)
        subprocess.run([root / "resources/translations/update", copy], check=True, env=os.environ | {"FIXED_TEXTS": fixed_texts})
        updated = {key(context, message) for context, message in messages(copy)}
    for context, source, _ in sorted(updated - known.keys(), key=str):
        report(f"{file.name} lacks {context}: {source!r}; run resources/translations/update and translate it")
    for context, source, _ in sorted(known.keys() - updated, key=str):
        report(f"{file.name} has {context}: {source!r}, which is in no source; run resources/translations/update")


def main():
    root, fixed_texts = pathlib.Path(sys.argv[1]).resolve(), str(pathlib.Path(sys.argv[2]).resolve())
    problems = []
    files = sorted((root / "resources/translations").glob("atelier_*.ts"))
    if not files:
        problems.append("there is no translation")
    for file in files:
        check(file, root, fixed_texts, problems.append)
    print("\n".join(problems + [f"{len(files)} translations, {len(problems)} problems"]))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
