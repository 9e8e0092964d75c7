"""How rules are worded where nothing but rules and descriptions is written: as orders, bans and duties.

What would be a request in a conversation ("Run the tests before you commit") is a standing rule in a rule file. What
is a description there too ("Runs the tests") stays one. All of it works on one sentence in small letters.
"""

from __future__ import annotations

import re

from clew.domain.critical import ItemKind
from clew.signals.critical.words import DONT, VERBS
from clew.text.phrases import any_of, compiled, searched

# ── orders ───────────────────────────────────────────────────────────────────────────────────────────

#: Words that order whatever comes after them, and wherever they stand.
_HARD = (
    rf"always|never|{DONT}|must(?: not)?|only (?:use|edit|add|change|commit|create|write|run|modify|touch|push)|avoid"
    "|ensure|make sure|be sure|refrain|under no circumstances"
)
#: Words that order too, but begin a step of a recipe as well.
_SOFT = "use|keep|follow|prefer|stick|respect|favou?r|adhere"
_HOW_TO = any_of(r"use [^.,;]*? to [a-z]+|use (?:the )?following")
#: Further verbs that only order.
_MORE = (
    "abandon|abstain|acknowledge|adopt|annotate|append|ban|batch|bring|capture|centrali[sz]e|clarify|clean|collect"
    "|communicate"
    "|compose|configure|conform|cover|debug|declare|decouple|default|delegate|deprecate|derive|design|disable|disclose"
    "|dispose|distinguish|duplicate|eliminate|embed|emit|emphasi[sz]e|enable|encapsulate|enforce|err|escape|escalate"
    "|exclude|execute|expect|expose|extend|extract|fail|fetch|find|gate|generate|get|guard|hard-?code|hide|hold|honou?r"
    "|identify|implement|infer|inform|inherit|initiali[sz]e|inject|inline|insert|inspect|integrate|introduce|invoke"
    "|isolate"
    "|iterate|justify|lead|lean|learn|leverage|load|locali[sz]e|look|lower|match|measure|merge|migrate|minimi[sz]e"
    "|mirror|modify|namespace|narrow|normali[sz]e|observe|omit|opt|organi[sz]e|overwrite|parametri[sz]e|place|preserve"
    "|prevent|produce|pause|plan|propagate|protect|publish|pull|re-?use|read|redact|re-?factor|reference|register"
    "|reject|rely|rename|replace"
    "|reproduce|reserve|resolve|restart|restore|restrict|reset|rewrite|roll|saniti[sz]e|scan|scope|search|secure"
    "|select|set|solve"
    "|spawn|speak|stage|standardi[sz]e|strive|strip|surface|switch|think|throw|track|translate|trim|trust|turn|type"
    "|understand|upgrade|watch|weigh|yield"
)
_ANY_VERB = rf"(?:{VERBS}|{_MORE})"
#: What may stand before an order: a call for attention, a small word, a step's number.
_CALLS = (
    r"^\W*(?:(?:important|critical|crucial|note|warning|caution|rule|reminder|remember|mandatory|attention"
    r"|very important|please|also|and|then|first|next|finally|lastly|second|third|just|if possible|by default"
    r"|in general|generally"
    r"|as a rule|wherever possible|where possible|instead|otherwise)\W+){0,3}"
)
#: The case in which an order holds.
_CASE = (
    r"^\W*(?:when|whenever|if|for|before|after|while|in|on|with|during|unless|once|where|as|at|until|inside|instead of"
    r"|rather than|to|every time|each time|since|because)\b(?:[^.!?]|[.!?]\S){1,240}?(?:,|:|\s[–—-]+)\s+"
    r"(?:please |then |first |just |also |you )?"
)
_LABEL = re.compile(r"\W*([^.:!?`]{1,60}?)(?:\*\*)?\s*(?:\([^()]{1,60}\)\s*)?(?::|\s[–—-]{1,2})(?:\*\*)?\s+")
_BINDS = any_of(rf"(?:{_CALLS}|{_CASE})(?:{_HARD})", start="")
_BINDS_SOFTLY = any_of(rf"(?:{_CALLS}|{_CASE})(?:{_SOFT})", start="")
#: The same within a sentence that began otherwise.
_BINDS_THEN = any_of(
    rf"(?:[,;:.–—]\s*(?:and |but |so )?|\b(?:and|but|so) )(?:never|always|{DONT}) {_ANY_VERB}\b",
    rf"[;–—]\s+(?:and |so |then |please )?(?:{_HARD}|{_SOFT}) ",
    start="",
    end="",
)
_ORDERS = any_of(rf"(?:{_CALLS}|{_CASE})(?:(?:only|also|[a-z]{{3,}}ly) )?{_ANY_VERB}", start="")

_IN_CASE = any_of(rf"{_CASE}{_ANY_VERB}", start="")

#: Verbs that are as often the name of something, and steps that are as often told as ordered.
_ALSO_NAMES = any_of(
    _CALLS + "(?:address|answer|batch|call|check|close|commit|debug|default|design|display|document|draft|drop|edit|end"
    "|export|expose|fail|fetch|focus|format|function|gate|group|guard|handle|highlight|import|indent|lead|limit|link"
    "|lint|list|load|log|look|mark|match|measure|merge|mock|move|name|note|open|order|pass|pin|point|present|print"
    "|process|pull|push|query|quote|read|record|release|report|require|reserve|return|review|roll|run|scan|scope|search"
    "|set|show|sign|sort|split|start|state|stop|store|structure|summary|surface|switch|tag|test|track|trust|turn|type"
    "|update|upgrade|watch|work|wrap|yield|build|extend|generate|get|find|create|install|execute|fix|give|go|take|try"
    "|implement|configure|enable|deploy|restart|provide|spawn|begin|learn)",
    start="",
)
#: What makes an order of such a word: an object that no name has, or an occasion.
_MEANT = any_of(
    r"(?:before|after|when|whenever|whenever|every|each|all|only|instead|not|never|always|until|unless|without|any|your"
    r"|prior to|rather than|if|first|as|them|it|changes|at (?:most|least)|by default|explicit(?:ly)?|directly|no)",
)
#: Where to find something is no rule.
_POINTERS = re.compile(
    r"\W*(?:please )?(?:see|refer to|visit|check out|learn more|click|note that|note:? (?:the|this|that)|go to|look at"
    r"|read more|read (?:the |full|this|about)[^.]*(?:for|at|in) |for (?:more|details|further|full|examples?)\b"
    r"|open http"
    r"|(?:to|in order to) (?:run|start|build|install|test|set up|deploy|see|launch)\b)"
)
_BEFORE_WORK = any_of("before|first|prior to|when(?:ever)?|always|must")

# ── duties and bans without an order ─────────────────────────────────────────────────────────────────

_BAN = any_of(
    r"^\W*no [a-z`]+",
    rf"^\W*[a-z][\w` /-]{{1,60}} (?:never|{DONT}) {_ANY_VERB}",
    r"(?:important|essential|critical|crucial|imperative|mandatory) (?:that|to) ",
    r"(?:must|should|shall|may|can) (?:not|never) [a-z]+",
    r"(?:mustn't|shouldn't|cannot be (?:changed|edited|used|committed|modified))",
    r"(?:is|are) (?:strictly |explicitly |absolutely )?(?:forbidden|prohibited|not allowed|not permitted|disallowed"
    r"|banned|off[- ]limits|never (?:allowed|acceptable|ok|okay|committed|edited|pushed|used|modified))",
    r"not (?:allowed|permitted|acceptable)",
    r"^\W*nothing (?:else|goes|may|should|must|is) ",
    start="",
)
_DUTY = any_of(
    r"(?:must|shall|you (?:have|need) to) [a-z]+",
    r"should(?: (?:always|also|still|only|first|all|generally|typically|usually))? (?:be|go|have|use|live|follow|pass"
    r"|come|include|match|return|keep|stay|remain|contain|start|begin|end|read|avoid|take|explain|describe|cover|focus"
    r"|never|prefer|fit|fail|exist|mirror|extend|implement|call|handle|support|impact|define)",
    r"(?:is|are) (?:strictly |always )?(?:required|mandatory|obligatory|non-negotiable|blocking|preferred|encouraged)",
    r"(?:requires?|needs?) (?:a |an )?(?:approval|review|permission|confirmation|tests?|pull request|github pull|plan)",
    rf"^\W*we (?:always |never |only |do not |don't )?{_ANY_VERB}",
    r"i (?:expect|want|need) you to [a-z]+",
    r"(?:at (?:most|least)|max(?:imum)?(?: of)?|no more than|up to) \d+ ",
)
#: Tales in which such words say what will be seen, or what may be.
_NO_DUTY = any_of(
    "should (?:now |then |also )?(?:see|work|look|print|output|show|appear|be able|be (?:running|visible|available"
    "|enough|fine|safe|ok))",
    "(?:this|that|it|which) (?:is|was) (?:required|needed|preferred) (?:by|because|for|since)",
    "(?:can|could|may|might) (?:also )?be",
    "(?:which|that|who|they) (?:must|should|shall|have to|has to)",
    r"^\W*no [^.]*(?:needed|required|necessary|problem|longer|need)",
    rf"(?:i|we|you|they|it) {DONT} (?:need|want|have|know)",
)

# ── other languages: only what is unmistakable ───────────────────────────────────────────────────────

_ELSEWHERE = any_of(
    r"(?:verwende[nt]?|nutze[nt]?|benutze[nt]?|schreibe?|halte|vermeide[nt]?|achte|stelle? sicher|nenne|teste|prüfe"
    r"|führe|frage?|antworte|lösche|ändere|committe|dokumentiere|bevorzuge|beachte|formatiere|füge|lege|lasse?|mache?"
    r"|behalte|erstelle|arbeite|starte|rufe|gib)\s",
    r"(?:immer|niemals|nie|stets|ausschließlich|grundsätzlich|keine?n?|nicht|nur)\s",
    r"(?:utilise[rz]?|écri[st]|écrivez|évite[rz]?|préfère[rz]?|garde[rz]?|toujours|jamais|ne jamais|ne pas"
    r"|n'utilise[rz]?)\s",
    r"(?:usa|usar|evita|evitar|prefiere|escribe|mantén|mantener|siempre|nunca"
    r"|no (?:uses|usar|hagas|modifiques|toques))\s",
    r"(?:use sempre|evite|prefira|escreva|mantenha|sempre|não (?:use|usar|altere|faça|modifique))\s",
    r"(?:sempre|mai|evita(?:re)?|usare|non (?:usare|modificare|toccare))\s",
    start=r"^\W*(?:(?:bitte|wichtig|achtung|hinweis|s'il (?:te|vous) plaît|por favor|per favore|importante?)\W+)?",
    end="",
)
_ELSEWHERE_DUTY = any_of(
    r"(?:muss|müssen|darf nicht|dürfen nicht|darf nur|dürfen nur|ist verboten|sind verboten|ist pflicht|nicht erlaubt)",
    r"(?:doit|doivent|ne (?:doit|doivent) pas|interdite?s?|obligatoires?|debe|deben|está prohibido|obligatorio|deve"
    r"|devem|devono|vietato)",
)
_EAST = re.compile(
    r"\W*(?:\w{1,12}[:：]\s*)?(?:请)?(?:必须|禁止|不要|不得|不能|务必|始终|严禁|避免|优先|绝不|永远不要|一律|仅使用|只使用|只能|使用"
    r"|遵循|保持|确保|不允许|不可)|.{1,60}(?:すること|しないこと|てください|ないでください|禁止|必須)[。\s]*\Z"
    r"|.{1,60}(?:하지 마세요|하세요|해야 합니다|금지)[.\s]*\Z"
    r"|\W*(?:всегда|никогда|используй(?:те)?|избегай(?:те)?|не [а-я]{2,20}й(?:те)?)\s"
)
_FORBIDS = any_of(
    rf"(?:{_CALLS}|{_CASE})(?:{DONT}|never|avoid|no|not|refrain|under no|nothing|nicht|nie|niemals|keine?n?"
    rf"|vermeide[nt]?"
    "|jamais|ne jamais|ne pas|nunca|évite[rz]?|evita)",
    start="",
)
_FORBIDS_EAST = re.compile(
    r"\W*(?:\w{1,12}[:：]\s*)?(?:请)?(?:禁止|不要|不得|不能|严禁|避免|绝不|永远不要|不允许|不可)"
)
_REQUIRED = any_of("must|required|mandatory|shall|has to|have to|obligatory|blocking|muss|müssen|pflicht|doit|debe")
_PREFERRED = any_of("prefer|preferred|favou?r|bevorzuge|préfère|prefiere|prefira")


def binds(plain: str) -> bool:
    """Whether a sentence orders with a word that nothing but a rule begins with."""
    return any(searched(words, plain) for words in (_BINDS, _BINDS_THEN, _ELSEWHERE)) or _EAST.match(plain) is not None


def binds_softly(plain: str, *, among_told: bool) -> bool:
    """The same with a word that begins a recipe as well; where things are told, it must not look like one."""
    return searched(_BINDS_SOFTLY, plain) and not (among_told and searched(_HOW_TO, plain))


def orders(plain: str, *, among_rules: bool) -> bool:
    """Whether a sentence is an order. Outside of rules, words that may be names need a sign that they are meant."""
    if _is_pointer(plain) or not searched(_ORDERS, plain):
        return False
    if not searched(_ALSO_NAMES, plain):
        return True
    rest = plain[compiled(_ALSO_NAMES).search(plain).end() :]
    return bool(rest.strip(" .")) and rest[:1] in " \t" and (among_rules or searched(_MEANT, rest))


def orders_in_case(plain: str) -> bool:
    """Whether a sentence names a case and orders what to do in it."""
    return searched(_IN_CASE, plain)


def obliges(plain: str) -> bool:
    """Whether a sentence states a duty or a ban without ordering: "Every change needs a test", "No default exports"."""
    is_duty = (searched(_BAN, plain) or searched(_DUTY, plain)) and not searched(_NO_DUTY, plain)
    return is_duty or searched(_ELSEWHERE_DUTY, plain)


def behind_label(plain: str) -> str:
    """What follows a label such as "Testing:"; empty if there is none."""
    label = _LABEL.match(plain)
    return plain[label.end() :] if label and len(label[1].split()) <= 6 else ""


def kind_of(plain: str) -> ItemKind:
    """What kind of rule an order or a duty is."""
    opening = plain[:200]
    if searched(_FORBIDS, opening) or searched(_BAN, opening) or _FORBIDS_EAST.match(opening):
        return ItemKind.CONSTRAINT
    if searched(_REQUIRED, opening):
        return ItemKind.REQUIREMENT
    return ItemKind.PREFERENCE if searched(_PREFERRED, opening) else ItemKind.INSTRUCTION


def _is_pointer(plain: str) -> bool:
    return _POINTERS.match(plain) is not None and not searched(_BEFORE_WORK, plain)
