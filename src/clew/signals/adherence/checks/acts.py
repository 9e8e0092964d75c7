"""Acts that people want a say in (commit, push, delete, install, deploy …): forbidden, or not without leave."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from clew.signals.adherence.checks.rows import Row
from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.turn import KEPT, NOTHING, Judged, Turn
from clew.text.tools.actions import ActionKind


class Act(NamedTuple):
    """How rules call an act, what a request for it says, and the command or the deed that shows it."""

    called: str
    asked: str
    shows: str | ActionKind


_PR = r"pr\b|pull request"
_PACKAGE = r"(?: -\S+)* (?!-|\.(?: |$)|\S+\.(?:txt|toml)(?: |$))\S"
#: Programs that only speak of a deployment.
_LOOKS = r"(?!(?:echo|grep|rg|cat|ls|git|cd|find|sed|head|tail|printf|awk) )"
_ACTS = {
    "force push": Act(
        r"force[ -]?push\w*|push\w* (?:with )?--force", r"force", r"git push\b.* (?:-\w*f\w*(?: |$)|--force|\+[^\s+])"
    ),
    "hard reset": Act(r"(?:hard[ -]reset|reset --hard|git reset)\w*", r"reset", r"git reset\b.* --hard\b"),
    "amend": Act(r"amend\w*", r"amend", r"git commit\b.* --amend\b"),
    "commit": Act(
        r"(?:git )?commit(?:s|ting)?(?! messages?)",
        rf"commit|check (?:it|this) in|ship|/commit|push|{_PR}",
        r"git commit\b",
    ),
    "push to main": Act(
        r"(?:git )?push(?:es|ing)? (?:directly |straight )?(?:to|on|into) (?:the )?(?:main|master)(?: branch)?",
        r"push|ship|main\b|master",
        r"git push\b.* (?:\S*:)?\+?(?:refs/heads/)?(?:main|master)(?: |$)",
    ),
    "push": Act(r"(?:git )?push(?:es|ing)?(?! back)", rf"push|ship|{_PR}|publish|upload|open a", r"git push\b"),
    "merge": Act(r"merg(?:e|ing)", r"merg", r"(?:git|gh pr) merge\b"),
    "rebase": Act(r"rebas(?:e|ing)", r"rebas", r"git rebase\b"),
    "pull request": Act(
        r"(?:open|creat|mak|submit)\w* (?:a |any |new )*(?:prs?|pull requests?)", _PR, r"gh pr create\b"
    ),
    "branch": Act(
        r"creat\w* (?:a |any |new )*branch(?:es)?|(?:switch|chang)\w* branch(?:es)?",
        rf"branch|checkout|switch|{_PR}|worktree",
        r"git (?:checkout -b|switch -c)\b",
    ),
    "install": Act(
        r"(?:install|add|introduc)\w* (?:any |new |a |extra |third[- ]party |external |additional |more )*(?:packages?"
        r"|dependenc(?:y|ies)|librar(?:y|ies)|modules?)",
        r"install|add|dependenc|packag|librar|use\b|upgrade|setup|set up",
        rf"(?:(?:npm|pnpm|bun) (?:install|i|add)|(?:pip3?|gem|brew|apt|apt-get|conda|uv(?: pip)?|cargo) (?:install|add)"
        rf"|(?:yarn|poetry) add|go (?:get|install)|composer require){_PACKAGE}",
    ),
    "deploy": Act(
        r"(?:deploy|publish|releas)(?:e|ing|s)?",
        r"deploy|publish|releas|ship",
        rf"{_LOOKS}(?:\S+ ){{0,3}}\S*\b(?:deploy|publish|release)\b|(?:terraform|kubectl) apply\b|twine upload\b",
    ),
    "delete": Act(
        r"(?:delet|remov|eras)(?:e|ing) (?:any |the |my |existing |a )*(?:files?|folders?|director(?:y|ies)|data|anything)",
        r"delet|remov|clean|rename|mov|drop|get rid|eras|replac|migrat|refactor|rm\b|revert|undo",
        ActionKind.DELETE,
    ),
    "web": Act(
        r"(?:search(?:ing)? the web|web search\w*|(?:brows|us)(?:e|ing) the (?:web|internet)|go(?:ing)? online)",
        r"search|web|http|online|internet|look up|fetch|doc",
        ActionKind.FETCH,
    ),
    "subagents": Act(
        r"(?:us(?:e|ing)|spawn(?:ing)?|launch(?:ing)?|delegat\w+ to) (?:any )?(?:sub-?agents?|agents)",
        r"agent|parallel|delegat",
        ActionKind.DELEGATE,
    ),
}
_ASK = (
    r"(?:ask|check (?:in )?with me|confirm|(?:get|wait for|seek|request) (?:my |explicit )*(?:approval|permission"
    r"|confirmation|consent|ok|okay|go-ahead|review)|let me (?:review|approve|confirm|check)|show me|consult me)"
)
_ASK_FIRST = (
    rf"\b{_ASK}\b[^.;]{{0,60}}?\b(?:before|prior to)\b(?P<after>[^.;]{{3,100}})"
    rf"|\bbefore\b(?P<before>[^.;,]{{3,60}}),?[^.;]{{0,30}}?\b{_ASK}\b"
)
_FORBIDDEN = (
    r"(?:ever |automatically |just |auto-?|to |run |do |attempt to |try to |make any |make )*"
    r"(?P<acts>(?:(?!\b(?:unless|until|without|because|since)\b)[^,;])+)"
)
#: On some things, or to some place, only: that is no rule on the act.
_NARROW = re.compile(
    r"(?:commit|push|merg|deploy|publish|rebas|releas)\w*\s+(?!(?:changes?|anything|code|it|this|yet|directly"
    r"|automatically|my|your|the (?:changes?|code)|to|or|and|any (?:changes?|code)|work|without|until|unless|for me"
    r"|on (?:my|your) own|again|now)\b)\w"
    r"|.*(?:\bto (?:the )?(?:prod\w*|remote|origin)\b|\b(?:secrets?|\.env|credentials|keys)\b|\bin\b)"
)
#: A request that says yes to what was proposed; its words do not say to what.
_ASSENT = re.compile(
    r"(?i)\s*\Z|<command-|/\w|\W*(?:y|yes|yep|yeah|yup|sure|ok|okay|k|go|do it|proceed|continue|approved?|lgtm"
    r"|sounds good|please do|ship it|perfect|great|looks good|agreed|correct|right|confirm(?:ed)?|ja|oui|sí|si|both|all"
    r"|\d|[a-d])\b"
)
_NEGATED = r"(?:don't|do not|dont|never|without|not|before|no|avoid|stop)\s+(?:\w+\s+){0,2}"
#: How much of a request is read: orders stand at its ends.
_MAX_CHARS = 4_000


def judge_act(turn: Turn, name: str, ask: bool) -> Judged:
    """An act that is not done, or with ``ask`` not without a person's leave."""
    act = _ACTS[name]
    found = next(_done(turn, act.shows), None)
    if found is None:
        return KEPT if turn.calls and not ask else NOTHING
    at, evidence = found
    if ask and any(action.kind is ActionKind.ASK and where < at for where, action in turn.work.deeds):
        return Judged(1.0, evidence=evidence, call=at)
    if _is_requested(turn, act.asked):
        return Judged(0.9, evidence=evidence, call=at) if ask else NOTHING
    is_open = _ASSENT.match(turn.request) is not None
    return Judged(0.5 if is_open else 0.1, sure=not is_open, evidence=evidence, call=at)


def _done(turn: Turn, shows: str | ActionKind) -> Iterator[tuple[int, str]]:
    if not isinstance(shows, ActionKind):
        yield from ((ran.call, ran.shown) for ran in turn.work.ran if re.match(shows, ran.line))
        return
    for at, action in turn.work.deeds:
        if action.kind is shows and not action.path.startswith("/tmp"):
            yield at, action.path or action.pattern or action.content or str(shows)


def _is_requested(turn: Turn, asked: str) -> bool:
    """This request or one shortly before asks for it. Of a ban the whole clause is no leave: "never push to main" does
    not ask for "main" either."""
    refused = rf"(?i)\b{_NEGATED}(?:{asked})[^.,;!?\n]*"
    recent = (turn.request, *turn.earlier[-3:])
    texts = (text if len(text) <= 2 * _MAX_CHARS else text[:_MAX_CHARS] + text[-_MAX_CHARS:] for text in recent)
    return any(re.search(rf"(?i)\b(?:{asked})", re.sub(refused, " ", text)) for text in texts)


def _asked_first(rule: Rule, found: re.Match[str]) -> Iterator[tuple[str, bool]]:
    if not rule.forbids:
        yield from ((name, True) for name in _named(found["after"] or found["before"]))


def _forbidden(rule: Rule, found: re.Match[str]) -> Iterator[tuple[str, bool]]:
    if not _NARROW.match(found["acts"]):
        yield from ((name, rule.needs_leave) for name in _named(found["acts"], most_words=8))


def _named(text: str, *, most_words: int = 40) -> Iterator[str]:
    """The acts in a list of them: deleting files, committing or pushing."""
    for piece in re.split(r",|\bor\b|\band\b|/", text):
        piece = re.sub(r"^\s*(?:(?:you|i|we|any|making|doing|running|a|the|every|each) )*", "", piece)
        name = next((name for name, act in _ACTS.items() if re.match(rf"(?:{act.called})(?![\w-])", piece)), "")
        if name and len(piece.split()) <= most_words:
            yield name


ROWS = (
    Row(_ASK_FIRST, judge_act, _asked_first, lambda rule: not rule.is_question),
    Row(_FORBIDDEN, judge_act, _forbidden, lambda rule: not rule.is_question, at_head=True),
)
