"""Words of English as statements use them: which say little, which tell of the past, which are one though joined."""

from __future__ import annotations

from clew.text.vocabulary import words

#: Say little of it: they stand everywhere.
COMMON = words(
    "use make want need help work project code app application system way time new good best better great know"
    " think say tell ask give take go come see look find show start try keep put set run change add create write"
    " call feel seem become leave mean turn move play live believe bring happen provide include continue learn"
    " understand follow stop begin day week month year today part place case point problem question issue number"
    " people person team detail example step idea plan stuff bit line file function method class object value type"
    " name list data result process option level first last next current different important able possible right"
    " long little small big large high low early old worry wonder guess decide consider suggest recommend explain"
    " ensure support improve implement handle manage build develop complete finish experience specific proper"
    " properly correct quick quickly easy hard nice fine main real full based several many weird strange strang"
    " interesting curious stress stressed nervous confused struggle trouble trying focus goal approach solution"
    " advice tip guide suggestion review check user"
)
#: Verbs as they stand in "have done", where that is not the word with -ed.
PASTS = words(
    "written wrote rewrote rewritten met went gone used built made did done had took taken taught bought thought"
    " told said kept left lost paid sent spent chose chosen began begun ran run known knew seen saw gave given got"
    " gotten held led heard felt found flown driven eaten ate drunk spoken spoke broken forgotten understood won"
    " worn ridden sold slept swum thrown dealt drawn fallen grown put read shot sung lent meant been set cut let"
    " hit come become beaten bitten blown dug fed fought hung hidden hurt laid lit rung shaken shown sought stolen"
    " stuck torn woken wound"
)
#: Joined words that are one.
JOINED = words(
    "two-factor on-premise read-only write-only snake-case camel-case kebab-case pascal-case part-time full-time"
    " open-source left-hand right-hand first-class non-null built-in"
)
