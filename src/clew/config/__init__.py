"""All settings: their tree with defaults (``tree``), where they come from (``sources``), what they may be (``values``).

This is the only place that reads settings, from the environment and TOML files. Later beats earlier: defaults, the
user's config.toml, ``[tool.clew]`` in ./pyproject.toml, ./clew.toml, ``CLEW_*`` (``__`` for nesting), and the caller's
arguments. Only the user may choose what costs money or sends keys somewhere: ``[models]`` in the files of a project is
an error.
"""

from clew.config.sources import load, names, store_url, with_settings
from clew.config.tree import (
    COMMAND_MODELS,
    CompactionConfig,
    Config,
    CriticalConfig,
    CurationConfig,
    DigestConfig,
    DisplayConfig,
    Durability,
    GatewayConfig,
    HealthConfig,
    HooksConfig,
    KnowledgeConfig,
    ModelsConfig,
    PackingConfig,
    SegmentConfig,
    StorageConfig,
    knob,
)
from clew.config.values import PRICES, ensure_shares, range_of

__all__ = [
    "COMMAND_MODELS",
    "PRICES",
    "CompactionConfig",
    "Config",
    "CriticalConfig",
    "CurationConfig",
    "DigestConfig",
    "DisplayConfig",
    "Durability",
    "GatewayConfig",
    "HealthConfig",
    "HooksConfig",
    "KnowledgeConfig",
    "ModelsConfig",
    "PackingConfig",
    "SegmentConfig",
    "StorageConfig",
    "ensure_shares",
    "knob",
    "load",
    "names",
    "range_of",
    "store_url",
    "with_settings",
]
