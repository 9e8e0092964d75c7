"""Names: functions, variables, classes, constants and files that are new, and the case a rule wants them in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from clew.signals.adherence.checks.code import added, named_language, pieces
from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.values import NOTHING, Judged, Turn

_DEFINED = {
    "functions": re.compile(
        r"^\s*(?:export |default |async |pub |public |private |static |func |\()*(?:def|function|fn"
        r"|func)\s+([A-Za-z_$][\w$]*)"
    ),
    "classes": re.compile(
        r"^\s*(?:export |default |abstract |pub |public |final )*(?:class|interface|struct|enum|trait)\s+([A-Za-z_]\w*)"
    ),
    "variables": re.compile(
        r"^\s*(?:export )?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*[=:]|^\s*([a-z_]\w*)\s*(?::\s*[\w\[\], ."
        r"|]+)?=(?![=>])"
    ),
    "constants": re.compile(r"^(?:export )?(?:const|final|static)\s+([A-Za-z_]\w*)\s*=\s*[\d\"']|^([A-Z_]{2,}\w*)\s*="),
}
_STYLES = {
    "snake": re.compile(r"_*[a-z0-9]+(?:_[a-z0-9]+)*_*\Z"),
    "camel": re.compile(r"_*\$?[a-z][a-z0-9]*(?:[A-Z][A-Za-z0-9]*)*\Z"),
    "pascal": re.compile(r"_*[A-Z][A-Za-z0-9]*\Z"),
    "upper": re.compile(r"_*[A-Z0-9]+(?:_[A-Z0-9]+)*\Z"),
    "kebab": re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z"),
}
_STYLE_NAMES = re.compile(
    r"\b(?:(snake[ _-]?case)|(?:lower[ -]?)?(camel[ _-]?case)|(pascal[ _-]?case)|((?:screaming"
    r"|upper)[ _-]?snake[ _-]?case|upper_case)|(kebab[ _-]?case))\b"
)
_ORDER = ("snake", "camel", "pascal", "upper", "kebab")
_TARGETS = {
    "functions": re.compile(r"\b(?:functions?|methods?|helpers?|hooks?)\b"),
    "variables": re.compile(r"\b(?:variables?|vars?|parameters?)\b"),
    "classes": re.compile(r"\b(?:class(?:es)?|types?|interfaces?|components?|structs?)\b"),
    "constants": re.compile(r"\bconstants?\b"),
    "files": re.compile(r"\b(?:files?|file ?names?|folders?|modules?)\b"),
}


@dataclass(frozen=True, slots=True)
class Naming:
    """New names of those kinds are written in that style."""

    style: str
    targets: tuple[str, ...]
    language: str = ""
    forbidden: bool = False
    of_reply: bool = False

    def judge(self, turn: Turn) -> Judged:
        names = [found for target in self.targets for found in self._names(turn, target)]
        # A single word fits most styles: it tells nothing.
        names = [(name, call) for name, call in names if "_" in name.strip("_") or "-" in name or _has_hump(name)]
        if not names:
            return NOTHING
        wrong = [one for one in names if bool(_STYLES[self.style].match(one[0])) is self.forbidden]
        if not wrong:
            return Judged(1.0, evidence=names[0][0])
        share = len(wrong) / len(names)
        return Judged(0.4 * (1 - share), sure=share > 0.5 and len(wrong) > 1, evidence=wrong[0][0], call=wrong[0][1])

    def _names(self, turn: Turn, target: str) -> list[tuple[str, int]]:
        if target == "files":
            created = [(at, deed.path) for at, deed in turn.work.changed if deed.content is not None]
            return [(path.rsplit("/", 1)[-1].split(".")[0], at) for at, path in created]
        found = []
        for one in pieces(turn):
            if not self.language or one.language == self.language:
                matches = (_DEFINED[target].match(line[:300]) for line in added(one)[:2000])
                found += [(next(filter(None, match.groups())), one.call) for match in matches if match]
        return found


def _has_hump(name: str) -> bool:
    return any(one.islower() and other.isupper() for one, other in pairwise(name))


def naming(rule: Rule) -> Iterator[Naming]:
    """How a rule wants things to be called."""
    found = _STYLE_NAMES.search(rule.body)
    if found is None or rule.is_asked:
        return
    style = _ORDER[next(at for at, group in enumerate(found.groups()) if group)]
    clause = re.split(r"[,;]", rule.body[found.start() :])[0] if "," in rule.body else rule.body
    targets = tuple(target for target, pattern in _TARGETS.items() if pattern.search(clause))
    if "files" in targets and len(targets) > 1 and re.search(r"\bfile ?names?\b", clause):
        targets = ("files",)
    if re.search(r"\b(?:wire|json|api|database|db|columns?|tables?|keys?|fields?|css|url|endpoints?|env)\b", rule.body):
        return
    is_told = re.match(r"(?:use|using|prefer|name|write|stick|follow|we use|keep)\b", rule.head)
    is_said = bool(targets) and re.search(r"\b(?:must|should|are|be|in|always)\b", rule.body)
    if is_said or (is_told and (targets or style in {"snake", "camel"})):
        yield Naming(
            style,
            targets or ("functions", "variables"),
            named_language(rule.body),
            rule.forbids or rule.is_negated_before(found.start()),
        )
