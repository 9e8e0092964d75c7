"""Words without their endings, so that forms of one word meet. English only.

Three stemmers, for three purposes. They give different stems on purpose, and stems are only ever compared with those
that the same stemmer gave: what is stored and what was trained depends on each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.text.memo import remember
from clew.text.stop_words import TOPIC_STOP_WORDS
from clew.text.vocabulary import in_order, words

#: Longer texts are read this far.
_MAX_CHARS = 60_000
_WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?")

#: Endings that ``topic_stem`` takes off; the first that fits counts.
_TOPIC_ENDINGS = in_order(
    "ization isation ations ation ingly ments ment ness ities ity ized ised izing ising izes ises ize ise ings ing"
    " edly ied ies ers ed es er ly al s"
)
#: A topic's stem shorter than this tells no word from another.
_LEAST_TOPIC_CHARS = 3


#: Forms that no rule gives, and names that people write in several ways: "form:word".
_IRREGULAR_FORMS = in_order(
    "wrote:write written:write rewrote:rewrite rewritten:rewrite met:meet went:go gone:go used:use using:use"
    " built:build made:make making:make did:do done:do had:have has:have took:take taken:take taught:teach"
    " bought:buy thought:think told:tell said:say kept:keep left:leave lost:lose paid:pay sent:send spent:spend"
    " chose:choose chosen:choose began:begin begun:begin ran:run running:run knew:know known:know saw:see seen:see"
    " gave:give given:give got:get gotten:get held:hold led:lead heard:hear felt:feel found:find flew:fly"
    " flown:fly drove:drive driven:drive ate:eat eaten:eat drank:drink spoke:speak spoken:speak broke:break"
    " broken:break forgot:forget forgotten:forget stood:stand understood:understand won:win wore:wear hid:hide"
    " hidden:hide rode:ride rose:rise sold:sell slept:sleep swam:swim threw:throw thrown:throw woke:wake"
    " dealt:deal drew:draw drawn:draw fell:fall fallen:fall grew:grow grown:grow shot:shoot sang:sing lent:lend"
    " meant:mean lit:light binding:bind bound:bind shipped:ship stuck:stick died:die dying:die lying:lie tying:tie"
    " is:be are:be was:be were:be been:be people:person children:child men:man women:woman indices:index"
    " indexes:index postgresql:postgres pg:postgres psql:postgres db:database databases:database js:javascript"
    " ts:typescript py:python k8s:kubernetes repo:repository repos:repository config:configuration"
    " configs:configuration env:environment envs:environment prod:production dev:development auth:authentication"
    " docs:documentation doc:documentation deps:dependency dep:dependency authn:authentication perms:permission"
    " 2fa:two-factor mfa:two-factor vars:variable var:variable msg:message msgs:message param:parameter"
    " cookies:cookie movies:movie migrated:migrate migrating:migrate integrated:integrate integrating:integrate"
    " generated:generate generating:generate validated:validate automated:automate deprecated:deprecate"
    " authenticated:authenticate duplicated:duplicate allocated:allocate"
    " params:parameter args:argument arg:argument pkg:package fn:function func:function impl:implement"
    " synchronous:sync asynchronous:async synchronously:sync asynchronously:async snakecase:snake-case"
    " snake_case:snake-case camelcase:camel-case kebabcase:kebab-case pascalcase:pascal-case tabs:tab spaces:space"
    " favourite:favorite colour:color colours:color licence:license programme:program fridays:friday"
    " mondays:monday tuesdays:tuesday wednesdays:wednesday thursdays:thursday saturdays:saturday sundays:sunday"
    " apis:api ids:id urls:url analyses:analysis mins:minute secs:second hrs:hour optimise:optimize"
    " organise:organize mandatory:required compulsory:required obligatory:required prohibited:forbid"
    " forbidden:forbid disallow:forbid disallowed:forbid banned:forbid permitted:allow automatically:automatic"
    " manually:manual csharp:c# cpp:c++ switched:switch node.js:node vue.js:vue next.js:nextjs react.js:react"
    " express.js:express mongo:mongodb k3s:kubernetes mac:macos osx:macos win:windows"
)
_IRREGULAR = dict(pair.split(":") for pair in _IRREGULAR_FORMS)
#: Nouns made of verbs, by their endings, and words that only look like them.
_VERBAL_ENDINGS = (("ification", "ify"), ("ation", ""), ("ate", ""), ("ission", "it"), ("tion", "t"), ("ment", ""))
_NOT_VERBAL = words(
    "production question function section station template private climate chocolate separate certificate"
)


def index_stem(word: str) -> str:
    """The stem by which a word of a message is searched, and two rules share a subject: without the endings of plurals,
    of -ing and of -ed.

    For words in lower case. Other languages may lose a letter, always the same one.
    """
    if len(word) < 4 or not word.isascii():
        return word
    return _without_final_e(_without_past(_without_plural(word)))


@remember(1 << 15)
def statement_stem(word: str) -> str:
    """The stem by which statements are compared: irregular forms, nouns of verbs and usual short forms become one."""
    word = word.lower().replace("’", "'")
    if word.endswith("'s"):
        word = word[:-2]
    word = _IRREGULAR.get(word, word)
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    word = _as_verb(_without_past(_without_plural(word)))
    if word.endswith("ly") and len(word) > 5:
        word = word[:-2]
    return _without_final_e(word)


@remember(1 << 14)
def topic_stem(word: str) -> str:
    """The stem by which a rule's words are found in a reply: crude, and the same for all forms of most words."""
    word = word.partition("'")[0].lower()
    for ending in _TOPIC_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_TOPIC_CHARS and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > _LEAST_TOPIC_CHARS and word[-1] in "eyi":
        word = word[:-1]
    return word[:-1] if len(word) > _LEAST_TOPIC_CHARS and word[-1] == word[-2] else word


def topic_stems(text: str) -> Iterator[str]:
    """The topic stems of a text's words in order, stop words left out."""
    for word in _WORD.findall(text[:_MAX_CHARS].lower().replace("’", "'")):
        if word not in TOPIC_STOP_WORDS and (len(word) > 1 or not word.isascii()):
            yield topic_stem(word)


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
    return _without_doubled(root, kept="lsz") if len(root) > 3 else root


def _without_doubled(root: str, *, kept: str) -> str:
    """Stopp as stop; a doubled letter that words end with stays."""
    return root[:-1] if root[-1] == root[-2] and root[-1] not in kept else root


def _without_final_e(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


def _as_verb(word: str) -> str:
    """Deployment as deploy, integration and integrate as one, submission as submit."""
    if len(word) < 7 or word in _NOT_VERBAL:
        return word
    for ending, instead in _VERBAL_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= (4 if ending == "ment" else 3):
            return word[: -len(ending)] + instead
    return word
