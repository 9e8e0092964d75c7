"""A long list of messages fits a small budget in one call: no store, no model, and every part can be read back."""

import clew

messages = [{"role": "user", "content": "Never touch migrations/. Why do the tests fail?"}]
for step in range(40):
    call = {"type": "tool_use", "id": f"call_{step}", "name": "read_file", "input": {"path": f"app/part_{step}.py"}}
    lines = "\n".join(f"def part_{step}_{line}(): return {line}" for line in range(40))
    messages += [
        {"role": "assistant", "content": [{"type": "text", "text": f"I read part {step}."}, call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"call_{step}", "content": lines}]},
    ]

small = clew.compact(messages, budget=4_000, format="anthropic")
print(f"{len(messages)} messages in {small.report.tokens} of {small.report.budget} tokens")
print(small.recall("m3")[0].text[:60])
