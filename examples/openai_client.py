"""An OpenAI client that remembers: it sends the session's pack instead of the list, and records what is said."""

from openai import OpenAI

import clew

with clew.open("examples.db") as engine:
    session = engine.session("support-81", user="ana")
    client = clew.wrap(OpenAI(), session=session, budget=20_000)
    messages = [{"role": "user", "content": "I'm Ana. Why does my login fail?"}]
    for question in ("Since when?", "And what do I do?"):
        reply = client.chat.completions.create(model="gpt-5", messages=messages)
        messages += [
            {"role": "assistant", "content": reply.choices[0].message.content},
            {"role": "user", "content": question},
        ]
    print(client.chat.completions.create(model="gpt-5", messages=messages).choices[0].message.content)
    print(len(session.messages()), "messages are kept,", session.health().health)
