"""What assistants put around or in place of a person's words: reminders, echoes of commands, notices.

Two mistakes are possible and both cost: text of the client taken for a person's, or a person's words
lost. So an element counts as injected only where a client writes it (at the start of a line, or right
after another one), and names that people use as well only when they open the way the client opens them.

What a client hands on (a file, the output of a command) may hold its own closing tag, to be taken for what follows
it. So an element reaches to the last closing tag of its name, and a closing tag that nothing opened closes all that
stands before it. A person's words between two elements of one name, in one and the same text, are lost by this: they
cannot be told from such a forgery, and a forged word does more harm than a lost one. Clients send reminders as texts
of their own beside the person's, and texts are read one by one, so this is rare.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import islice

from clew.domain import Part, texts
from clew.text.client_marks import (
    CLIENT_COMMANDS,
    ELEMENTS_AROUND_WORDS,
    INJECTED_ELEMENTS,
    NOTICE_STARTS,
    SIGNED_ELEMENTS,
    TASK_NOTICE_KEYS,
)

_AROUND = "|".join(ELEMENTS_AROUND_WORDS)
_SIGNED = (f"{name}(?={sign})" for name, sign in SIGNED_ELEMENTS.items())
_NAMES = "|".join([*INJECTED_ELEMENTS, *_SIGNED])
_OPENING = re.compile(rf"(?:^|(?<=>))[ \t]*<({_NAMES})(?:\s[^<>]*)?>", re.MULTILINE)
#: A closing tag as clients write it; one between blanks or quotation marks is spoken about.
_CLOSING = re.compile(rf"(?<![`\"'])</({'|'.join(INJECTED_ELEMENTS)})>(?=[ \t]*$|[^\s`\"'?,.;:)])", re.MULTILINE)
#: Notices of tasks are short.
_MOST_NOTICE_CHARS = 20_000
_COMPACT = "/compact"
#: Who speaks about closing tags does not name more of them.
_MOST_NAMED = 100
_TAIL = re.compile(r"\s*(?:Read the output file to retrieve the result|Full transcript available at): [^\n]*")
_TAG_LINE = re.compile(rf"^[ \t]*</?(?:{_AROUND})>[ \t]*$", re.MULTILINE)
_WHOLE = re.compile(rf"\s*<({_AROUND})>(.*)</\1>\s*", re.DOTALL)
_PROMPT_COMMAND = re.compile(
    r"\s*<command-message>[^<]*</command-message>\s*<command-name>([^<]*)</command-name>"
    r"(?:\s*<command-args>(.*?)</command-args>)?",
    re.DOTALL,
)
#: What Codex writes above a person's words when it tells of open files or pictures before them.
_REQUEST_HEADING = re.compile(r"^## My request for \w+:", re.MULTILINE)
#: What Codex writes around a picture.
_PICTURE_MARK = re.compile(r"^[ \t]*</?image(?: name=[^>\n]*)?>[ \t]*$", re.MULTILINE)
#: Tools of Cline and Roo whose result is the person's answer, and how it begins.
_ANSWERED = re.compile(
    r"\s*\[(?:ask_followup_question|attempt_completion|plan_mode_respond)[^\n]*\] Result:\s*"
    r"(?:The user has provided feedback on the results\.[^\n<]*\s*)?<(answer|feedback|user_message)>"
)
#: What a client adds to a plan that the person had approved.
_PLAN_ENDING = re.compile(
    r"\s*If you need specific details from before exiting plan mode[^\n]{0,300} read the full transcript at: \S+\s*\Z"
)
#: A result in the place of a person's words: what follows it, in later texts of the message too, is the tool's.
_RESULT = re.compile(
    r"\s*(?:\[\w+(?: for [^\n]*| to [^\n]*)?\] Result:|--- Content from referenced files ---"
    r"|\[(?:Tool|Function) (?:result|output|response)[^\]\n]*\]|EXECUTION RESULT of \["
    r"|For context: below is a transcript of what another agent did)"
)
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
#: What Copilot CLI writes under the output of a command.
_SHELL_ENDED = re.compile(r"\n?<(?:shellId: [^>\n]{0,80}completed|exited) with exit code 0>\Z")
#: What Claude Code writes under the report of a subagent.
_AGENT_ENDED = re.compile(r"\nagentId: \w+ \(.*\Z|\n<usage>.*\Z", re.DOTALL)
_ENVELOPE = re.compile(
    r"^(?:Chunk ID: |Wall time: |Original token count: |Total output lines: |Process exited with code 0|Output:$)"
    r"[^\n]*\n?",
    re.MULTILINE,
)
_NOTICE_LINE = re.compile(
    r"^\[(?:Request interrupted by user|Image: (?:source:|original )|Feedback on the work so far)[^\]\n]*\][ \t]*$",
    re.MULTILINE,
)
#: What a person allowed or refused, as a client tells it: of the user in the third person, or as a report of its own.
#: A person's own "permission granted, go on" does not end there.
_SETTLED = r"(?:auto[- ]?)?(?:approved|allowed|accepted|granted|permitted|authori[sz]ed|denied|declined|rejected)"
_ASKED_FOR = (
    r"(?:plan(?: mode)?|tool(?: use| call)?|call|operation|edits?|commands?|actions?|requests?|permissions?|access"
    r"|execution|changes?|prompts?)"
)
_WORD = r" (?!(?:but|however|when|while|then|yet|so)\b)[^\s,.:!?]{1,80}"
_END = r"(?:[.:!][^\n]*)?$"
_APPROVAL_LINE = re.compile(
    r"^[ \t]*\[?(?:"
    + "|".join(
        (
            rf"(?:the )?user(?: has| have)?(?: now| already| also)? {_SETTLED}(?:{_WORD}){{0,6}}? {_ASKED_FOR}"
            rf"\b(?:{_WORD}){{0,10}}{_END}",
            r"permissions? (?:(?:has|have) been |was |were )?(?:auto[- ]?)?(?:granted|approved)"
            rf"(?: (?:for|to|by|via)\b[^\n,]{{0,160}})?{_END}",
            rf"{_ASKED_FOR} (?:(?:was|has been) )?(?:auto[- ]?)?approved"
            r" (?:by (?:the )?(?:user|policy)|automatically)\b[^\n]{0,160}$",
            r"auto[- ]?approved\b[^\n]{0,160}$",
            r"approval (?:granted|received)\b[^\n,]{0,160}$",
            r"(?:the )?(?:current )?[`*]*(?:approval[_ ]policy|sandbox[_ ](?:mode|policy|permissions))[`*]*"
            r"(?: (?:is|are)\b| ?[:=])[^\n]*$",
        )
    )
    + r")\]?",
    re.MULTILINE | re.IGNORECASE,
)
#: What only clients write, for those who have to be surer still.
INJECTED_TAGS = frozenset(INJECTED_ELEMENTS)


def is_person_answer(text: str) -> bool:
    """True for a tool's result, written as text, that is nothing but what the person answered."""
    return _ANSWERED.match(text) is not None


def answer_words(text: str) -> str:
    """What a person answered, of a result that a tool gave for it; of a report that they approved, what they added."""
    return _element_content(text, "feedback") if _APPROVAL_LINE.match(text.lstrip()) else person_words(text)


def person_words(text: str) -> str:
    """What a person typed, without what the client put around it."""
    start = text.lstrip()
    if start.startswith(NOTICE_STARTS) or _is_task_notice(start) or start.partition(" ")[0] == _COMPACT:
        return ""
    if start.startswith("[TASK RESUMPTION]"):
        return _element_content(text, "user_message")
    if start.startswith(("<command-name>", "<command-message>")) and "</command-name>" in start:
        return _typed_command(text)
    if answered := _ANSWERED.match(text):
        return _element_content(_without_injected(text), answered[1])
    if _RESULT.match(text):
        return ""
    text = text[heading.end() :] if (heading := _last_heading(text)) else text
    kept = _PICTURE_MARK.sub("", _without_injected(text)) if "<" in text else text
    kept = _APPROVAL_LINE.sub("", _NOTICE_LINE.sub("", kept) if "[" in kept else kept)
    kept = _PLAN_ENDING.sub("", kept) if "read the full transcript at" in kept else kept
    if "<" not in kept:
        return kept.strip()
    whole = _WHOLE.fullmatch(kept)
    return (whole[2] if whole else _TAG_LINE.sub("", kept)).strip()


def person_words_of(parts: Iterable[Part]) -> str:
    """What a person typed of a message; each text is read for itself, for no text ends in the middle of another."""
    found = list(texts(parts))
    if len(found) == 1:
        return person_words(found[0])
    reaches = next((at for at, text in enumerate(found) if _reaches_on(text)), len(found))
    read = [*found[:reaches], *(["\n".join(found[reaches:])] if reaches < len(found) else [])]
    return "\n".join(words for text in read if (words := person_words(text)))


def as_reminder(text: str) -> str:
    """Returns what a client hands on beside a person's words, marked as such: it gives no orders."""
    inner = text.replace("</system-reminder>", "</ system-reminder>")
    return f"<system-reminder>\n{inner}\n</system-reminder>"


def without_reminders(text: str) -> str:
    """Returns a tool's output without the reminders that clients put into it, and the lines they put around it."""
    text = _REMINDER.sub("", text) if "<system-reminder>" in text else text
    text = _AGENT_ENDED.sub("", _SHELL_ENDED.sub("", text)) if text.rstrip().endswith(">") else text
    return _ENVELOPE.sub("", text) if "Wall time: " in text[:400] or "Original token count: " in text[:400] else text


def is_injected(parts: Iterable[Part]) -> bool:
    """True when there are texts, of more than the marks around a picture, and no word of them is a person's."""
    held = list(parts)
    return any(map(without_picture_marks, texts(held))) and not person_words_of(held)


def without_picture_marks(text: str) -> str:
    """Returns a text without what a client writes around a picture that somebody gave."""
    return _PICTURE_MARK.sub("", text).strip() if "image" in text else text


def _reaches_on(text: str) -> bool:
    """True when what a text begins goes on in the texts after it."""
    if _RESULT.match(text):
        return True
    return any(f"</{one[1]}>" not in text for one in islice(_OPENING.finditer(text), _MOST_NAMED))


def _is_task_notice(start: str) -> bool:
    """True for a JSON object that tells of a task in the background."""
    if not start.startswith("{") or '"task_id"' not in start or len(start) > _MOST_NOTICE_CHARS:
        return False
    try:
        told = json.loads(start)
    except ValueError:
        return False
    return isinstance(told, dict) and told.keys() >= TASK_NOTICE_KEYS


def _last_heading(text: str) -> re.Match[str] | None:
    """Where a person's words begin; files that are told of before may hold the same heading."""
    found = list(_REQUEST_HEADING.finditer(text)) if "## My request" in text else []
    return found[-1] if found else None


def _typed_command(text: str) -> str:
    """A command that prompts the model is what was typed; one for the client says nothing to the model.

    Clients write the two in different order. Words after a client's own command are kept when they are
    more than a setting, unless the command takes them for itself.
    """
    if prompt := _PROMPT_COMMAND.match(text):
        return f"{prompt[1].strip()} {(prompt[2] or '').strip()}".strip()
    words = _element_content(text, "command-args")
    return words if len(words.split()) > 1 and _element_content(text, "command-name") not in CLIENT_COMMANDS else ""


def _element_content(text: str, name: str) -> str:
    """The content of the last such element, or nothing; an assistant's question may stand before it."""
    _, opening, rest = text.rpartition(f"<{name}>")
    content, closing, _ = rest.partition(f"</{name}>")
    return content.strip() if opening and closing else ""


def _without_injected(text: str) -> str:
    kept, at, search = [], 0, 0
    last: dict[str, int] = {}
    while opening := _OPENING.search(text, search):
        name = opening[1]
        closing = last[name] if name in last else last.setdefault(name, text.rfind(f"</{name}>"))
        search = opening.end()
        if closing < search:
            continue
        kept.append(text[at : opening.start()])
        at = search = closing + len(name) + 3
        if name == "task-notification" and (tail := _TAIL.match(text, at)):
            at = search = tail.end()
    kept.append(text[at:])
    return _without_closed("".join(kept))


def _without_closed(text: str) -> str:
    """Without what a closing tag ends that nothing opened, or that something opened within a line before."""
    while closing := _unopened_closing(text):
        opening = max(text.find(f"<{closing[1]}"), 0)
        text = text[: opening if opening < closing.start() else 0] + text[closing.end() :]
    return text


def _unopened_closing(text: str) -> re.Match[str] | None:
    """The last such closing tag; one that is opened and closed within a line is spoken about."""
    closings = list(_CLOSING.finditer(text)) if "</" in text else []
    for closing in closings[:-_MOST_NAMED:-1]:
        line = text.rfind("\n", 0, closing.start()) + 1
        if text.rfind(f"<{closing[1]}", line, closing.start()) < 0:
            return closing
    return None
