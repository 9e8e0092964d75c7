"""How the values of options and arguments are read.

typer reads them by way of pydantic, which takes a tenth of a second to import. All of ours are words, whole numbers
and paths, so they are read here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a whole number") from None


_READERS: dict[Any, Callable[[Any], Any]] = {
    bool: bool,
    str: str,
    int: _whole_number,
    Path: Path,
    list[str]: list,
}


@dataclass(frozen=True)
class PlainValue:
    """Reads the values of one parameter; typer asks it where it would ask pydantic."""

    read: Callable[[Any], Any]
    least: float | None = None
    most: float | None = None

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Returns the value, or None where none was given. Raises BadParameter with the reason."""
        if value is None:
            return None
        try:
            number = self.read(value)
        except ValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx, param=param) from None
        if self.least is not None and number < self.least:
            raise typer.BadParameter(f"{number} is less than {self.least}", ctx=ctx, param=param)
        if self.most is not None and number > self.most:
            raise typer.BadParameter(f"{number} is more than {self.most}", ctx=ctx, param=param)
        return number


def read_plainly(command: Any, parent: Any = None) -> None:
    """Gives every parameter of a command, and of the commands below it, a reader of its own kind."""
    context = command.context_class(command, info_name=command.name, parent=parent, **command.context_settings)
    for parameter in command.get_params(context):
        read = _READERS[parameter.type_descriptor.annotation]
        parameter._runtime_param = PlainValue(
            read, least=getattr(parameter, "min", None), most=getattr(parameter, "max", None)
        )
    for inner in getattr(command, "commands", {}).values():
        read_plainly(inner, context)
