"""Acts that people want a say in (commit, push, delete, install, deploy …): forbidden, or not without leave."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.signals.adherence.checks.rows import Row, of_work
from clew.signals.adherence.checks.rule import RuleSentence
from clew.signals.adherence.checks.turn import KEPT, NOTHING, CheckedTurn, Judgement
from clew.text.tools.actions import ActionKind

_PR = r"pr\b|pull request"
_ANY = r"(?:any |the |my |existing |an? |new |extra |third[- ]party |external |additional |more )*"
_PACKAGE = r"(?: -\S+)* (?!-|\.(?: |$)|\S+\.(?:txt|toml)(?: |$))\S"
#: Each act: how rules call it, what a request for it says, and the command or the deed that shows it.
_ACTS: dict[str, tuple[str, str, str | ActionKind]] = {
    "force push": (r"force[ -]?push\w*|push\w* (?:with )?--force", "force",
                   r"git push\b.* (?:-\w*f\w*(?: |$)|--force|\+[^\s+])"),
    "commit": (r"(?:git )?commit(?:s|ting)?(?! messages?)", rf"commit|check (?:it|this) in|ship|/commit|push|{_PR}",
               r"git commit\b"),
    "push to main": (r"(?:git )?push(?:es|ing)? (?:directly |straight )?(?:to|on|into) (?:the )?(?:main|master)"
                     r"(?: branch)?", r"push|ship|main\b|master",
                     r"git push\b.* (?:\S*:)?\+?(?:refs/heads/)?(?:main|master)(?: |$)"),
    "push": (r"(?:git )?push(?:es|ing)?(?! back)", rf"push|ship|{_PR}|publish|upload|open a", r"git push\b"),
    "merge": (r"merg(?:e|ing)", "merg", r"(?:git|gh pr) merge\b"),
    "amend": (r"amend\w*", "amend", r"git commit\b.* --amend\b"),
    "rebase": (r"rebas(?:e|ing)", "rebas", r"git rebase\b"),
    "pull request": (rf"(?:open|creat|mak|submit)\w* {_ANY}(?:prs?|pull requests?)", _PR, r"gh pr create\b"),
    "install": (rf"(?:install|add|introduc)\w* {_ANY}(?:packages?|dependenc(?:y|ies)|librar(?:y|ies)|modules?)",
                r"install|add|dependenc|packag|librar|use\b|upgrade|setup|set up",
                rf"(?:(?:npm|pnpm|bun) (?:install|i|add)|(?:pip3?|gem|brew|apt|apt-get|conda|uv(?: pip)?|cargo)"
                rf" (?:install|add)|(?:yarn|poetry) add|go (?:get|install)|composer require){_PACKAGE}"),
    "deploy": (r"(?:deploy|publish|releas)(?:e|ing|s)?", "deploy|publish|releas|ship",
               r"(?!(?:echo|grep|rg|cat|ls|git|cd|find|sed|head|tail|printf|awk) )(?:\S+ ){0,3}\S*\b(?:deploy|publish"
               r"|release)\b|(?:terraform|kubectl) apply\b|twine upload\b"),
    "delete": (rf"(?:delet|remov|eras)(?:e|ing) {_ANY}(?:files?|folders?|director(?:y|ies)|data|anything)",
               r"delet|remov|clean|rename|mov|drop|get rid|eras|replac|migrat|refactor|rm\b|revert|undo",
               ActionKind.DELETE),
    "web": (r"(?:search(?:ing)? the web|web search\w*|(?:brows|us)(?:e|ing) the (?:web|internet)|go(?:ing)? online)",
            "search|web|http|online|internet|look up|fetch|doc", ActionKind.FETCH),
    "subagents": (r"(?:us(?:e|ing)|spawn(?:ing)?|launch(?:ing)?|delegat\w+ to) (?:any )?(?:sub-?agents?|agents)",
                  "agent|parallel|delegat", ActionKind.DELEGATE),
}  # fmt: skip
_ASK = (
    r"(?:ask|check (?:in )?with me|confirm|(?:get|wait for|seek|request) (?:my |explicit )*(?:approval|permission"
    r"|confirmation|consent|ok|okay|go-ahead|review)|let me (?:review|approve|confirm|check)|show me|consult me)"
)
_ASK_FIRST = (
    rf"\b{_ASK}\b[^.;]{{0,60}}?\b(?:before|prior to)\b([^.;]{{3,100}})"
    rf"|\bbefore\b([^.;,]{{3,60}}),?[^.;]{{0,30}}?\b{_ASK}\b"
)
_FORBIDDEN = (
    r"(?:ever |automatically |just |auto-?|to |run |do |attempt to |try to |make any |make )*"
    r"(?P<acts>(?:(?!\b(?:unless|until|without|because|since)\b)[^,;])+)"
)
#: On some things, or to some place, only: that is no rule on the act.
_NARROW = re.compile(
    r"(?:commit|push|merg|deploy|publish|rebas|releas)\w*\s+(?!(?:anything|it|this|yet|directly|automatically|to|or|and"
    r"|(?:(?:my|your|the|any) )*(?:changes?|code|work)|for me|on (?:my|your) own|again|now)\b)\w"
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


def judge_act(turn: CheckedTurn, name: str, ask: bool) -> Judgement:
    """An act that is not done, or with ``ask`` not without a person's leave."""
    _, asked, shows = _ACTS[name]
    call_index, evidence = next(_find_deeds(turn, shows), (-1, ""))
    if call_index < 0:
        return KEPT if turn.calls and not ask else NOTHING
    if ask and any(action.kind is ActionKind.ASK and where < call_index for where, action in turn.work.deeds):
        return Judgement(1.0, evidence=evidence, call=call_index)
    if _is_requested(turn, asked):
        return Judgement(0.9, evidence=evidence, call=call_index) if ask else NOTHING
    is_open = _ASSENT.match(turn.request) is not None
    return Judgement(0.5 if is_open else 0.1, sure=not is_open, evidence=evidence, call=call_index)


def _find_deeds(turn: CheckedTurn, shows: str | ActionKind) -> Iterator[tuple[int, str]]:
    for call_index, action in turn.work.deeds:
        if action.kind is shows and not action.path.startswith("/tmp"):
            yield call_index, action.path or action.pattern or action.content or str(shows)
    if not isinstance(shows, ActionKind):
        yield from ((ran.call, ran.command_text) for ran in turn.work.ran if re.match(shows, ran.line))


def _is_requested(turn: CheckedTurn, asked: str) -> bool:
    """This request or one shortly before asks for it. Of a ban the whole clause is no leave: "never push to main" does
    not ask for "main" either."""
    refused = rf"(?i)\b{_NEGATED}(?:{asked})[^.,;!?\n]*"
    recent = (turn.request, *turn.earlier[-3:])
    texts = (text if len(text) <= 2 * _MAX_CHARS else text[:_MAX_CHARS] + text[-_MAX_CHARS:] for text in recent)
    return any(re.search(rf"(?i)\b(?:{asked})", re.sub(refused, " ", text)) for text in texts)


def _acts(rule: RuleSentence, match: re.Match[str]) -> Iterator[tuple[str, bool]]:
    """The acts in a list of them: deleting files, committing or pushing."""
    ask = rule.needs_leave or not rule.forbids
    acts = next(filter(None, match.groups()))
    if rule.forbids and _NARROW.match(acts):
        return
    for piece in re.split(r",|\bor\b|\band\b|/", acts):
        act = re.sub(r"^\s*(?:(?:you|i|we|any|making|doing|running|a|the|every|each) )*", "", piece)
        yield from [(name, ask) for name, (called, *_) in _ACTS.items() if re.match(rf"(?:{called})(?![\w-])", act)][:1]


ROWS = (
    Row(_ASK_FIRST, judge_act, _acts, of_work),
    Row(_FORBIDDEN, judge_act, _acts, of_work, at_head=True),
)
