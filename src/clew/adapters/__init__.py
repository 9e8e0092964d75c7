"""Adapters: Clew inside the clients and frameworks that people already use.

Each packs what is sent, records what was said, and leaves the rest to the framework, which is imported only when its
adapter is used.
"""

from clew.adapters.recall import recall_tool

__all__ = ["recall_tool"]
