"""Rules in other languages than English: only what is unmistakable, for a rule missed does less harm than one
invented."""

from __future__ import annotations

from clew.domain.critical import ItemKind, Scope
from clew.signals.critical.wordings.parts import Wording
from clew.text.phrases import any_of

_DECIDED = any_of(
    r"(?:我们|团队|最终|已经?)*决定(?:使用|采用|用|改用|不)",
    r"wir haben (?:uns )?[^.?!]{0,80}\b(?:entschieden|beschlossen)",
    r"nous avons décidé d|(?:hemos|se ha) decidido |decidimos |abbiamo deciso ",
    start=r"^\W*",
    end="",
)
#: An order or a wish in another language that says how long it holds.
ELSEWHERE = (
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            r"(?:ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|künftig|zukünftig|in zukunft)[, ]",
            r"(?:antworte|schreibe?|verwende|nutze|benutze|mache?|halte|füge|nenne|frage?|gib|lösche|ändere|erkläre"
            r"|sprich|formatiere) [^.?!]*\b(?:immer|nie|niemals|stets|ausschließlich)\b",
            r"ich (?:bevorzuge|hätte (?:es )?lieber|möchte,? dass du (?:immer|nie|niemals))",
            r"(?:désormais|dorénavant|à partir de maintenant|à l'avenir)[, ]",
            r"(?:je préfère|je préférerais|prefiero|prefiro|preferisco)\b",
            r"(?:réponds|répondez|utilise|utilisez|écris|écrivez|garde|ajoute|mets|n'utilise|n'utilisez"
            r"|ne \w+) [^.?!]*\b(?:toujours|jamais)\b",
            r"(?:de ahora en adelante|a partir de (?:ahora|agora)|daqui (?:em|para a) (?:diante|frente)"
            r"|d'ora in poi)[, ]",
            r"siempre (?:usa|responde|escribe|incluye|utiliza)\b|nunca (?:uses|respondas|escribas|borres|cambies"
            r"|toques)\b",
            r"(?:usa|responde|escribe|incluye|utiliza) [^.?!]*siempre\b",
            r"(?:sempre (?:use|responda|escreva|inclua|utilize)|nunca (?:use|responda|escreva|apague|altere))\b",
            r"(?:use|responda|escreva|inclua|utilize) sempre\b",
            r"(?:usa|rispondi|scrivi|includi) sempre\b|non (?:usare|scrivere|toccare|cancellare) mai\b",
            start=r"^\W*(?:bitte |s'il te plaît,? |por favor,? |per favore,? |und |et |y |e )?",
            end="",
        ),
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            r"从现在(?:开始|起)|从今以后|今后(?:请|都|不要)|以后(?:都|请|不要|别|一律|每次)",
            r"(?:始终|总是|一律|务必)(?:用|使用|保持|以|先|不要|要|把|确保|遵循|回答)|(?:永远|绝对|千万)(?:不要|别|不能)",
            r"我(?:更喜欢|偏好|比较喜欢|希望你(?:总是|始终|以后|不要))",
            r"今後は|これからは|(?:必ず|常に|絶対に)[^。]{1,60}(?:ください|下さい|すること|しないこと|ないで)",
            start=r"(?:^\W*|[，、,。]|请)",
            end="",
        ),
    ),
    Wording(kind=ItemKind.DECISION, pattern=_DECIDED, scope=Scope.PROJECT, states=True),
)
