from __future__ import annotations

from clew.environment import data_folder
from clew.hooks import switch


def test_the_switch_stays_as_it_was_put() -> None:
    assert not switch.is_paused()
    assert switch.pause()
    assert not switch.pause()
    assert switch.is_paused()
    assert switch.resume()
    assert not switch.resume()
    assert not switch.is_paused()
    assert list(data_folder().iterdir()) == []
