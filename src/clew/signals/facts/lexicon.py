"""Words that facts turn on: which exclude one another, which only say of what something holds, which tell of states.

A table is a class a line, its first word the class's name; words count by their stems. English: other languages find
nothing here, and so nothing clashes by these words.
"""

from __future__ import annotations

from clew.text.stems import statement_stem
from clew.text.vocabulary import words


def stems(text: str) -> frozenset[str]:
    return frozenset(map(statement_stem, text.split()))


def _classes(text: str) -> dict[str, str]:
    lines = (line.split() for line in text.strip().splitlines())
    return {statement_stem(member): name for name, *members in lines for member in members}


#: Things of which one is chosen. Words with another everyday meaning are left out.
CHOICES = _classes("""
database postgres mysql mariadb sqlite mongodb dynamodb cassandra mssql cockroachdb firestore duckdb clickhouse
cache-store redis memcached hazelcast valkey
queue kafka rabbitmq sqs nats pulsar
language python javascript typescript java kotlin rust golang ruby php swift scala elixir c# c++ haskell
js-packages npm yarn pnpm bun
py-packages pip poetry uv conda pipenv
web-framework flask django fastapi express fastify koa nestjs rails laravel
ui react vue svelte angular preact solidjs
styles tailwind bootstrap bulma
py-tests pytest unittest nose
js-tests jest vitest mocha jasmine
browser-tests cypress playwright selenium puppeteer
cloud aws gcp azure heroku vercel netlify digitalocean hetzner cloudflare on-premise
orchestration kubernetes nomad ecs swarm
pipelines jenkins circleci travis buildkite
credentials jwt cookie oauth saml ldap passkey
api-style rest graphql grpc soap trpc
data-format json yaml toml xml csv ini protobuf parquet avro
indent tab space
case snake-case camel-case kebab-case pascal-case
joining merge rebase squash
branch main master trunk develop
version-scheme semver calver
license mit apache gpl bsd agpl mpl
formatter yapf prettier biome
bundler webpack vite rollup esbuild parcel turbopack
java-build maven gradle bazel
orm sqlalchemy prisma typeorm sequelize drizzle peewee
id-kind uuid ulid integer serial autoincrement
number-kind float decimal
weekday monday tuesday wednesday thursday friday saturday sunday
time-zone utc gmt est pst cet
part-of-day morning afternoon evening night
editor vim emacs vscode pycharm intellij neovim
diet vegetarian vegan omnivore
color red green blue yellow purple orange
season spring summer autumn winter
repository-shape monorepo polyrepo multirepo
architecture monolith microservice serverless
transport http https websocket mqtt
image-format png jpeg webp svg gif
shell bash zsh fish powershell
tracker jira trello asana
tongue english german french spanish italian portuguese dutch chinese japanese russian
markup markdown restructuredtext asciidoc html latex
reuse composition inheritance
chat slack teams discord zulip
""")

#: How a class of choices is called: the word names the thing chosen and says of nothing else.
CLASS_NOUNS = {
    name: stems(nouns)
    for name, nouns in (
        line.split(":")
        for line in """
database:database datastore primary storage store persistence sql backend data
cache-store:cache store
queue:queue broker messaging bus
js-packages:package manager dependency javascript node frontend
py-packages:package manager dependency python
web-framework:framework web backend server
ui:ui frontend framework web client interface
styles:css style styling
py-tests:test testing runner framework python unit
js-tests:test testing runner framework unit
browser-tests:test testing e2e end-to-end browser
cloud:cloud provider hosting host platform infrastructure deploy
orchestration:orchestrator cluster container
pipelines:ci cd pipeline
credentials:authentication authenticate login token session sign
api-style:api interface
indent:indent indentation
joining:pull request branch history
version-scheme:version scheme versioning
license:license
formatter:formatter format formatting
bundler:bundler bundle
java-build:build tool
orm:orm
id-kind:id key identifier primary
editor:editor ide
repository-shape:repository repo
architecture:architecture
tracker:tracker ticket issue
chat:chat
""".strip().splitlines()
    )
}

#: Classes of which a project has one member, so that no more need be said: we use Postgres, the database is MySQL.
EXCLUSIVE = words(
    "database js-packages py-packages web-framework ui py-tests js-tests cloud orchestration pipelines license bundler"
    " java-build orm version-scheme indent formatter api-style repository-shape architecture tracker chat queue"
)

#: Opposites.
POLES = _classes("""
switch on off enable disable
leave allow forbid deny
duty required optional
sight public private
timing sync async
order ascending descending
hand manual automatic hand
place internal external
change mutable immutable
memory stateful stateless
rigour strict lenient
haste lazy eager
set include exclude
answer accept reject
taste love hate like dislike enjoy
count single double multiple
height high low
erasing hard soft
locking optimistic pessimistic
way relative absolute
reach global local
form plural singular
letters uppercase lowercase
cipher encrypted plaintext
theme dark light
side top bottom left right
price free paid
age early late
writing read-only writable
share shared separate
company alone together
length short long brief detailed
""")

#: Which of several like things something is said of: another word of the class, another thing.
SCOPES = _classes("""
stage production staging development local qa preview sandbox ci
part frontend backend server client mobile web admin worker scheduler cli dashboard gateway
system linux windows macos ubuntu debian alpine android ios
browser chrome firefox safari edge
which first second third fourth primary secondary replica old new other another next previous
deed read write
when today tomorrow yesterday tonight
period daily weekly monthly yearly hourly quarterly nightly
""")

#: Words of one class that say the same.
SAME = {
    "enabl": "on",
    "disabl": "off",
    "lik": "lov",
    "enjoy": "lov",
    "dislik": "hat",
    "deny": "forbid",
    "https": "http",
    "hand": "manual",
    "brief": "short",
    "detail": "long",
}

#: Verbs that turn what follows.
REFUSALS = stems("avoid refuse ditch ban forbid")
#: What comes and goes while work goes on.
STATES = stems(
    "pass fail break broken crash finish exist missing green ready stuck fix happen appear load hang resolve reproduce"
    " available done flaky failing passing pending merged empty return report executable defined installed blocked"
    " offline online display respond compile bug warning seem"
)
#: What is measured, and differs by the day.
MEASURES = stems(
    "coverage latency response score accuracy throughput usage progress speed average reach improve drop measure took"
    " averaging percent result failure remaining elapsed stars performance complete finish save collect gather"
)
#: Verbs that tell what a thing is, where it is, whose it is.
SLOTS = stems(
    "be call name title live sit reside go store save keep put write stay land own maintain lead manage belong use"
    " prefer choose pick adopt run target point default listen bind connect deploy host ship release"
)
#: Verbs that may tell of the same deed, a group a line.
_DEEDS = """
use try adopt employ utilize apply leverage rely work
make build write create implement develop add set configure integrate introduce code prepare
attend join visit participate register enroll go sign take learn listen
complete finish solve work practice score do handle tackle
meet know see collaborate work
deploy release ship launch publish migrate host
read study start begin
order buy purchase place pay book
talk speak discuss call meeting
give delegate hand assign
test check verify validate try measure
fix solve resolve debug reduce repair
change modify edit update rotate replace customize
submit send hand upload share apply
celebrate hold
track log record monitor
download install get obtain receive have own
travel visit fly go
"""
DEEDS: dict[str, frozenset[int]] = {}
for _at, _line in enumerate(_DEEDS.strip().splitlines()):
    DEEDS |= {one: DEEDS.get(one, frozenset()) | {_at} for one in stems(_line)}
#: Orders that go on holding, unlike one deed asked for.
STANDING = stems("use keep prefer avoid put write name call ensure follow stick always assume treat target stay don't")
#: One deed asked for.
ONE_OFF = stems(
    "fix add remove run check look show create update implement refactor rename delete commit push merge open revert"
    " undo try explain investigate find review test build install start stop change move make write go do let tell"
    " give see continue proceed read clean apply generate help list search summarize rerun rebase pull finish set bump"
    " raise lower increase decrease reduce switch replace"
)
#: What goes on in a head, and differs from one hour to the next.
KNOWING = stems(
    "know sure understand think see get wonder confused familiar idea clear feel find notice look mean need"
)
#: Verbs that may tell of anything.
ANY_DEED = stems("work do go take have get see know make set put start begin try run call")
#: All words that are one of several.
VALUES = CHOICES.keys() | POLES.keys() | SCOPES.keys()
#: Nouns whose number is a name: step 3 is another one than step 2, and neither is a value.
NUMBERED = stems(
    "line hunk step task phase section pr issue commit item part chapter figure round day attempt session case option"
    " example page question problem exercise stage milestone sprint column ticket"
    " lines hunks steps tasks chunk layer iteration turn module lesson unit group team worker shard slide room floor"
    " epic story requirement rule bug feature level exercise quiz batch version release appendix table experiment run"
    " variant scenario instance server machine partition bucket course assignment homework"
)
#: Words by which a clause is told from a heading.
VERBS = (
    DEEDS.keys()
    | SLOTS
    | REFUSALS
    | stems(
        "be have do can cannot must will may shall should would could might need want require support allow enable"
        " accept return raise expire keep store time log live work run write read contain hold include depend come"
        " start end stop exist become remain stay mean happen process indent squash merge rebase rename commit push"
        " pull gate retry delete expose listen scrape bind serve pin target limit eat hate love like enjoy prefer ask"
        " answer touch change last cost"
    )
)
