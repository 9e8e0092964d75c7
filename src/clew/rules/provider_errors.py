"""What providers answer when a rule is broken, as far as it is known; … stands for what differs each time."""

from __future__ import annotations

ERRORS: dict[str, tuple[str, ...]] = {
    "A1": ("tool_use ids were found without tool_result blocks immediately after: …",),
    "A2": ("unexpected tool_use_id found in tool_result blocks: …",),
    "A3": ("tool_use ids must be unique",),
    "A4": ("…tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",),
    "A5": ("tool_use ids were found without tool_result blocks immediately after: …",),
    "A6": (
        "messages: text content blocks must be non-empty",
        "messages: text content blocks must contain non-whitespace text",
        "messages.…: all messages must have non-empty content except for the optional final assistant message",
    ),
    "A7": (
        "Expected `thinking` or `redacted_thinking`, but found `…`. When `thinking` is enabled, a final "
        "`assistant` message must start with a thinking block",
    ),
    "A12": ("A maximum of 4 blocks with cache_control may be provided. Found ….",),
    "A13": ("This model does not support assistant message prefill. The conversation must end with a user message.",),
    "A14": (
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter',
        "messages.…: role 'system' must precede an 'assistant' message or end the array; …",
        "messages.…: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool "
        "result; …",
        "role 'system' is not supported on this model",
    ),
    "A15": ("image exceeds 5 MB maximum: …",),
    "A16": ("The request body is not valid JSON: no low surrogate in string",),
    "A17": (
        "tools.….custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        "….tool_use.name: String should have at least 1 character",
    ),
    "A18": ("messages.….content.…: Input tag '…' found using 'type' does not match any of the expected tags: …",),
    "A19": ('messages: Unexpected role "tool". Allowed roles are "user" or "assistant".',),
    "O1": (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    ),
    "O2": ("messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",),
    "O3": ("Invalid 'messages[…].tool_calls[…].id': string too long. Expected a string with maximum length 40",),
    "O4": (
        "Invalid 'messages[…].tool_calls': empty array. Expected an array with minimum length 1, but got an "
        "empty array instead.",
    ),
    "O5": (
        "Invalid 'tools[…].function.name': string does not match pattern. Expected a string that matches the "
        "pattern '^[a-zA-Z0-9_-]+$'.",
        "string too long. Expected a string with maximum length 128",
    ),
    "O6": ("Invalid value for 'content': expected a string, got null.",),
    "O7": (
        "Invalid value: '…'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    ),
    "O8": (
        "Invalid value: '…'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.",
    ),
    "R1": ("No tool call found for function call output with call_id ….",),
    "R2": ("No tool output found for function call ….",),
    "R3": ("Item '…' of type 'reasoning' was provided without its required following item.",),
    "R4": ("Item '…' of type '…' was provided without its required 'reasoning' item: '…'.",),
    "R5": ("Item with id '…' not found. Items are not persisted when `store` is set to false.",),
    "R6": ("Invalid 'input[…].id': '…'. Expected an ID that begins with 'msg'.",),
    "R7": ("The encrypted content for item … could not be verified.",),
    "R8": (
        "Invalid 'input[…].name': string does not match pattern. Expected a string that matches the pattern "
        "'^[a-zA-Z0-9_-]+$'.",
    ),
    "R9": ("Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",),
    "R10": (
        "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', …",
        "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    ),
    "R11": (
        "Invalid type for 'input[…].content': expected one of an array of objects or string, but got null instead.",
    ),
    "R12": ("Duplicate item found with id …. Remove duplicate items from your input and try again.",),
    "G1": (
        "Please ensure that the number of function response parts is equal to the number of function call "
        "parts of the function call turn.",
    ),
    "G2": (
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    ),
    "G3": ("Please ensure that function response turn comes immediately after a function call turn.",),
    "G4": ("Function call is missing a thought_signature in functionCall parts.",),
    "G6": (
        "Please use a valid role: user, model.",
        "First content should be with role 'user', got model",
        "Please ensure that multiturn requests ends with a user role or a function response.",
    ),
    "G7": (
        "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, "
        "0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of ….",
    ),
    "G8": (
        "contents.parts must not be empty.",
        "Unable to submit request because it has an empty text parameter.",
        "required oneof field 'data' must have one initialized field",
    ),
    "G9": ("Invalid JSON payload received. Unknown name \"type\" at 'contents[…].parts[…]': Cannot find field.",),
    "M2": ("Unexpected role 'user' after role 'tool'",),
    "D1": ("The `reasoning_content` in the thinking mode must be passed back to the API.",),
    "B1": ("The toolConfig field must be defined when using toolUse and toolResult content blocks.",),
}
