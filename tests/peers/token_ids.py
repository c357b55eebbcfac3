"""Random texts and their token ids by Hugging Face's tokenizers (CLIP, Qwen2) and by SentencePiece (T5).

usage: token_ids.py COUNT SEED CASE…: prints {"tokenizer_clip": [{"text", "ids"}, …], …} as JSON, by the names of the folders
of the cases, ids without special tokens around them. Characters are those of Unicode 3.2, whose normal forms and classes no library disagrees about.
"""
import json
import pathlib
import random
import sys
import unicodedata

import sentencepiece
import tokenizers

KNOWN = [chr(c) for c in range(1, 0x110000)
         if not 0xD800 <= c < 0xE000 and unicodedata.ucd_3_2_0.category(chr(c)) not in ("Cn", "Co")]
MARKS = [c for c in KNOWN if unicodedata.combining(c)]
SPACES = "\t\n\x0b\x0c\r\x1c\x1f \xa0\u1680\u2000\u200a\u200b\u2028\u2029\u202f\u3000\ufeff"
PARTS = ["'s", "'S", "'ll", "'LL", "'\u017f", "<|endoftext|>", "<|ENDOFTEXT|>", "<|im_start|>", "\r\n", "\n\n", " \n ", "  ",
         "\u2581", "\u03a3\u03b1\u03c2", "\u0130", "\ufb01", "12 345", "e\u0301", "\u1112\u1161\u11ab", "large", "sphere", "caf\u00e9"]


def part():
    kind = random.random()
    if kind < 0.3:
        return random.choice(PARTS)
    if kind < 0.5:
        return random.choice(SPACES)
    if kind < 0.65:
        return "".join(random.choice(KNOWN) for _ in range(random.randint(1, 4)))
    if kind < 0.75:
        return random.choice("aeouqKA") + "".join(random.choice(MARKS) for _ in range(random.randint(1, 4)))
    return "".join(chr(random.randint(32, 126)) for _ in range(random.randint(1, 8)))


def main():
    random.seed(int(sys.argv[2]))
    texts = ["".join(part() for _ in range(random.randint(1, 15))) for _ in range(int(sys.argv[1]))]
    # White space that SentencePiece's map does not know is a space for Hugging Face's tokenizers and for Atelier.
    plain = [text for text in texts if "\x85" not in text]
    result = {}
    for case in map(pathlib.Path, sys.argv[3:]):
        folder = case / json.loads((case / "case.json").read_text())["tokenizer"]
        if (folder / "spiece.model").exists():
            pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "spiece.model"))
            result[case.name] = [{"text": text, "ids": pieces.encode(text)} for text in plain]
        else:
            tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
            result[case.name] = [{"text": text, "ids": tokenizer.encode(text, add_special_tokens=False).ids} for text in texts]
    json.dump(result, sys.stdout)


main()
