"""How people, assistants and summaries word decisions."""

from __future__ import annotations

import re2

from clew.text.phrases import ORDER_START, any_of, compile_phrases

#: A person's sentence that settles how something is to be done.
PERSON_DECIDES = compile_phrases(
    any_of("do not", "don't", "never", "always", "avoid", "only use", "make sure", "ensure", start=ORDER_START),
    any_of("keep", "leave", "stick", "stay", "use", "go with", start=ORDER_START),
    any_of("let'?s", "decided?", "decision", "instead", "rather than", "going with", "go with", "no longer"),
    any_of("(?:stick|sticking) (?:with|to)", "(?:stay|staying) (?:on|with|at)", "from now on"),
    any_of("(?:i|we)(?:'d| would)? (?:prefer|rather|chose|agreed)", "(?:i|we) want(?:ed)? (?:it|them|this|that) to"),
    any_of("we(?:'ll| will) (?:use|keep|go|do|make|need|have)", "(?:must|should)(?: not|n't)?"),
)

#: An assistant's sentence that does, or says what was found to be so.
ASSISTANT_DECIDES = compile_phrases(
    any_of("decided (?:to|on|against|that)", "decision(?: is)?:", "going with", "instead of", "rather than", end=""),
    any_of("i(?:'ll| will) (?:go with|keep|stick with|leave|avoid|use)", "we(?:'ll| will) (?:use|keep|go with)"),
    any_of("let's (?:use|go with|keep|stick)", "i(?:'ve)? (?:chose|chosen|opted|kept|left|used|picked|switched)"),
    any_of("switch(?:ed|ing) (?:from|to)", "the fix (?:is|was)", "by design", "trade-?off", "turns out", "root cause"),
    any_of(
        "the (?:real|actual) (?:problem|issue|cause)", "the (?:problem|issue|bug|cause) (?:is|was) (?:that|in|with)"
    ),
)

#: Announcing which tool comes next, or weighing what might be done, decides nothing.
DECIDES_NOTHING = compile_phrases(
    any_of("tools?", "sub-?agents?", "todo ?(?:list|write)", "grep", "glob", "let me", "option [a-d0-9]"),
    any_of("keep (?:a list|track|you|going|looking|digging|an eye|this|that|it) ?"),
    any_of("would you like", "do you want", "should i", "shall i", "want me to", "if you(?:'d)? (?:prefer|want|like)"),
    any_of("could", "might", "maybe", "perhaps"),
)

#: Words by which a line of a summary is about something settled; several languages, and rather too many than too few.
MENTIONS_DECISION = re2.compile(
    r"(?i)\b(?:decided?|decision|chose|chosen|agreed|prefers?|must|never|always|instead of|rather than|not allowed|only"
    r"|required?|forbidden|because|constraint|rule|limit|keep|do not|don't|wants?|asked)\b"
    r"|\b(?:entschieden|muss|nie|immer|statt|weil|nur|soll)\b|\b(?:décidé|toujours|jamais|plutôt)\b"
    r"|\b(?:decidi[óo]|siempre|nunca|debe)\b|必须|决定|不要|решили|должен|нельзя"
)

_DECIDED = "(?:decided|chosen|chose|agreed|opted|settled|committed)"
#: A sentence in small letters that binds whoever works on: that something was decided, which way it went,
#: that a plan is followed, and what is no longer cared for.
DECIDED_TO = any_of(
    r"(?:we|i|the team)(?:'ve| have)?(?: (?:now|finally|already|also|all|just|both"
    rf"|recently))* {_DECIDED} (?:that we |to"
    r" |not to |on )*(?:use|using|go with|going with|keep|stick|stay|continue|adopt|drop|move to|switch to"
    r"|migrate|standardi[sz]e|avoid|support|target|host|deploy|ship|release|rely on|leave|always|never)",
    rf"(?:we|i)(?:'ve| have)? {_DECIDED} to [\w-]+ [^.?!,]* (?:using|via|through) [\w-]+",
    r"we(?:'ve| have)? (?:decided|settled) (?:against|on) [\w-]+",
    r"(?:the|our|final) decision (?:is|stands)",
    r"decision:",
)
GOING_WITH = any_of(
    r"(?:we're|we are) (?:going|sticking|staying) with",
    r"(?:let's|lets|we'll|we will) (?:go|stick|stay) with",
)
WILL_FOLLOW = any_of(
    r"i'll (?:go|stick|stay) with (?:an? |the )?(?:[\w-]+ ){1,4}(?:approach|method|format|version|stack"
    r"|library|design|framework|database|layout|structure|style|strategy|setup|system|schedule|routine"
    r"|pattern|plan)",
    r"i'll (?:follow|stick to) (?:this|the|your|that|my) (?:[\w-]+ )?(?:plan|steps|schedule|approach|routine"
    r"|strategy|rule|structure|format|guidelines)",
    r"i'll (?:be sure|make sure|remember) to (?:always |never |only )?(?:include|format|use|mention|cite|ask"
    r"|confirm|stick|avoid|label|name|quote)",
)
NOT_NEEDED = any_of(
    r"(?:no|don't|do not) need(?: for| to (?:support|keep|preserve"
    r"|maintain))?(?: any)? (?:backwards?[- ]compat\w*|legacy|old (?:browsers|versions|clients)|migrations?)",
)
