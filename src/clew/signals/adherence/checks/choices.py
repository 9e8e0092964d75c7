"""Choices: commands, libraries, flags, tools and idioms of code to use or to leave alone ("pnpm, not npm").

A bare word is taken for a program or a library only where it is known as one or looks like code: "don't use jargon"
is no rule on programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.signals.adherence.checks.code import added, named_language, pieces
from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.values import NOTHING, Judged, Turn
from clew.signals.adherence.checks.work import Ran, language_of
from clew.text.tools.shell import parse_command
from clew.text.vocabulary import words

_PROGRAMS = words(
    "npm yarn pnpm bun npx pip pip3 pipx poetry conda uv pipenv sudo docker podman kubectl terraform make cmake"
    " gradle mvn cargo go node deno python python2 python3 ruby perl php composer brew apt apt-get curl wget sed awk"
    " grep rg find rm git svn hg gh vim nano jest vitest mocha pytest unittest tox nox eslint prettier biome black"
    " ruff flake8 isort mypy pyright tsc webpack vite esbuild rollup turbo nx bazel ssh scp rsync psql mysql mongo"
    " redis-cli sqlite3"
)
_LIBRARIES = words(
    "lodash underscore axios moment dayjs jquery redux mobx zustand react vue angular svelte express fastify koa"
    " nest mongoose sequelize prisma typeorm drizzle knex requests httpx aiohttp flask django fastapi numpy pandas"
    " polars sqlalchemy pydantic click typer argparse enzyme sinon chai tailwind bootstrap styled-components emotion"
    " ramda rxjs bluebird request superagent node-fetch winston log4j lombok guava gorm testify mockito junit anyhow"
    " tokio serde boto3 celery tensorflow keras pytorch torch matplotlib seaborn plotly bash powershell"
)
#: Idioms by how people call them, how they look, and the languages they are found in.
_IDIOMS: tuple[tuple[re.Pattern[str], re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(called), re.compile(looks), frozenset(languages.split()))
    for called, looks, languages in (
        (r"any\b(?= types?\b| in t|\s*$|[.,])|type any\b", r"[:<,|(]\s*any\b|\bas any\b", "ts"),
        (r"\bvar\b", r"^\s*var\s+\w", "js ts"),
        (r"\bconsole\.?\s?logs?\b", r"\bconsole\.log\(", "js ts"),
        (r"\bprint statements?\b|\bprint\(\)|\bprints\b", r"^\s*print\(", "python"),
        (r"\bdefault exports?\b", r"^\s*export default\b", "js ts"),
        (r"\b(?:wildcard|star) imports?\b", r"^\s*(?:from\s+\S+\s+import\s+\*|import\s+\*\s+from"
                                            r"|import\s+[\w.]+\.\*;)", "python js ts java"),
        (r"\brelative imports?\b", r"^\s*(?:from\s+\.|import\b.*from\s+['\"]\.)|require\(['\"]\.", "python js ts"),
        (r"\binline styles?\b", r"\bstyle=(?:\{\{|\")", "js ts"),
        (r"\bclass components?\b", r"\bextends\s+(?:React\.)?(?:Pure)?Component\b", "js ts"),
        (r"\benums?\b", r"^\s*(?:export\s+)?(?:const\s+)?enum\s+\w", "ts"),
        (r"\bbare excepts?\b", r"^\s*except\s*:", "python"),
        (r"\blambdas?\b", r"\blambda\b[^:\n]{0,40}:", "python"),
        (r"\bunwrap\b", r"\.unwrap\(\)", "rust"),
        (r"\b(?:eslint-disable|ts-ignore|@ts-ignore)\b", r"eslint-disable|@ts-ignore", "js ts"),
        (r"\btodo comments?\b|\btodos\b", r"(?://|#)\s*TODO\b", "js ts python go rust java c ruby php"),
        (r"\bpanic\b", r"\bpanic\(", "go"),
    )
)  # fmt: skip

_NAME = r"(«\d+»|(?:--)?[a-z@][\w@./+-]*(?:\(\))?)"
#: Between what is chosen and what is not: where the choice is made.
_NOT = (
    r"(?:(?: \w+)?,?\s+(?:instead of|rather than|over|and not|not|never|and never)"
    r"|\s+(?:in|for|under|inside|within|across|everywhere|throughout)\b(?:[^,;.]|\.(?=\S)){0,80}?"
    r"(?:,\s+(?:and |but )?(?:never|not)|,?\s+(?:instead of|rather than)))"
)
_INSTEAD = re.compile(
    rf"\b(?:use|using|prefer|run|go with|stick (?:to|with)|choose|want)\s+(?:the\s+)?{_NAME}{_NOT}\s+"
    rf"(?:the\s+|using\s+|use\s+)?{_NAME}|\b(?:don't|do not|never|avoid)\s+(?:use|using|run|running|import"
    rf"|importing|install)\s+{_NAME}[,;.]?\s+(?:but\s+)?(?:use|prefer|always use)\s+{_NAME}"
)
#: What may stand before an order to use one thing instead of another.
_LEADS = re.compile(
    r"(?:.*\b(?:must|should|always|please|can we|we|to|also|just|and|important:?|prefer|you)\b|.*:)?\W*"
)
_FORBIDDEN = re.compile(
    rf"(?:us(?:e|ing)|import(?:ing)?|install(?:ing)?|run(?:ning)?|call(?:ing)?|execut(?:e|ing)|add(?:ing)?"
    rf"|pass(?:ing)?|rely on|invok(?:e|ing)|introduc(?:e|ing)|pull(?:ing)? in|bring(?:ing)? in)?\s*(?:the\s+"
    rf"|any\s+)?{_NAME}"
)
_USING = re.compile(
    r"(?:ever )?(?:us(?:e|ing)|add(?:ing)?|leav(?:e|ing)(?: in)?|writ(?:e|ing)|introduc(?:e|ing)|put(?:ting)?"
    r"|hav(?:e|ing))?\s*(?:any |the |stray |debug |more )*?(?=\S)"
)
_TOOL = re.compile(rf"\bus(?:e|ing)\s+(?:the\s+|your\s+)?{_NAME}\s+tools?\b")
_SHAPED = re.compile(r"[a-z][\w]*[.(_/:@]\w*|--?[a-z][\w-]+|[A-Za-z]+[a-z][A-Z]\w*|@\w[\w/-]+")
#: Words behind a name that only go on about the rule itself.
_ENDS = re.compile(
    r"\Z|[.!,]|(?:at all|ever|here|anywhere|again|please|directly|commands?|statements?|library|package|or|and)\b"
    r"|(?:in|for) (?:this|the|our|my|any|all|code|python|typescript|javascript|anything|your)\b"
)
_GIT = re.compile(r"(?i)\b(?:commit|push|pull|branch|merge|rebase|pr|worktree|checkout|stash)")
_SHORT_FLAGS = re.compile(r"-[a-zA-Z]{1,6}\Z")
_LONG_FLAGS = {"--recursive": "r", "--force": "f"}
_FLAG = re.compile(r"--?[a-z][\w-]*\Z")


@dataclass(frozen=True, slots=True)
class Avoided:
    """Names that no command, import or new line of code may use; ``instead`` shows that the rule is kept."""

    names: tuple[str, ...]
    instead: tuple[str, ...] = ()
    is_tool: bool = False
    language: str = ""
    path: str = ""
    folder: str = ""
    of_reply: bool = False

    def judge(self, turn: Turn) -> Judged:
        for name in self.names:
            if found := self._tool(turn, name) if self.is_tool else self._used(turn, name):
                if self.folder and not self._is_there(turn, found):
                    return Judged(0.5, sure=False, evidence=found[1], call=found[0])
                is_asked = name.lower() in turn.request.lower() or (name == "git" and _GIT.search(turn.request))
                return Judged(0.4 if is_asked else 0.05, sure=not is_asked, evidence=found[1], call=found[0])
        used = any(self._used(turn, name) for name in self.instead)
        return Judged(1.0) if used or turn.calls or pieces(turn) else NOTHING

    def _tool(self, turn: Turn, name: str) -> tuple[int, str] | None:
        plain = re.sub(r"[^a-z]", "", name.lower())
        called = ((at, tool) for at, tool in turn.work.names if re.sub(r"[^a-z]", "", tool.lower()) == plain)
        return next(called, None)

    def _is_there(self, turn: Turn, found: tuple[int, str]) -> bool:
        """Whether the folder that the rule is for is named in the same call; nobody knows where else it was run."""
        words = [found[1], *(word for ran in turn.work.ran if ran.call == found[0] for word in ran.words)]
        return any(self.folder in word.split("/") for text in words for word in text.split())

    def _used(self, turn: Turn, name: str) -> tuple[int, str] | None:
        return _commanded(turn, name) or _written(turn, name, self.language, self.path)


@dataclass(frozen=True, slots=True)
class Idiom:
    """A way of writing code that new lines must not show."""

    pattern: str
    languages: frozenset[str]
    of_reply: bool = False

    def judge(self, turn: Turn) -> Judged:
        looked = [one for one in pieces(turn) if one.language in self.languages]
        shows = re.compile(self.pattern)
        for one in looked:
            for line in added(one)[:2000]:
                if shows.search(line[:400]) and not re.search(r"(?i)\btests?\b|\bspec\b", one.path):
                    return Judged(0.1, evidence=line.strip(), call=one.call)
        return Judged(1.0) if looked else NOTHING


def _commanded(turn: Turn, name: str) -> tuple[int, str] | None:
    wanted = tuple(name.split())
    for ran in (*turn.work.ran, *_shown(turn)):
        if _FLAG.match(name):
            if any(word == name or word.startswith(f"{name}=") for word in ran.words[1:]):
                return ran.call, " ".join(ran.words)
        elif _is_command(ran, wanted):
            return ran.call, " ".join(ran.words)
    return None


def _is_command(ran: Ran, wanted: tuple[str, ...]) -> bool:
    """Whether a command begins with the wanted words and has the wanted flags, together or apart: rm -rf, rm -r -f."""
    said = [word for word in wanted if not word.startswith("-")]
    if (ran.name, *ran.words[1:])[: len(said)] != tuple(said):
        return False
    return _flags(wanted) <= _flags(ran.words)


def _flags(words: tuple[str, ...]) -> set[str]:
    """Flags one by one, short ones by their letter."""
    found: set[str] = set()
    for word in words:
        if _SHORT_FLAGS.match(word):
            found |= {"r" if letter == "R" else letter for letter in word[1:]}
        elif word.startswith("--"):
            name = word.partition("=")[0]
            found.add(_LONG_FLAGS.get(name, name))
    return found


def _shown(turn: Turn) -> Iterator[Ran]:
    """Commands that an answer tells people to run."""
    for tag, body in turn.said.fences:
        if language_of(tag) == "shell":
            for simple in parse_command(body[:4000]):
                if simple.words:
                    yield Ran(-1, tuple(simple.words), "")


def _written(turn: Turn, name: str, language: str, path: str) -> tuple[int, str] | None:
    if " " in name or _FLAG.match(name) or len(name) < 3:
        return None
    token = re.compile(rf"(?<![\w.-]){re.escape(name.removesuffix('()'))}(?![\w-])")
    brings = re.compile(r"\b(?:import|require|from|use|include|using)\b")
    for one in pieces(turn):
        if (language and one.language != language) or (path and not one.path.endswith(path)) or token.search(one.old):
            continue
        for line in added(one)[:2000]:
            is_looked_at = _SHAPED.fullmatch(name) or brings.search(line[:200])
            if is_looked_at and token.search(line[:400]) and not line.lstrip().startswith(("#", "//", "*")):
                return one.call, line.strip()
    return None


# ── how rules tell of them ───────────────────────────────────────────────────────────────────────────


def choices(rule: Rule) -> Iterator[Avoided | Idiom]:
    """What a rule wants used and left alone."""
    if rule.is_asked:
        return
    language = named_language(rule.body)
    found = _INSTEAD.search(rule.body)
    if found and _LEADS.fullmatch(rule.body[: found.start()]):
        good, bad = (found[1], found[2]) if found[1] else (found[4], found[3])
        name = _name(rule, bad)
        if name and _quoted(rule, good) != name:
            instead = tuple(filter(None, [_name(rule, good)]))
            yield Avoided((name,), instead, language=language, path=_path(rule), folder=_folder(rule))
        elif not name:
            yield from _idioms(_quoted(rule, bad))
        return
    if (rule.forbids or re.match(r"no\b", rule.body)) and not rule.needs_leave:
        yield from _forbidden(rule, language)


def _forbidden(rule: Rule, language: str) -> Iterator[Avoided | Idiom]:
    if tool := _TOOL.search(rule.body):
        name = _quoted(rule, tool[1])
        if name and name not in {"any", "other", "external", "right", "same", "these", "this", "that"}:
            yield Avoided((name,), is_tool=True)
        return
    clause = re.split(r"[,;]|\bfor\b|\bbecause\b", rule.head)[0]
    if idioms := list(_idioms(re.sub(r"«\d+»", lambda found: _quoted(rule, found[0]).lower(), clause))):
        yield from idioms
        return
    found = _FORBIDDEN.match(clause)
    if found and (name := _command(_name(rule, found[1]), clause[found.end() :])):
        yield Avoided((name,), language=language, path=_path(rule))


def _command(name: str, rest: str) -> str:
    """A name with the words that belong to it ("git stash"); nothing where more follows that narrows the rule."""
    following = rest.split()
    if name in _PROGRAMS and following:
        word = following[0].rstrip(".,!")
        if re.fullmatch(r"[a-z][\w-]+|--?[a-z][\w-]*", word) and not _ENDS.match(word + " this"):
            name, following = f"{name} {word}", following[1:]
    return name if _ENDS.match(" ".join(following)) else ""


def _idioms(text: str) -> Iterator[Idiom]:
    """The idiom that a rule's words are about, if they begin with it or with a verb of using."""
    start = _USING.match(text)
    rest = text[start.end() :] if start else text
    for called, looks, languages in _IDIOMS:
        if called.match(rest):
            yield Idiom(looks.pattern, languages)
            return


def _quoted(rule: Rule, name: str) -> str:
    return rule.quoted[int(name[1:-1])].text if name.startswith("«") else name


def _name(rule: Rule, name: str) -> str:
    """A program, a library, a flag or a piece of code; nothing for any other word."""
    if name.startswith("«"):
        quoted = rule.quoted[int(name[1:-1])]
        is_name = len(quoted.text) > 1 and len(quoted.text.split()) <= 3 and re.search(r"[a-zA-Z]{2}", quoted.text)
        return quoted.text if is_name and (quoted.is_code or quoted.text in _PROGRAMS | _LIBRARIES) else ""
    name = name.rstrip(".,")
    return name if name in _PROGRAMS or name in _LIBRARIES or (_SHAPED.fullmatch(name) and "/" not in name) else ""


def _folder(rule: Rule) -> str:
    """The folder that the rule is for, if it names one."""
    found = re.search(
        r"\b(?:in|under|inside|within) (?:the )?(?:([\w.-]+)/|([\w.-]+) (?:folder|directory)\b)", rule.body
    )
    return (found[1] or found[2]) if found else ""


def _path(rule: Rule) -> str:
    """The file that the rule is for, if it names one."""
    found = re.search(r"\bin ([\w./-]+\.\w{1,5})\b", rule.body)
    return found[1].rsplit("/", 1)[-1] if found else ""
