"""Writes the references in docs/ from the code; with --check, says whether they are up to date."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import clew
from clew import rules
from clew.cli.app import app, program
from clew.cli.tour import stops
from clew.config import Config
from clew.rules.provider_errors import ERRORS

ROOT = Path(__file__).parent.parent


def configuration() -> str:
    lines = [
        "# Settings",
        "",
        "Made from `src/clew/config/tree.py`; `make fix` writes it anew.",
        "",
        "A setting is looked for on the command line, in the environment (`CLEW_` and the name in capitals, `__`",
        "for each dot), in `./clew.toml`, in `[tool.clew]` of `./pyproject.toml`, and in the user's `config.toml`;",
        "the first that has it wins. `models.*` is the user's alone: in the two files of a project it is an error.",
        "",
        "| setting | default | environment | meaning |",
        "|---|---|---|---|",
        *_settings(Config(), ""),
        "",
    ]
    return "\n".join(lines)


def _settings(node: Any, prefix: str) -> Iterator[str]:
    for one in fields(node):
        value, name = getattr(node, one.name), f"{prefix}{one.name}"
        if is_dataclass(value):
            yield from _settings(value, f"{name}.")
        else:
            variable = "CLEW_" + name.upper().replace(".", "__")
            yield f"| `{name}` | `{_toml(value)}` | `{variable}` | {one.metadata['doc']} |"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def commands() -> str:
    import typer

    group = typer.main.get_command(app)
    lines = ["# Commands", "", "Made from the program itself; `make fix` writes it anew.", ""]
    return "\n".join([*lines, *_helps(group, "clew", None)])


def _helps(command: Any, path: str, parent: Any) -> Iterator[str]:
    """The help of a command and of all below it, as a terminal of 100 columns shows it."""
    name = path.rpartition(" ")[2]
    settings = {**command.context_settings, "terminal_width": 100, "max_content_width": 100}
    context = command.context_class(command, info_name=name, parent=parent, **settings)
    if parent is not None:
        yield from (f"## {path}", "", "```", command.get_help(context), "```", "")
    for inner, below in getattr(command, "commands", {}).items():
        yield from _helps(below, f"{path} {inner}", context)


#: Who each rule is of, in the order of the page.
_PROVIDERS = {
    "anthropic": "Anthropic Messages",
    "openai-chat": "OpenAI Chat Completions",
    "openai-responses": "OpenAI Responses",
    "gemini": "Gemini",
}


def rules_page() -> str:
    lines = [
        "# Rules",
        "",
        "Made from `src/clew/rules`; `make fix` writes it anew.",
        "",
        "What providers refuse, by the ids that `clew check` gives. Every request that Clew writes keeps to them.",
        "A rule with a dialect counts only where it is named (`--dialect`). Rules that compare with the request sent",
        "before (A8, A10, A11, R4, R7, G5) need `--previous`. OpenAI takes an empty string as content, and not null;",
        "tool names of more than 64 characters are refused by older models and by some servers that speak its format.",
        "",
    ]
    for provider, name in _PROVIDERS.items():
        lines += [f"## {name}", ""]
        lines += ["| rule | what holds | repaired | the provider's error, where known |", "|---|---|---|---|"]
        lines += [_rule_row(rule) for rule in rules.RULES if rule.provider == provider]
        lines += [""]
    return "\n".join(lines)


def _rule_row(rule: rules.Rule) -> str:
    title = f"{rule.title} ({rule.dialect})" if rule.dialect else rule.title
    errors = [f"`` {error} ``" for error in ERRORS.get(rule.id, ())]
    return f"| {rule.id} | {title} | {'yes' if rule.repair else 'from the history'} | {'; '.join(errors)} |"


#: Public names in the order of the page: what one calls, what one works with, and values.
_CALLED = ("open", "open_async", "compact", "wrap", "user", "assistant")
_WORKED_WITH = ("Engine", "Session")
_LONG_LINE = 100


def python_api() -> str:
    lines = [
        "# Python API",
        "",
        "Made from the docstrings of the package; `make fix` writes it anew. [Clew in Python](python.md) shows how the",
        "pieces go together. `async with clew.open_async(…)` gives the same names, to be awaited.",
        "",
    ]
    values = [name for name in clew.__all__ if name not in (*_CALLED, *_WORKED_WITH)]
    for name in (*_CALLED, *_WORKED_WITH, *values):
        thing = getattr(clew, name)
        lines += [f"## clew.{name}", ""]
        if not inspect.isclass(thing):
            lines += _documented(f"clew.{name}", thing)
            continue
        lines += [*_prose(thing), *_fields(thing)]
        for member, called in _members(thing):
            lines += [f"### {name}.{member}", "", *_documented(member, called)]
    return "\n".join(lines)


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    """Methods and properties that a class, or one that it is made from, documents; its own first."""
    seen = set()
    for owner in kind.__mro__[:-1]:
        if not owner.__module__.startswith("clew"):
            continue
        for name, member in vars(owner).items():
            called = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if name.startswith("_") or name in seen or not inspect.isfunction(called) or not called.__doc__:
                continue
            seen.add(name)
            yield name, member if isinstance(member, property) else called


def _documented(name: str, called: Any) -> list[str]:
    if isinstance(called, property):
        return [f"*{_bare(inspect.signature(called.fget).return_annotation)}*", "", *_prose(called)]
    return ["```python", _signature(name, inspect.signature(called)), "```", "", *_prose(called)]


def _signature(name: str, signature: inspect.Signature) -> str:
    """A call as it is written, with a line for each parameter where it is long."""
    taken = [one for one in signature.parameters.values() if one.name not in {"self", "cls"}]
    given = [one.replace(annotation=_bare(one.annotation), default=_default(one.default)) for one in taken]
    result = _bare(signature.return_annotation)
    text = str(signature.replace(parameters=given, return_annotation=result))
    if len(name + text) <= _LONG_LINE:
        return f"{name}{text}"
    inner = str(signature.replace(parameters=given, return_annotation=inspect.Signature.empty))[1:-1]
    parts = re.split(r", (?=[*/]|\*{0,2}\w+(?:: |,|$))", inner)
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f") -> {result}"])


class _Written(str):
    """An annotation as it stands in the source."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _bare(annotation: Any) -> Any:
    return _Written(annotation) if isinstance(annotation, str) else annotation


def _default(value: Any) -> Any:
    """A default as it is written; of a function or object only that there is one, as it has no lasting name."""
    if isinstance(value, str):
        return str(value)
    return _Written("…") if repr(value).startswith("<") and value is not inspect.Parameter.empty else value


def _prose(thing: Any) -> list[str]:
    """A docstring in Markdown."""
    return [(inspect.getdoc(thing) or "").replace("``", "`"), ""]


def _fields(kind: type) -> list[str]:
    if not is_dataclass(kind):
        return []
    told = [f"`{one.name}: {one.type}`" for one in fields(kind) if not one.name.startswith("_")]
    return ["Fields: " + ", ".join(told) + ".", ""]


def security() -> str:
    """The page of the site says what SECURITY.md says."""
    return (ROOT / "SECURITY.md").read_text().replace("docs/", "")


#: The stops of the tour that the readme shows.
_SHOWN = (0, 2, 3, 5, 6, 7, 8, 10)
_BEGIN, _END = "<!-- tour: written by `make fix` from what the program really prints -->", "<!-- end of tour -->"


def readme() -> str:
    """The readme shows what the tour prints."""
    text = (ROOT / "README.md").read_text()
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    shown = [stop.text(lines=9) for at, stop in enumerate(islice(stops(program()), _SHOWN[-1] + 1)) if at in _SHOWN]
    return f"{before}{_BEGIN}\n```\n{chr(10).join(shown).strip()}\n```\n{_END}{after}"


def main() -> int:
    wanted = {
        "docs/configuration.md": configuration(),
        "docs/commands.md": commands(),
        "docs/rules.md": rules_page(),
        "docs/api.md": python_api(),
        "docs/security.md": security(),
        "README.md": readme(),
    }
    stale = [name for name, text in wanted.items() if _read(ROOT / name) != text]
    if "--check" in sys.argv:
        for name in stale:
            print(f"{name} is out of date: run `make fix`")
        return 1 if stale else 0
    for name in stale:
        (ROOT / name).write_text(wanted[name])
        print(f"wrote {name}")
    return 0


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
