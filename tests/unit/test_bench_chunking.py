from __future__ import annotations

import json
from pathlib import Path

from bench.chunking import Question, read_questions, serve

import clew

TEXT = "# Keys\n\nKeys are rotated every Monday.\n\n# Cats\n\nCats sleep in the harbour office.\n"


def test_a_question_is_served_by_the_characters_that_answer_it(tmp_path: Path) -> None:
    (tmp_path / "c.md").write_text(TEXT, "utf-8")
    start = TEXT.index("Keys are")
    reference = json.dumps([{"start_index": start, "end_index": start + 30}]).replace('"', '""')
    (tmp_path / "q.csv").write_text(f'question,references,corpus_id\nWhen are keys rotated?,"{reference}",c\n', "utf-8")
    (question,) = read_questions(tmp_path / "q.csv")
    assert question == Question("When are keys rotated?", "c", frozenset(range(start, start + 30)))
    with clew.open(":memory:") as engine:
        engine.knowledge.add(tmp_path / "c.md")
        answer = serve(engine, question)
    assert (answer.recall, answer.precision) == (1.0, 30 / len("# Keys\n\nKeys are rotated every Monday."))
