"""One conversation in the objects of every SDK and framework: a question, a call, its output, an answer.

Each function imports its package; tests are skipped where that is missing.
"""

from __future__ import annotations

from typing import Any

import pytest

QUESTION, LOOK, FOUND, ANSWER = "What is in the hold?", "I look.", "12 barrels", "Twelve barrels."


def anthropic() -> list[Any]:
    types = pytest.importorskip("anthropic.types")
    usage = types.Usage(input_tokens=7, output_tokens=3)

    def message(id: str, *content: Any, stop: str) -> Any:
        return types.Message(
            id=id, type="message", role="assistant", model="model-1", content=content, stop_reason=stop, usage=usage
        )

    look = types.ToolUseBlock(type="tool_use", id="toolu_1", name="look", input={"place": "hold", "deep": None})
    result = types.ToolResultBlockParam(type="tool_result", tool_use_id="toolu_1", content=FOUND)
    return [
        {"role": "user", "content": QUESTION},
        message("msg_1", types.TextBlock(type="text", text=LOOK), look, stop="tool_use"),
        {"role": "user", "content": [result]},
        message("msg_2", types.TextBlock(type="text", text=ANSWER), stop="end_turn"),
    ]


def openai_chat() -> list[Any]:
    chat = pytest.importorskip("openai.types.chat")

    def completion(id: str, stop: str, **message: Any) -> Any:
        said = {"role": "assistant", "refusal": None, "annotations": []} | message
        choice = {"index": 0, "finish_reason": stop, "message": said, "logprobs": None}
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        about = {"id": id, "object": "chat.completion", "created": 1, "model": "model-1", "usage": usage}
        return chat.ChatCompletion.model_validate(about | {"choices": [choice]})

    function = {"name": "look", "arguments": '{"place":"hold","deep":null}'}
    calls = [{"id": "call_1", "type": "function", "function": function}]
    return [
        {"role": "user", "content": QUESTION},
        completion("c1", "tool_calls", content=LOOK, tool_calls=calls),
        chat.ChatCompletionToolMessageParam(role="tool", tool_call_id="call_1", content=FOUND),
        completion("c2", "stop", content=ANSWER),
    ]


def openai_chat_messages() -> list[Any]:
    asked, first, found, last = openai_chat()
    return [asked, first.choices[0].message, found, last.choices[0].message]


def openai_responses() -> list[Any]:
    responses = pytest.importorskip("openai.types.responses")

    def response(id: str, *output: Any) -> Any:
        usage = {
            "input_tokens": 7,
            "output_tokens": 3,
            "total_tokens": 10,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        about = {"id": id, "object": "response", "created_at": 1, "model": "model-1", "status": "completed"}
        rest = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": usage}
        return responses.Response.model_validate(about | rest | {"output": output})

    function = {"name": "look", "arguments": '{"place":"hold","deep":null}'}
    return [
        {"role": "user", "content": QUESTION},
        response(
            "resp_1", _said("msg_1", LOOK), {"type": "function_call", "id": "fc_1", "call_id": "call_1"} | function
        ),
        {"type": "function_call_output", "call_id": "call_1", "output": FOUND},
        response("resp_2", _said("msg_2", ANSWER)),
    ]


def _said(id: str, text: str) -> Any:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": id, "role": "assistant", "status": "completed", "content": content}


def openai_responses_items() -> list[Any]:
    asked, first, found, last = openai_responses()
    return [asked, *first.output, found, *last.output]


def gemini() -> list[Any]:
    types = pytest.importorskip("google.genai.types")
    usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=7, candidates_token_count=3)

    def response(id: str, *parts: Any) -> Any:
        candidate = types.Candidate(content=types.Content(role="model", parts=list(parts)), finish_reason="STOP")
        about = {"response_id": id, "model_version": "model-1", "usage_metadata": usage}
        return types.GenerateContentResponse(candidates=[candidate], **about)

    look = types.FunctionCall(name="look", args={"place": "hold", "deep": None})
    found = types.Part(function_response=types.FunctionResponse(name="look", response={"output": FOUND}))
    return [
        types.Content(role="user", parts=[types.Part(text=QUESTION)]),
        response("r1", types.Part(text=LOOK), types.Part(function_call=look, thought_signature=b"\xfb\xff seal")),
        types.Content(role="user", parts=[found]),
        response("r2", types.Part(text=ANSWER)),
    ]


def gemini_contents() -> list[Any]:
    asked, first, found, last = gemini()
    return [asked, first.candidates[0].content, found, last.candidates[0]]


def langchain() -> list[Any]:
    messages = pytest.importorskip("langchain_core.messages")
    usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}

    def said(text: str, stop: str, **more: Any) -> Any:
        about = {"model_name": "model-1", "finish_reason": stop}
        return messages.AIMessage(content=text, response_metadata=about, usage_metadata=usage, **more)

    calls = [{"name": "look", "args": {"place": "hold", "deep": None}, "id": "call_1"}]
    return [
        messages.HumanMessage(QUESTION),
        said(LOOK, "tool_calls", tool_calls=calls),
        messages.ToolMessage(FOUND, tool_call_id="call_1", name="look", artifact=object()),
        said(ANSWER, "stop"),
    ]


def pydantic_ai() -> list[Any]:
    messages = pytest.importorskip("pydantic_ai.messages")
    usage = pytest.importorskip("pydantic_ai.usage").RequestUsage(input_tokens=7, output_tokens=3)
    call = messages.ToolCallPart("look", {"place": "hold", "deep": None}, tool_call_id="call_1")
    found = messages.ToolReturnPart(tool_name="look", content=FOUND, tool_call_id="call_1")
    about = {"model_name": "model-1", "usage": usage}
    return [
        messages.ModelRequest(parts=[messages.UserPromptPart(QUESTION)]),
        messages.ModelResponse(parts=[messages.TextPart(LOOK), call], finish_reason="tool_call", **about),
        messages.ModelRequest(parts=[found]),
        messages.ModelResponse(parts=[messages.TextPart(ANSWER)], finish_reason="stop", **about),
    ]


def openai_agents() -> list[Any]:
    items = pytest.importorskip("agents.items")
    agents = pytest.importorskip("agents")
    asked, first, found, last = openai_responses()
    agent = agents.Agent(name="mate")
    usage = agents.Usage(requests=1, input_tokens=7, output_tokens=3, total_tokens=10)
    return [
        asked,
        items.MessageOutputItem(agent=agent, raw_item=first.output[0]),
        items.ToolCallItem(agent=agent, raw_item=first.output[1]),
        items.ToolCallOutputItem(agent=agent, raw_item=found, output=FOUND),
        items.ModelResponse(output=last.output, usage=usage, response_id="resp_2"),
    ]


CONVERSATIONS = {
    one.__name__: one
    for one in (
        anthropic,
        openai_chat,
        openai_chat_messages,
        openai_responses,
        openai_responses_items,
        gemini,
        gemini_contents,
        langchain,
        pydantic_ai,
        openai_agents,
    )
}
#: Those whose replies are whole: with usage, model and stop reason.
WHOLE = {
    "anthropic": "end_turn",
    "openai_chat": "stop",
    "openai_responses": "completed",
    "gemini": "STOP",
    "langchain": "stop",
    "pydantic_ai": "stop",
}
