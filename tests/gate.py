"""What the gates of the checks over sources share: small trees that break one rule each."""
import pathlib
import tempfile


def failures_of(check, whole, broken):
    """What goes wrong when check(root), which returns sentences, sees the whole tree and then each change of it.

    whole   {path: text}; nothing may be said of it
    broken  {what: (changes or additions, a part of what must be said)}
    """

    def said(tree):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in tree.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return check(root)

    failures = [f"the whole tree: {problem}" for problem in said(whole)]
    for what, (change, sentence) in broken.items():
        found = said({**whole, **change})
        if not any(sentence in problem for problem in found):
            failures.append(f"{what}: not found, but {found}")
    return failures


def report(failures):
    """Prints them; returns the exit status."""
    for failure in failures:
        print(failure)
    return 1 if failures else 0
