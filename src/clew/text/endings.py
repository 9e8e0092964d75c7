"""Endings of English words, taken off so that forms of one word meet; for words in lower case."""

from __future__ import annotations


def without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] not in "us" else word


def without_past(word: str) -> str:
    if word.endswith("ing") and len(word) > 5:
        root = word[:-3]
    elif word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    elif word.endswith("ed") and not word.endswith("eed") and len(word) > 4:
        root = word[:-2]
    else:
        return word
    if not any(letter in "aeiouy" for letter in root):  # string, shred
        return word
    return root[:-1] if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz" else root
