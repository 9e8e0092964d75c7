"""A subagent of Claude Code has ended. The one that sums a session up has no type, and its last words are the summary:
nothing else tells it before the session goes on, so it is kept for the event that follows.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.hooks.event import Event


def answer(event: Event) -> str:
    """Keeps the summary, if this is one. There is nothing to say."""
    reply = event.text("last_assistant_message")
    if not event.text("agent_type") and "<summary>" in reply:
        from clew.hooks.deliveries import SUMMARY, keep_text

        keep_text(SUMMARY, event.session, summary_in(reply))
    return ""


def summary_in(text: str) -> str:
    """Returns what stands between the tags of a summary; all of it where there are none."""
    _, tag, rest = text.partition("<summary>")
    return (rest.partition("</summary>")[0] if tag else text).strip()
