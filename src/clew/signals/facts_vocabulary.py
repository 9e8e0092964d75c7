"""Words of English as statements use them: which say nothing, which say little, and which have odd forms."""

from __future__ import annotations

from clew.text.vocabulary import in_order, words

#: Say nothing of what is spoken about.
STOP_WORDS = words(
    "a about above after again all also am an and any anyone anything are as at be because been before being"
    " below between both but by can could did do does doing down during each either else ever every everything few"
    " for from further get gets getting got had has have having he her here hers him his how however i if in"
    " instead into is it its itself just kind kinda let lets like ll lot m may maybe me might mine more most much"
    " must my myself no nor not now of off ok okay on once one only or other our ours out over own please pretty"
    " quite rather re really s same shall she should since so some someone something sort still such sure t than"
    " thank thanks that the their theirs them then there these they thing things this those though through to too"
    " under until up upon us ve very was we well were what whatever when where whether which while who whole whom"
    " whose why will with within without would yeah yes yet you your yours never always actually already anyway"
    " basically cannot etc gonna hey hi behind per across along among against toward towards near inside outside"
    " onto plus except despite honestly hmm literally probably simply somewhat somehow therefore thus via wanna d"
    " don isn aren doesn didn hasn haven hadn wasn weren won wouldn couldn shouldn ain nothing nobody none neither"
    " nowhere longer anymore"
)
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
#: Forms that no rule gives, and names that people write in several ways: "form:word".
_ODD = in_order(
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
IRREGULAR = dict(pair.split(":") for pair in _ODD)
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
#: Nouns made of verbs, by their endings, and words that only look like them.
DEED_ENDINGS = (("ification", "ify"), ("ation", ""), ("ate", ""), ("ission", "it"), ("tion", "t"), ("ment", ""))
NO_DEEDS = words("production question function section station template private climate chocolate separate certificate")
