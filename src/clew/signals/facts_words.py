"""Words of a statement: stems, what each weighs, and which of them are names. Linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from clew.text.vocabulary import words

#: No word that people type is longer; what is, is data.
MAX_CHARS = 48
#: What a word says of what is spoken about: nothing, little, something, much.
NOTHING, LITTLE, PLAIN, NAME = 0.0, 0.35, 1.0, 1.3

_WORD = re.compile(r"\w+(?:[./’'+#-]\w+)*(?:\+\+|#)?")
_JOINED = re.compile(r"([A-Za-z]{3,})[-/]([A-Za-z]{3,})")
#: Joined words that are one.
JOINED_WORDS = words(
    "two-factor on-premise read-only write-only snake-case camel-case kebab-case pascal-case part-time full-time"
    " cache-store open-source left-hand right-hand first-class non-null built-in"
)
_CODE = re.compile(r"\w[_./]\w|[a-z][A-Z]|[A-Za-z]\d|^[A-Z]{2,}$")

STOP_WORDS = words(
    "a about above after again all also am an and any anyone anything are as at be because been before being below"
    " between both but by can could did do does doing down during each either else ever every everything few for from"
    " further get gets getting got had has have having he her here hers him his how however i if in instead into is it"
    " its itself just kind kinda let lets like ll lot m may maybe me might mine more most much must my myself no nor"
    " not now of off ok okay on once one only or other our ours out over own please pretty quite rather re really s"
    " same shall she should since so some someone something sort still such sure t than thank thanks that the their"
    " theirs them then there these they thing things this those though through to too under until up upon us ve very"
    " was we well were what whatever when where whether which while who whole whom whose why will with within without"
    " would yeah yes yet you your yours never always actually already anyway basically cannot etc gonna hey hi"
    " honestly hmm literally probably simply somewhat somehow therefore thus via wanna d don isn aren doesn didn hasn"
    " haven hadn wasn weren won wouldn couldn shouldn ain nothing nobody none neither nowhere longer anymore"
)
_COMMON = words(
    "use make want need help work project code app application system way time new good best better great know think"
    " say tell ask give take go come see look find show start try keep put set run change add create write call feel"
    " seem become leave mean turn move play live believe bring happen provide include continue learn understand follow"
    " stop begin day week month year today part place case point problem question issue number people person team"
    " detail example step idea plan thing stuff bit lot line file function method class object value type name list"
    " data result process option level first last next current different important able possible right long little"
    " small big large high low early old right sure worry wonder guess decide consider suggest recommend explain"
    " ensure support improve implement handle manage build develop complete finish experience specific proper"
    " properly correct quick quickly easy hard nice fine kind sort main real full per based both several many such"
    " weird strange strang interesting curious stress stressed nervous confused struggle trouble try trying focus"
    " goal approach solution advice tip guide suggestion recommend review check everything always user we our will"
)
_IRREGULAR = dict(
    pair.split(":")
    for pair in [
        "wrote:write",
        "written:write",
        "met:meet",
        "went:go",
        "gone:go",
        "used:use",
        "using:use",
        "built:build",
        "made:make",
        "making:make",
        "did:do",
        "done:do",
        "had:have",
        "has:have",
        "took:take",
        "taken:take",
        "taught:teach",
        "bought:buy",
        "thought:think",
        "told:tell",
        "said:say",
        "kept:keep",
        "left:leave",
        "lost:lose",
        "paid:pay",
        "sent:send",
        "spent:spend",
        "chose:choose",
        "chosen:choose",
        "began:begin",
        "begun:begin",
        "ran:run",
        "running:run",
        "knew:know",
        "known:know",
        "saw:see",
        "seen:see",
        "gave:give",
        "given:give",
        "got:get",
        "gotten:get",
        "held:hold",
        "led:lead",
        "heard:hear",
        "felt:feel",
        "found:find",
        "flew:fly",
        "flown:fly",
        "drove:drive",
        "driven:drive",
        "ate:eat",
        "eaten:eat",
        "drank:drink",
        "spoke:speak",
        "spoken:speak",
        "broke:break",
        "broken:break",
        "forgot:forget",
        "forgotten:forget",
        "stood:stand",
        "understood:understand",
        "won:win",
        "wore:wear",
        "hid:hide",
        "hidden:hide",
        "rode:ride",
        "rose:rise",
        "sold:sell",
        "slept:sleep",
        "swam:swim",
        "threw:throw",
        "thrown:throw",
        "woke:wake",
        "dealt:deal",
        "drew:draw",
        "drawn:draw",
        "fell:fall",
        "fallen:fall",
        "grew:grow",
        "grown:grow",
        "put:put",
        "read:read",
        "shot:shoot",
        "sang:sing",
        "lent:lend",
        "meant:mean",
        "lit:light",
        "binding:bind",
        "bound:bind",
        "shipped:ship",
        "stuck:stick",
        "died:die",
        "dying:die",
        "lying:lie",
        "tying:tie",
        "has:have",
        "is:be",
        "are:be",
        "was:be",
        "were:be",
        "been:be",
        "people:person",
        "children:child",
        "men:man",
        "women:woman",
        "indices:index",
        "indexes:index",
        "postgresql:postgres",
        "pg:postgres",
        "psql:postgres",
        "db:database",
        "databases:database",
        "js:javascript",
        "ts:typescript",
        "py:python",
        "k8s:kubernetes",
        "repo:repository",
        "repos:repository",
        "config:configuration",
        "configs:configuration",
        "env:environment",
        "envs:environment",
        "prod:production",
        "dev:development",
        "auth:authentication",
        "docs:documentation",
        "doc:documentation",
        "deps:dependency",
        "dep:dependency",
        "authn:authentication",
        "perms:permission",
        "admin:admin",
        "2fa:two-factor",
        "mfa:two-factor",
        "vars:variable",
        "var:variable",
        "msg:message",
        "msgs:message",
        "param:parameter",
        "params:parameter",
        "args:argument",
        "arg:argument",
        "pkg:package",
        "fn:function",
        "func:function",
        "impl:implement",
        "synchronous:sync",
        "asynchronous:async",
        "synchronously:sync",
        "asynchronously:async",
        "snakecase:snake-case",
        "snake_case:snake-case",
        "camelcase:camel-case",
        "kebabcase:kebab-case",
        "pascalcase:pascal-case",
        "lowercase:lowercase",
        "tabs:tab",
        "spaces:space",
        "favourite:favorite",
        "colour:color",
        "colours:color",
        "licence:license",
        "programme:program",
        "fridays:friday",
        "mondays:monday",
        "tuesdays:tuesday",
        "wednesdays:wednesday",
        "thursdays:thursday",
        "saturdays:saturday",
        "sundays:sunday",
        "js-tests:js-tests",
        "apis:api",
        "ids:id",
        "urls:url",
        "analyses:analysis",
        "data:data",
        "mins:minute",
        "secs:second",
        "hrs:hour",
        "optimise:optimize",
        "organise:organize",
        "mandatory:required",
        "compulsory:required",
        "obligatory:required",
        "prohibited:forbid",
        "forbidden:forbid",
        "disallow:forbid",
        "disallowed:forbid",
        "banned:forbid",
        "permitted:allow",
        "default:default",
        "automatically:automatic",
        "manually:manual",
        "csharp:c#",
        "cpp:c++",
        "switched:switch",
        "node.js:node",
        "vue.js:vue",
        "next.js:nextjs",
        "react.js:react",
        "express.js:express",
        "mongo:mongodb",
        "k3s:kubernetes",
        "javascript:javascript",
        "mac:macos",
        "osx:macos",
        "win:windows",
    ]
)
_PASTS = words(
    "written wrote met went gone used built made did done had took taken taught bought thought told said kept left lost"
    " paid sent spent chose chosen began begun ran run known knew seen saw gave given got gotten held led heard felt found"
    " flown driven eaten ate drunk spoken spoke broken forgotten understood won worn ridden sold slept swum thrown dealt"
    " drawn fallen grown put read shot sung lent meant been set cut let hit come become beaten bitten blown dug fed fought"
    " hung hidden hurt laid lit ridden rung shaken shown sought stolen stuck torn woken wound"
)
#: Nouns made of verbs, by their endings, and words that only look like them.
_DEED_ENDINGS = (("ification", "ify"), ("ation", ""), ("ate", ""), ("ission", "it"), ("tion", "t"), ("ment", ""))
_NO_DEEDS = words(
    "production question function section station template private climate chocolate separate certificate"
)


class Word(NamedTuple):
    """A word in its place: as written, its stem, what it weighs, and where it stands in the text."""

    raw: str
    stem: str
    weight: float
    start: int
    end: int


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """A word without capitals and English endings; what people write in several ways, in one."""
    word = word.lower().replace("’", "'")
    if word.endswith("'s"):
        word = word[:-2]
    word = _IRREGULAR.get(word, word)
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    return _without_endings(word)


def is_past(raw: str) -> bool:
    """A verb as it stands in "have done", or of what was."""
    word = raw.lower()
    return word in _PASTS or (len(word) > 4 and word.endswith("ed"))


def _without_endings(word: str) -> str:
    word = _as_verb(_without_past(_without_plural(word)))
    if word.endswith("ly") and len(word) > 5:
        word = word[:-2]
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


def _as_verb(word: str) -> str:
    """Deployment as deploy, integration and integrate as one, submission as submit."""
    if len(word) < 7 or word in _NO_DEEDS:
        return word
    for ending, instead in _DEED_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= (4 if ending == "ment" else 3):
            return word[: -len(ending)] + instead
    return word


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] not in "us" else word


def _without_past(word: str) -> str:
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


_LITTLE = frozenset(map(stem, _COMMON))


@lru_cache(maxsize=1 << 15)
def _weighed(raw: str) -> tuple[str, float]:
    lower = raw.lower().replace("’", "'")
    if len(lower) < 2 or lower in STOP_WORDS or ("'" in lower and lower.split("'")[0] in STOP_WORDS):
        return stem(raw), NOTHING
    root = stem(raw)
    if root in _LITTLE:
        return root, LITTLE
    return root, NAME if _CODE.search(raw) else PLAIN


def weight_of(root: str) -> float:
    """What a stem weighs, wherever it stands."""
    return LITTLE if root in _LITTLE else PLAIN if root else NOTHING


def words_in(text: str, start: int, end: int) -> list[Word]:
    """The words between two places; a capital within a sentence makes a name."""
    found: list[Word] = []
    for begin, stop in _runs(text, start, end):
        raw = text[begin:stop]
        root, weight = _weighed(raw)
        if weight >= PLAIN and raw[0].isupper() and begin > start:
            weight = NAME
        found.append(Word(raw, root, weight, begin, stop))
    return found


def _runs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where words stand; two that are only joined (patent-related, maxima/minima) are two."""
    for match in _WORD.finditer(text, start, end):
        raw, at = match[0], match.start()
        if len(raw) > MAX_CHARS:
            continue
        joint = _JOINED.fullmatch(raw)
        if joint and raw.lower() not in JOINED_WORDS:
            yield at, at + joint.start(2) - 1
            yield at + joint.start(2), match.end()
        else:
            yield at, match.end()
