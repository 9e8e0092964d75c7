"""Lines that say, in a person's place, that what follows is somebody else's: results, pages, mails, plans, summaries.

Clients and frameworks that have no role for a tool send what it gave back as if a person had typed it. From such a
line on nothing in the message binds anybody; what stands before it may.
"""

from __future__ import annotations

import re
import unicodedata

import re2

from clew.text.markers import UNSEEN

_HANDED_ON = re2.compile(
    r"(?i)^(?:[#*_>\[(=-]{1,6}\s*)?(?:"
    + "|".join(
        (
            r"(?:the )?(?:tool|function|command|shell|bash|terminal|mcp|api|plugin)(?:[ _-](?:call|use))?[ _-]?"
            r"(?:result|output|response)s?\b[^\n]{0,120}[:\]]",
            r"(?:the )?(?:tool|function) [`'\"\w.-]{1,60} (?:returned|says|said|responded|replied|output)\b",
            r"(?:results?|outputs?|responses?) (?:of|from|for) (?:the )?(?:(?:tool|function|command|call)\b"
            r"|[`'\"]?[a-z]+_[a-z_]+)[^\n]{0,80}:",
            r"observation(?: \d+)?\s*:|execution result\b|\[\w+(?: (?:for|to) [^\n]{0,200})?\] result:",
            r"retrieved (?:web ?)?(?:page|document|context|chunk|passage|content|text|result|file|memor)\w*\b"
            r"[^\n]{0,120}:",
            r"(?:web )?search results?\b[^\n]{0,120}:|(?:web ?page|website|document|attachment) (?:text|contents?)\b"
            r"[^\n]{0,80}:",
            r"contents? (?:of|from) [@`'\"/~.\w-]*[./@][^\n]{0,160}:|content from referenced files\b",
            r"(?:file(?: ?name| ?path)?|path|source)\s*: *[`'\"]?[@/~.\w:-]*[./][\w./#?=&-]+[`'\"]?\s*$",
            r"-{2,}\s*[`'\"]?[@/~\w.-]*[./][\w./-]+[`'\"]?\s*-{2,}\s*$|==> [^\n]{1,200} <==\s*$",
            r"\[(?:file|page|document|attachment|search result|source|tool|function)\b[^\]\n]{0,120}\]",
            r"[\w:]{1,40} hook (?:feedback|additional context|output|success|error|says|result)\b",
            r"(?:(?:previous|earlier|prior) )?conversation (?:summary|history|so far)\b[^\n]{0,80}:",
            r"summary of (?:the |our )?(?:previous |earlier |prior )?(?:conversation|session|chat|work)\b[^\n]{0,80}:",
            r"another (?:language )?model (?:started|produced|wrote|has)\b",
            r"(?:the )?(?:sub-?agent|teammate|worker)\b[^\n]{0,60}(?:reports?|says|said|result|returned|output"
            r"|message)\b[^\n]{0,40}:",
            r"(?:issue|pr|pull request|ticket|e-?mail|commit|review) (?:body|contents?|description|text|comment|message"
            r"|thread)\b[^\n]{0,80}:",
            r"role\s*[:=]\s*[\"']?(?:system|tool|user|assistant|developer|function)\b",
            r"(?:tool_call_id|tool_use_id)\s*[:=]",
            r"[a-z]+_[a-z_]+ (?:output|result|response)s?\s*:|(?:read|write|list|search|fetch|get|run|execute|browse"
            r"|web|open|view|call)_[a-z_]+\s*:",
            r"(?:reviewer|review|comment|commenter|bot|page|web ?page)(?:'s)? (?:comment|note|says|content|text)s?\s*:",
            r"(?:from|to|reply-to|cc)\s*: [^\n]{0,80}@|subject\s*: \S|message-id\s*:|content-type\s*: ",
        )
    )
    + r")"
)
#: The same, where a message begins with it: who adds words of their own says them first.
_HANDED_ON_WHOLE = re2.compile(
    r"(?i)^(?:[#*_>\[(=-]{1,6}\s*)?(?:"
    + "|".join(
        (
            r"(?:please )?(?:implement|execute|carry out|follow) (?:the following|this|the attached) plan\b",
            r"(?:the )?(?:user has )?approved (?:your|the) plan\b|(?:the )?(?:approved |proposed )?plan\s*:\s*$",
            r"(?:std ?out|std ?err|outputs?|results?|responses?|logs?|page|body|transcript|excerpt|snippet"
            r"|(?:source|document|chunk|passage) \d+)\s*:",
            r"(?:text|context|background|sources?|documents?|notes|article)\s*:\s*$",
            r"(?:exit|return|status) code\b|i ran (?:this|the) command\b|context information\b",
            r"(?:use|given|here is|here's|based on|read) the following (?:context|documents?|information|text|passages?"
            r"|pages?|article|transcript|e-?mails?|notes|file|conversation)\b",
            r"[\w /'-]{0,40}\b(?:summary|report|hand-?over|hand-?off|transcript|findings|analysis)(?: \w+)?\s*:\s*$",
            r"(?:the )?(?:[\w'-]+ ){0,2}(?:agent|bot|model|assistant|reviewer)(?: \w+)? (?:says?|said|wrote|reported"
            r"|answered|replied|found)\b[^\n.!?]{0,60}$",
            r"[`'\"]?[@~\w./-]*[\w-]\.[a-z]\w{0,4}[`'\"]?\s*:?\s*#*\s*$|\[\d+\]\s",
            r"={2,}\s*[`'\"]?[\w./-]+\.\w{1,5}[`'\"]?\s*={2,}\s*$|-{2,}\s*(?:begin|start|forwarded|original)\b",
            r"(?:pr|pull request|issue|ticket|commit|merge request) [#!]?[\w-]{0,40}\d\w*\s*:",
            r"@[\w-]+ (?:commented|wrote|said|replied|opened|requested)\b|on [^\n]{4,100} wrote:\s*$",
        )
    )
    + r")"
)

#: What somebody typed into a shell; what it answered follows.
_PROMPT = re2.compile(r"^(?:[$%❯]|>>>|PS [A-Z]:[^>\n]{0,100}>|[\w.-]{1,40}@[\w.-]{1,60}[:~\w/. -]{0,100}[$#%]) \S")

_UNSEEN = re.compile(UNSEEN.replace(r"\s", "").replace("{0,8}", ""))
#: L e t t e r s apart.
_SPACED = re.compile(r"(?<!\w)(?:[A-Za-z] ){3,20}[A-Za-z](?!\w)")
#: Letters of other alphabets that look like ours.
_ALIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеіјѕорсухԁһӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧοιν։꞉∶ˑ",
    "ABESIJKMHOPCTYXaeijsopcyxdhlABEZHIKMNOPTYXoiv::::",
)


def fold_lookalikes(line: str) -> str:
    """A line as it looks: wide and foreign letters by those they are taken for, without what nobody sees."""
    seen = _UNSEEN.sub("", line)
    if not seen.isascii():
        seen = _UNSEEN.sub("", unicodedata.normalize("NFKC", seen)).translate(_ALIKE)
    return _SPACED.sub(lambda match: match[0].replace(" ", ""), seen)


def is_prompt(line: str) -> bool:
    """True for a line of a terminal, after which a paragraph is the terminal's."""
    return _PROMPT.search(line[:240]) is not None


def hands_on(line: str, *, is_first: bool) -> bool:
    """True for a line (without the blanks before it) from which on a message is somebody else's."""
    start = fold_lookalikes(line[:240])
    return _HANDED_ON.search(start) is not None or (is_first and _HANDED_ON_WHOLE.search(start) is not None)
