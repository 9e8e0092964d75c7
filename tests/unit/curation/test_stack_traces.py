"""Stack traces: the frames nearest to the failure stay."""

from __future__ import annotations

from clew.curation.reducers import commands


def test_the_nearest_frames_of_a_long_trace_stay() -> None:
    library = "/usr/lib/python3.12/site-packages/web"
    frames = "\n".join(f'  File "{library}/part{n}.py", line {n}, in call\n    go()' for n in range(80))
    raised = '  File "/srv/harbor/crane.py", line 12, in lift\n    pull()\nOverload: 9 t'
    trace = f"Traceback (most recent call last):\n{frames}\n{raised}"

    shown = commands.reduce(trace, 700)

    assert raised in shown
    assert len(shown) < 1_000
