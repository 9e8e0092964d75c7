"""The words that tell what a rule's sentence is: an order, a ban, a condition, of answers or of code."""

from __future__ import annotations

import re

from clew.text.vocabulary import words

NO = (
    r"(?:never|don't|do not|dont|cannot|can't|mustn't|must not|shouldn't|should not|may not|won't|will not|stop"
    r"|avoid|refrain from|no|not|without|exclude|excluding|omit|skip|zero|free of|forbidden|not allowed to)"
)
NEGATION = re.compile(rf"\b{NO}\b")
FORBIDS = re.compile(rf"{NO}\b[,:]?\s*(?:ever\s+|to\s+)?")
#: Politeness before an order.
LEAD = re.compile(
    r"(?:[-*•>\s]+|\d{1,2}[.)]\s+|(?:please|pls|kindly|hey|ok(?:ay)?|so|and|also|but|then|now|just|again|remember|note"
    r"|important|rule|(?:make|be) sure|ensure|from (?:now|here) on(?: out)?|going forward|in (?:the )?future"
    r"|for the rest of \w+ \w+|(?:(?:i|you)(?:'d)?|it's)(?: (?:would|should|must|need|have|can|will|shall|want|like"
    r"|prefer|expect|are|important))+|we(?: (?:should|must|need|have|will|are going))*|(?:can|could|would|will)"
    r" (?:you|u|we)|let's|always|try|strictly|at all times|whatever you do|that|to|you"
    r"|in this (?:project|repo|repository|codebase|session|conversation|chat))\b[,:!]?\s*)"
)
#: What makes an order of a sentence that does not begin with one.
DEMANDS = re.compile(
    r"\b(?:must|should|shall|needs? to|ha(?:ve|s) to|always|never|please|prefer|i want|make sure|ensure|from now on"
    r"|don't|do not|avoid|require[sd]?|expect|i'd like|would like|can we|can you|could you"
    r"|(?:decided|agreed|settled|going) (?:to|on|with))\b"
)
#: Not what should be, but what is so all the time.
HABIT = re.compile(r"\b(?:it|this|that|which|they|he|she|there) (?:always|never|don't|do not)\b")
PERMITS = re.compile(
    r"\byou (?:may|can|could|might)\b(?! not)|\bfeel free\b|\bconsider\b|\boptional(?:ly)?\b|\bit is ok(?:ay)?\b"
)
HEDGES = re.compile(
    r"\b(?:(?:when(?:ever)?|if|where) (?:possible|appropriate)|usually|generally|typically|ideally|by default"
    r"|default to|try to|mostly|in general|overus\w*|lean on|rely on|too (?:many|much)|excessive\w*)\b"
)
STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|it's|there's|that's|i'm|we're|you're|isn't|wasn't|goes|seems|looks"
    r"|means)\b"
)
#: How a rule without a verb begins: "no emojis", "max 3 sentences", "commit messages in English".
BARE = re.compile(
    r"(?:no|in|max(?:imum)?|min(?:imum)?|at (?:most|least)|under|up to|between|exactly|about|around|only|plain|all"
    r"|short|\d|one|two|three|four|five|bullet(?:ed)?|numbered|markdown|json|tables?|lines?|emojis?|responses?|answers?"
    r"|repl(?:y|ies)|(?:commit|class|function|variable|file|method|constant|code|type)s?|single|double|tabs|spaces"
    r"|semicolons|snake|camel|pascal|kebab|conventional)\b"
)
#: What orders begin with: those on answers, and those on work.
ANSWER_VERBS = words(
    "respond reply answer write keep limit use include format provide give explain summarize present put tell send"
    " draft generate produce follow list end begin start finish avoid speak talk output return restrict describe say"
    " mention sign call address structure make show add refrain omit do be conclude open close highlight cite state"
    " skip exclude apologize translate responding replying answering saying using mentioning including writing"
    " apologizing apologising calling ending prefer only stick choose go"
)
WORK_VERBS = words(
    "run ask commit check confirm name indent import install execute get wait verify test lint touch"
    " modify edit change delete push leave prefix confine work read create update before after amend merge"
    " rebase deploy publish search launch spawn fetch build compile typecheck committing pushing"
)

TOPIC = re.compile(
    r"\b(?:when(?:ever)?|if|(?:each|every|any) ?time|in case|while|where)\s+(?:(?:i|we|the user|someone|people|you)"
    r"(?:'re|'m| are| am)?)?\s*(?:ask|talk|discuss|inquir|request|mention|question|need|want|query|explain|describ"
    r"|answering)\w*\b\s*(?:you\s+)?(?:about|for|on|regarding|questions? (?:about|on)|to)?\s*([^,.;:!?]{2,120})"
    r"|\bfor\s+(?:any\s+|all\s+)?questions?\s+(?:about|on|regarding)\s+([^,.;:!?]{2,120})"
)
FILLERS = re.compile(
    r"\b(?:appreciated?(?: it)?|helpful|great|nice|good|better|as) if (?:you (?:could|would|can)?)?|\b(?:if"
    r"|when(?:ever)?|where(?:ver)?|as)\s+(?:possible|needed|necessary|applicable|appropriate|any|relevant|you can)\b"
)
#: What a person has to say first.
LEAVE = re.compile(
    r"\b(?:unless|until|without|except (?:when|if)|before)\b(?: [\w']+){0,4}? (?:ask|tell|told|say|approv|confirm"
    r"|permission|request|instruct|consent|go-ahead|ok\b|okay|explicit|check)\w*"
    r"(?: (?:me|to|so|do|it|first|for|with|asked|ask|told|request|permission|approval|consent|otherwise)\b)*"
)
CONDITION = re.compile(
    r"\b(?:when(?:ever)?|if|unless|until|once|while (?!\w+ing\b)|except|in case|as long as|otherwise|during)\b"
)

#: Where another order begins within a rule, in a few languages. "Use pnpm, never npm" is one order.
NEXT_ORDER = re.compile(
    r"(?:[,;.!]\s+(?:and |but |also |then )?|\s+(?:and|but)\s+)(?=(?:please |also |you (?:must|should) )*"
    r"(?:do not |don't |make sure |always (?!(?:in|on|at|as|with|the|an?)\b)\w"
    rf"|never (?:ever )?(?:{'|'.join(sorted(ANSWER_VERBS | WORK_VERBS))})\b))"
    r"|(?:[,;.!]\s+|\s+(?:und|et|y|e)\s+)(?=(?:[^\s,;.]+ ){0,3}"
    r"(?:nicht|keine?\w?|niemals|nie|immer|nur|jamais|toujours|nunca|siempre|sempre|mai)\b)"
    r"|[,;，；。]\s*(?=请?(?:不要|不得|不能|别|勿|禁止|必须|始终|总是|一律|只|永远|绝对))"
)
#: What is said of one thing, or for one place, holds of all orders behind it.
ONE_SUBJECT = re.compile(
    r"\W*(?:in|for|on|at|with|within|inside|during|under|across)\b(?! future| general)[^,;.]*,"
    r"|\W*(?!(?:you|we|i|it|please)\b)(?:[\w'-]+ ){1,5}(?:must|should|shall|needs? to|ha(?:ve|s) to|is|are)\b"
)

_ANSWER = (
    r"(?:responses?|answers?|repl(?:y|ies)|explanations?|outputs?|summar(?:y|ies)|information|overview|e-?mail|story"
    r"|poem|essay|article|letter|blog|newsletter|presentation|narrative|tone|text|content|suggestion|recommended"
    r"|paragraphs?|sentences?|section|step|point|words|key ?words?|key (?:points?|terms?|elements?|benefits?))"
)
ANSWER = re.compile(rf"\b{_ANSWER}\b")
QUESTION = re.compile(
    rf"(?:does|do|is|are|has|have|did|was|were) (?:(?:the|each|every|all|entire|final|whole) )*{_ANSWER}\b"
)
ANSWERS_BY_NAME = re.compile(
    r"\b(?:(?:your|the|all|every|each|any|my|future|short|long|these) (?:response|answer)|responses|answers|repl(?:y"
    r"|ies)|respond)\b"
)
CODE = re.compile(
    r"\b(?:codebase|functions?|variables?|constants?|import(?:s|ed)?|committ\w+|commits?|branch(?:es)?|repo(?:sitory)?"
    r"|dependenc(?:y|ies)|typescript|javascript|python|rust|golang|lint|api|endpoint|sql|docstrings?|pull requests?"
    r"|prs?|migrations?|schema|css|html|git|parameters?|identifiers?|scripts?|terminal|shell|folder|directory"
    r"|indent(?:ation)?|timeouts?|retr(?:y|ies)|flags?|structs?|enums?|deploy)\b"
)
#: Of code mostly; of other things where a rule speaks of answers, stories or letters.
MAYBE_CODE = re.compile(
    r"\b(?:code|methods?|class(?:es)?|files?|modules?|components?|tests?|packages?|librar(?:y|ies)|types?|build|compile"
    r"|database|comments?|merge|hooks?|props?|names?|naming|arguments?|titles?|commands?|columns?|quer(?:y|ies)|logs?"
    r"|tags?|keys?|fields?)\b"
)

PROGRAMS = words(
    "npm yarn pnpm bun npx pip pip3 pipx poetry conda uv pipenv sudo docker podman kubectl terraform make cmake"
    " gradle mvn cargo go node deno python python2 python3 ruby perl php composer brew apt apt-get curl wget sed awk"
    " grep rg find rm git svn hg gh vim nano jest vitest mocha pytest unittest tox nox eslint prettier biome black"
    " ruff flake8 isort mypy pyright tsc webpack vite esbuild rollup turbo nx bazel ssh scp rsync psql mysql mongo"
    " redis-cli sqlite3"
)
LIBRARIES = words(
    "lodash underscore axios moment dayjs jquery redux mobx zustand react vue angular svelte express fastify koa"
    " nest mongoose sequelize prisma typeorm drizzle knex requests httpx aiohttp flask django fastapi numpy pandas"
    " polars sqlalchemy pydantic click typer argparse enzyme sinon chai tailwind bootstrap styled-components emotion"
    " ramda rxjs bluebird request superagent node-fetch winston log4j lombok guava gorm testify mockito junit anyhow"
    " tokio serde boto3 celery tensorflow keras pytorch torch matplotlib seaborn plotly bash powershell"
)
