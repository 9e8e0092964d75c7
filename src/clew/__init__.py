"""Clew keeps the thread of long conversations with language models.

It keeps every word, sends only what matters, and can always lead back to the rest.
"""

from __future__ import annotations

from clew._version import __version__ as __version__

#: Loading ``typing`` takes longer than all the rest of this file, and a status line waits for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew import parts as parts
    from clew.adapters.clients import wrap as wrap
    from clew.app import compact as compact
    from clew.app import open as open
    from clew.async_engine.engine import open_async as open_async
    from clew.config import Config as Config
    from clew.domain import Compaction as Compaction
    from clew.domain import Health as Health
    from clew.domain import Message as Message
    from clew.domain import Part as Part
    from clew.domain import Trio as Trio
    from clew.domain import assistant as assistant
    from clew.domain import user as user
    from clew.domain.modules import Module as Module
    from clew.engine.engine import Engine as Engine
    from clew.engine.prompt.pack import Pack as Pack
    from clew.engine.session import Session as Session
    from clew.errors import BudgetExceeded as BudgetExceeded
    from clew.errors import ClewError as ClewError
    from clew.packing.allocation import Budget as Budget

#: Where each public name lives; loaded when it is first used, so that importing Clew costs little.
_HOMES = {
    "Budget": "clew.packing.allocation",
    "BudgetExceeded": "clew.errors",
    "ClewError": "clew.errors",
    "Compaction": "clew.domain",
    "Config": "clew.config",
    "Engine": "clew.engine.engine",
    "Health": "clew.domain",
    "Message": "clew.domain",
    "Module": "clew.domain.modules",
    "Pack": "clew.engine.prompt.pack",
    "Part": "clew.domain",
    "Session": "clew.engine.session",
    "Trio": "clew.domain",
    "assistant": "clew.domain",
    "compact": "clew.app",
    "open": "clew.app",
    "open_async": "clew.async_engine.engine",
    "user": "clew.domain",
    "wrap": "clew.adapters.clients",
}
#: Modules with names of their own, loaded likewise.
_MODULES = ("parts",)

__all__ = [
    "Budget",
    "BudgetExceeded",
    "ClewError",
    "Compaction",
    "Config",
    "Engine",
    "Health",
    "Message",
    "Module",
    "Pack",
    "Part",
    "Session",
    "Trio",
    "assistant",
    "compact",
    "open",
    "open_async",
    "user",
    "wrap",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"clew.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'clew' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES, "__version__"])
