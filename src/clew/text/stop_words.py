"""Stop words: those that say nothing of what a text is about, one set for each thing that texts are compared for.

What counts as empty differs by purpose: "use" tells nothing of a rule, and may be what a query is about. The larger
sets are built on the words that are empty everywhere.
"""

from __future__ import annotations

from clew.text.vocabulary import words

#: Empty in every text.
_ALWAYS = words(
    "a about after all also am an and any are as at be been before both by can could do does doing each for from got"
    " had has have here how i if in into is it its just let like me more most my no not now of on only or our out over"
    " please should so some than that the their them then there these they this those to too up us very was we were"
    " what when where which while will with would you your"
)
#: Empty in any text but a rule, where "again", "once" or "between" may be what tells it from another.
STOP_WORDS = _ALWAYS | words(
    "above again against because being below between but did down during few further get having he her hers him his"
    " itself mine nor off once other ours own same she such through under until who whom why yours"
)
#: What is left of "you'll" and "it's" without the apostrophe, and pronouns next to it.
_CLIPPED = words("d ll m myself re s t theirs ve")
#: Connectives and amounts: queries may be about them, longer texts are not.
_CONNECTING = words(
    "cannot either else every much must one onto per thing things via well whether within without yes yet"
)
#: Fillers of speech, and what is left of "doesn't".
_SPEECH = words(
    "across actually ain along already always among anymore anyone anything anyway aren basically behind couldn"
    " despite didn doesn don etc ever everything except gets getting gonna hadn hasn haven hey hi hmm honestly however"
    " inside instead isn kind kinda lets literally longer lot may maybe might near neither never nobody none nothing"
    " nowhere ok okay outside plus pretty probably quite rather really shall shouldn simply since somehow someone"
    " something somewhat sort still sure thank thanks therefore though thus toward towards upon wanna wasn weren"
    " whatever whole whose won wouldn yeah"
)

#: For words to search by.
QUERY_STOP_WORDS = STOP_WORDS | _CLIPPED | words("herself himself ourselves themselves yourself yourselves")
#: For words by which a rule or an objective is found again in a reply; those that only talk of doing count as empty.
TOPIC_STOP_WORDS = (
    STOP_WORDS
    | _CONNECTING
    | words("don't give go isn't let's made make need put see take two use used using want way")
)
#: For words by which two statements are held against each other.
STATEMENT_STOP_WORDS = STOP_WORDS | _CLIPPED | _CONNECTING | _SPEECH
#: For words by which two rules are known to be about one subject: how a rule is said is not what it is about.
RULE_STOP_WORDS = _ALWAYS | words(
    "actually adopt always anymore anyway avoid can't cannot change code day decided doesn't don't dont ever every"
    " everything fewer file files forward future give go going gonna good i'd i'll i'm i've instead it's keep kind"
    " least less let's love make maybe migrate moment move moving must need never new note ok okay one onward per"
    " perhaps prefer preference preferred probably project rather really remember repo rule rules said says shall sort"
    " stay stick stop sure switch tend thing things think time times today told try use used using want way we'll"
    " we're we've well whenever without won't yes you're"
)
#: Words that a header may hold and still tell one turn from no other.
HEADER_STOP_WORDS = words(
    "a all an and answer are as changes complete completed did done finished fixed for header is it my n/a no none of"
    " ok okay query reply request requests response summary task tasks that the this to user users work yes your"
)
