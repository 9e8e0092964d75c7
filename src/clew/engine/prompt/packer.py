"""The packer: turns an input and a budget into a pack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from clew.codecs import jsonio
from clew.curation.curator import curate
from clew.curation.markers import blob_id, marker_blob
from clew.curation.projection import CuratedFormsProjection, form_row
from clew.domain import ClippedMessage, Json, Message, Role, Tool
from clew.engine.epochs.turn import BuiltPrompt, Turn, system_messages
from clew.engine.prompt.builder import without_snapshot
from clew.engine.prompt.omissions import OmittedSegments
from clew.engine.prompt.pack import Pack, PackContent
from clew.engine.prompt.prompts import Prompts
from clew.engine.prompt.stream import PromptStream
from clew.engine.session_core import SessionCore
from clew.errors import UsageError
from clew.foreground import in_foreground
from clew.history.part_identity import identities
from clew.packing.allocation import Budget
from clew.packing.formats import FORMATS
from clew.packing.inputs import Input, InputKind
from clew.packing.report import Omission, content_hash
from clew.text.secrets import mask
from clew.tokens.models import is_known_maker

#: The call that a tool response answers is looked for in this many newest messages.
_CALL_LOOK_BACK = 12
#: Sizes of shortened outputs that are kept in memory.
_MOST_SIZES = 10_000
_NO_ROOM = "a required module that the share of knowledge has no room for"
_CAP_REACHED = "critical items take all that they may take"


class Packer:
    """Packs for one session."""

    def __init__(self, core: SessionCore, prompts: Prompts) -> None:
        self._ledger, self._reader, self._services = core.ledger, core.reader, core.services
        self._log, self._pins, self._prompts = core.log, core.pins, prompts
        self._omitted = OmittedSegments(core.reader)
        self._sizes: dict[tuple[str, str], int] = {}
        self._unknown: set[str] = set()

    @in_foreground
    def pack(
        self,
        input: Input | None,
        budget: Budget,
        *,
        target: str | None,
        record: bool,
        instructions: str = "",
        thinking: str = "",
        model: str = "",
        sent_whole: bool = False,
    ) -> Pack:
        """Returns what to send for a turn, for the session's provider unless ``target`` names another. The
        ``instructions`` on notes and requests in replies go with this turn alone; ``thinking`` is the mode in which the
        request will be answered, ``model`` the one that is asked, and ``sent_whole`` says that outputs are sent whole
        until something is compacted.

        With ``record`` the profile, if it changed, the input, and an epoch if one starts, are written to the ledger.
        Raises UsageError for an unknown target, BudgetExceeded when even the least does not fit.
        """
        chosen = target or self._prompts.default_target()
        if chosen not in FORMATS:
            raise UsageError(f"cannot pack for {chosen!r}; there are {', '.join(FORMATS)}")
        if record:
            self._pins.take_in_profile()
            if target is None:
                self._announce_unknown()
        stream = self._prompts.stream(chosen, budget.total, is_sent=record)

        def build() -> tuple[BuiltPrompt, Pack]:
            turn = self._turn(input, budget, chosen)
            turn = replace(turn, instructions=instructions, thinking=thinking, model=model, sent_whole=sent_whole)
            prompt = stream.build(turn, record=record)
            return prompt, self._freeze(prompt, stream)

        if not record:
            return self._ledger.at_one_moment(build)[1]
        prompt, pack = self._ledger.at_one_moment(build, lambda built: stream.write(built[0]))
        stream.announce(prompt)
        return pack

    def _announce_unknown(self) -> None:
        """Whoever listens hears once of a model whose name tells nothing: its API is assumed, and what it can read."""
        model = self._reader.info.model
        if not model or model in self._unknown or is_known_maker(model):
            return
        self._unknown.add(model)
        about = {"model": model, "target": self._prompts.default_target(), "window": self._reader.window().tokens}
        self._services.events.emit("model.unknown", session=self._ledger.id, **about)

    def system_tokens(self, target: str, budget: int) -> int:
        """Returns the tokens that the system prompt and tools take in a provider's request."""
        return self._prompts.stream(target, budget).system_tokens(self._turn(None, Budget(budget), target))

    def _turn(self, input: Input | None, budget: Budget, target: str) -> Turn:
        """A text is about the conversation: whoever takes it has a system prompt of their own."""
        system, tools = self._log.system_and_tools() if target != "text" else ((), ())
        messages, full_texts = self._input_messages(input)
        if self._is_recorded(messages):
            messages, full_texts = (), ()
        return Turn(
            system=system,
            tools=tools,
            budget=budget,
            input=input,
            input_messages=messages,
            full_texts=full_texts,
        )

    def _is_recorded(self, messages: tuple[Message, ...]) -> bool:
        """True for an input that the session already ends with: it is sent where it stands."""
        newest = self._reader.recent_messages(len(messages), shared=True) if messages else []
        return bool(newest) and list(map(_role_and_identities, newest)) == list(map(_role_and_identities, messages))

    def _input_messages(self, input: Input | None) -> tuple[tuple[Message, ...], tuple[str, ...]]:
        """The messages of an input as they are sent, and texts that they shorten: a tool's response has the form it
        will be recorded in, and secrets are masked where the store does that, so that what is read back was sent."""
        if input is None:
            return (), ()
        config = self._services.config
        if config.storage.mask_secrets:
            input = replace(input, text=mask(input.text), errors=tuple(map(mask, input.errors)))
        if input.kind is not InputKind.TOOL_RESPONSE:
            return input.messages(), ()
        calls = {call.id: call for message in self._reader.recent_messages(_CALL_LOOK_BACK) for call in message.calls}
        output = curate(input.text, calls.get(input.tool_id), config.curation)
        if output is None:
            return input.messages(), ()
        return replace(input, text=output.text).messages(), (input.text,) if output.blob else ()

    def _freeze(self, prompt: BuiltPrompt, stream: PromptStream) -> Pack:
        system, tools = self._system_and_tools(prompt.turn, stream.target)
        snapshot, tail = prompt.epoch.snapshot, prompt.sent_tail
        content = PackContent(
            snapshot=snapshot,
            messages=tail if stream.target == "text" else without_snapshot(tail, snapshot),
            system=system,
            tools=tools,
            turn=prompt.sent_turn,
            sealed_after=prompt.epoch.started_at,
            is_whole=prompt.epoch.is_whole,
        )
        return Pack(
            session=self._ledger.id,
            target=stream.target,
            budget=stream.budget,
            tokens=prompt.tokens,
            epoch=prompt.epoch.number,
            sections=prompt.sections,
            left_out=self._left_out(prompt),
            repairs=prompt.repairs,
            body=prompt.body,
            digest=content_hash(_bytes(prompt.body)),
            content=content,
            counted=prompt.counted,
        )

    def _system_and_tools(self, turn: Turn, target: str) -> tuple[tuple[Message, ...], tuple[Tool, ...]]:
        """What a request is sent with; of a text, what one would be sent with that is made of it."""
        if target != "text":
            return turn.system, turn.tools
        system, tools = self._log.system_and_tools()
        text = self._log.system_text()
        return (system_messages(text) if text else system), tools

    # ── what is left out ─────────────────────────────────────────────────────────────────────────────

    def _left_out(self, prompt: BuiltPrompt) -> tuple[Omission, ...]:
        """Every segment that is not sent word for word, every shortened output, every critical item without room: what
        stands for it and why.
        """
        older = self._omitted.omissions_of(prompt.epoch) if prompt.epoch.snapshot else ()
        count = self._services.tokenizers.count
        unstated = (Omission(unit.id, "nothing", count(unit.text), _CAP_REACHED) for unit in prompt.unstated)
        outputs = {clip.id for clip in prompt.epoch.clipped} - set(prompt.epoch.texts)  # their blobs are listed
        clipped = (_clip_omission(clip) for clip in prompt.clipped if clip.id not in outputs)
        unfit = (Omission(id, "nothing", tokens, _NO_ROOM) for id, tokens in prompt.turn.unfit)
        return (*older, *self._shortened_outputs(prompt), *clipped, *unstated, *unfit)

    def _shortened_outputs(self, prompt: BuiltPrompt) -> Iterator[Omission]:
        unsaved = {blob_id(text): text for text in (*prompt.full_texts, *prompt.turn.full_texts)}
        for message in prompt.tail:
            for output in message.outputs:
                blob = marker_blob(output.text)
                size = self._whole_size(message, blob, unsaved) if blob else None
                if blob and size is not None:
                    yield Omission(blob, "curated", size, f"output in {message.id or 'the input'}, shortened")

    def _whole_size(self, message: Message, blob: str, unsaved: Mapping[str, str]) -> int | None:
        """What the whole of a shortened output takes; None where a marker leads nowhere."""
        name = (message.id, blob)
        if name not in self._sizes:
            whole = unsaved.get(blob) or self._ledger.text(blob)
            if whole is None:
                return None
            if len(self._sizes) > _MOST_SIZES:
                self._sizes.clear()
            form = self._form(message, blob)
            self._sizes[name] = form["tokens"] if form else self._services.tokenizers.count(whole)
        return self._sizes[name]

    def _form(self, message: Message, blob: str) -> dict[str, int] | None:
        """What was decided of an output when it was recorded."""
        row = self._ledger.rows(CuratedFormsProjection.name).get(form_row(message.number)) if message.id else None
        form: dict[str, int] | None = (row or {}).get(blob)
        return form


def _role_and_identities(message: Message) -> tuple[Role, list[bytes]]:
    return message.role, identities(message)


def _clip_omission(message: ClippedMessage) -> Omission:
    reason = f"larger than its room; {message.shown:,} of its {message.tokens:,} tokens are sent"
    return Omission(message.id, "clipped", message.tokens, reason)


def _bytes(body: Json | str) -> bytes:
    return body.encode("utf-8", "surrogatepass") if isinstance(body, str) else jsonio.dumps(body)
