"""What a turn begins with: the model that is asked, and the limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clew.config import Config
from clew.domain import EntryKind, SessionInfo
from clew.domain.argument_kinds import ensure_positive
from clew.engine.conversation.answer_cache import AnswerCache, SessionAnswers
from clew.engine.conversation.turn_loop import TurnLimits
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.services import Services
from clew.errors import UsageError
from clew.ports import ChatModel, Models, Store

#: Share of what may be sent that an answer may take at most: small windows hold no long answers.
_MOST_ANSWER = 0.25
#: Tokens that may be sent, from which on a model is asked for notes. They would take a good part of a smaller window,
#: and models with so small a one follow no form.
_LEAST_FOR_NOTES = 6_000


def chosen_model(models: Models, info: SessionInfo, given: ChatModel | str | None) -> ChatModel:
    """Returns the model that was given, that of the settings, or the session's own, in this order. Raises UsageError
    where there is none.
    """
    model = models.chat_for_session(info.key, chosen=given or None)
    if model is None and info.model:
        model = models.chat_for_session(info.key, chosen=info.model)
    if model is None:
        hint = "name one, such as model='anthropic/claude-sonnet-5', or set models.model"
        raise UsageError("no model to ask", hint=hint, about="model")
    return model


def kept_answers(
    ledger: SessionLedger, services: Services, *, store: Store, depends: Callable[[], str]
) -> SessionAnswers | None:
    """Returns the cache of answers as a session uses it; None where the settings do not ask for it."""
    most = services.config.models.cached_answers
    if most < 1:
        return None
    return SessionAnswers(
        cache=AnswerCache(store, tenant=ledger.key.tenant, user=ledger.key.user, most=most),
        session=ledger.id,
        user=ledger.info.owner,
        depends=depends,
        note=lambda key: ledger.append(EntryKind.CACHED, {"cached": {"key": key}}),
        mask=ledger.mask,
        now=services.clock.now,
    )


def turn_limits(given: dict[str, Any], config: Config, *, limit: int) -> TurnLimits:
    """Returns the limits of a turn; ``limit`` is what may be sent where no budget is given. Raises UsageError for
    numbers that allow nothing.
    """
    for name in ("budget", "max_tokens", "rounds"):
        if given[name] is not None:
            ensure_positive(name, given[name])
    budget = given["budget"] or limit
    return TurnLimits(
        notes=limit >= _LEAST_FOR_NOTES,
        budget=budget,
        max_tokens=max(min(given["max_tokens"], int(budget * _MOST_ANSWER)), 1),
        rounds=given["rounds"],
        seconds=config.models.timeout_seconds,
        cancel=given["cancel"],
    )
