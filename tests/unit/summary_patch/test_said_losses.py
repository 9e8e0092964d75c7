"""What a summary lost of people's words."""

from __future__ import annotations

from dataclasses import replace

from clew.domain import Message, Output, Role, Status, Text
from clew.summary_patch.said_losses import said_losses
from tests.builders import call, gives, says, user
from tests.unit.summary_patch.examples import gathered, summary_of, texts


def lost(summary: str, *messages: Message) -> list[str]:
    said = gathered(*messages).statements
    replies = [replace(one, id=f"m{at}") for at, one in enumerate(messages, 1) if one.role is Role.ASSISTANT]
    return texts(said_losses(said, summary_of(summary), newest=len(messages), root="", replies=replies))


def refusal(command: str, words: str = "") -> list[Message]:
    text = "The user doesn't want to proceed with this tool use. The tool use was rejected"
    text = f"{text} (eg. if it was a file edit, the new_string was NOT written to the file)."
    said = f"{text} To tell you how to proceed, the user said:\n{words}" if words else text
    refused = Output(call_id="c", content=(Text(text=said),), status=Status.CANCELED, reason=words or None)
    return [says(call("c", "Bash", command=command)), gives(refused)]


def test_words_that_the_summary_has_in_its_own_words_are_not_told_again() -> None:
    asked = user("Please round every tax to two decimals, the office complained.")
    assert lost("The office complained, so every tax must be rounded to two decimals.", asked) == []
    assert lost("Worked on receipts.", asked) == [
        "m1 user: Please round every tax to two decimals, the office complained."
    ]


def test_a_refused_call_is_told_also_where_the_words_are_known() -> None:
    steps = refusal("git push --force origin main", "open a request instead")
    told = ["m2 user (refusing `git push --force origin main`): open a request instead"]
    assert lost("The user wants to open a request instead.", *steps) == told
    assert lost("The user rejected git push --force origin main: open a request instead.", *steps) == []


def test_a_refusal_without_words_is_told_unless_it_only_looked() -> None:
    assert lost("Nothing.", *refusal("git commit -m done")) == ["m2 user (refusing `git commit -m done`): (no words)"]
    assert lost("Nothing.", *refusal("ls -la src")) == []


def test_a_refused_commit_is_worth_the_same_however_old_it_is() -> None:
    def values(command: str) -> tuple[float, float]:
        said = gathered(*refusal(command)).statements
        (new,), (old,) = (list(said_losses(said, summary_of("Nothing."), newest=at, root="")) for at in (2, 200))
        return new.value, old.value

    new, old = values("git commit -m done")
    assert new == old
    new, old = values("make release")
    assert new > old


def test_commands_of_the_client_bare_choices_and_what_a_program_showed_are_no_words_of_a_person() -> None:
    assert lost("Nothing.", user("/review-request"), user("1")) == []
    shown = "     Powered by Harbour:\n       This talk will be linked to your next commit when you make one.\n"
    asked = f"I built it again and started it in the playground, then I saw this on my screen at once:\n{shown}" * 2
    told = lost("Nothing.", user(f"{asked}\nbut nothing is happening here. Isn't it supposed to fire after 30 s?"))
    assert not any("linked to your next commit" in line for line in told)
    assert any("supposed to fire" in line for line in told)


def test_an_objection_comes_with_what_was_proposed() -> None:
    offer = says("Auto-packing causes it. Want me to set gc.auto to 0 in the main checkout?")
    told = lost("The user watches whether it happens again.", offer, user("no don't set it, watch if it happens again"))
    assert told == [
        "m2 user: no don't set it, watch if it happens again"
        ' [to the agent\'s "Want me to set gc.auto to 0 in the main checkout?"]'
    ]


def test_of_long_words_the_sentences_that_are_lost_are_told_and_no_paste() -> None:
    words = (
        "Round every tax to two decimals as the office asked for it. " + "Keep the receipts as they are for now. " * 6
    )
    words += "And never write to the table of the archive, it is shared with the harbour.\n```\nsome log of it\n```"
    told = lost(
        "Every tax is rounded to two decimals, the office asked for it; keep the receipts as they are.", user(words)
    )
    assert told == ["m1 user: […] And never write to the table of the archive, it is shared with the harbour."]


def test_a_brief_yes_comes_with_what_was_proposed_if_that_says_something() -> None:
    offer = says("The cycle is broken by it. Should I move the validators into the `checkpoint` package?")
    assert lost("Worked.", offer, user("yes, please do")) == [
        'm2 user: yes, please do [to the agent\'s "Should I move the validators into the `checkpoint` package?"]'
    ]
    assert lost("Worked.", says("It is one way. Want me to do it?"), user("yes")) == []


def test_a_log_that_is_pasted_without_a_fence_is_not_a_persons_words() -> None:
    log = "Built: /var/tmp/shop/bin\n" + "The rest of the file remains as it was before the run of it. " * 6
    (line,) = lost("Worked.", user(f"I think that the numbers of the lines are off in it:\n\n{log}"))
    assert "The rest of the file" not in line


def test_words_of_the_agent_that_a_person_quotes_are_not_theirs() -> None:
    answer = "The **importer** keeps `orders` in one list, so that the total\nis known before the first row is written."
    copied = "The importer keeps orders in one list, so that the total is known\n before the first row is written."
    own = "I do not want that, since a list of all the orders in the shop is far too large for this machine."
    quoted = f"> You said that the job of the night would be the better place for all of this.\n\n{copied}\n\n{own}"
    said = user(f"{quoted} Please look at it again, will you?")
    told = lost("Nothing.", user("How does it work?"), says(answer), says("That is all."), said)
    assert [line for line in told if "one list" in line or "job of the night" in line] == []
    assert any("far too large" in line for line in told)
