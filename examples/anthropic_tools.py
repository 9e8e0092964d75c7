"""An agent's loop with Anthropic's client: each turn sends a pack that fits, each tool run is recorded."""

from anthropic import Anthropic

import clew

LINES = {
    "name": "lines_of",
    "description": "Counts the lines of a file.",
    "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}

with clew.open("examples.db") as engine:
    session = engine.session("count-lines", model="claude-sonnet-5")
    session.system("Answer in one sentence.")
    question = "How long is login.py?"
    while True:
        request = session.pack(question, budget=8_000).request() | {"tools": [LINES]}
        reply = session.reply(Anthropic().messages.create(model="claude-sonnet-5", max_tokens=1_000, **request))
        for call in reply.calls:
            with session.tool(call.id) as run:
                run.output("12")
        if not reply.calls:
            break
        question = None
    print(reply.content)
