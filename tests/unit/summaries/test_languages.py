"""An answer is in the script and language of the person; where that is not sure, nothing is said."""

from __future__ import annotations

import pytest

from clew.summaries.languages import language, main_script, mismatch

ENGLISH = "The importer drops the rows that have a comma in the memo, and we should fix that in the parser for now."
GERMAN = (
    "Der Import verliert die Zeilen, die ein Komma im Text haben, und das ist nicht gut; bitte mit dem Parser richten."
)
FRENCH = "Il faut que le programme ne perde pas les lignes qui sont dans le fichier, et que nous ayons une erreur."
SPANISH = (
    "El programa no debe perder las filas que están en el archivo, y por eso hay que cambiar la función para el caso."
)
CHINESE = "导入程序会丢失备注中带有逗号的行，请修复解析函数，并且不要写入正式账本，只能使用测试副本。"
JAPANESE = "インポーターがコンマを含む行を落としています。パーサーを修正して、テストを追加してください。"
RUSSIAN = "Импортер теряет строки с запятой в примечании, исправьте разбор и добавьте проверку."


@pytest.mark.parametrize(
    ("text", "name"),
    [(ENGLISH, "English"), (GERMAN, "German"), (FRENCH, "French"), (SPANISH, "Spanish"), ("parse_rows csv", "")],
)
def test_the_language_is_known_by_its_common_words(text: str, name: str) -> None:
    assert language(text) == name


@pytest.mark.parametrize(("text", "name"), [(CHINESE, "han"), (RUSSIAN, "cyrillic"), (ENGLISH, "latin"), ("ok", "")])
def test_the_script_is_known_by_its_letters(text: str, name: str) -> None:
    assert main_script(text) == name


@pytest.mark.parametrize(
    ("asked", "answer", "reason"),
    [
        (ENGLISH, CHINESE, "it is written in han, not latin script"),
        (CHINESE, ENGLISH, "it is written in latin, not han script"),
        (RUSSIAN, ENGLISH, "it is written in latin, not cyrillic script"),
        (ENGLISH, GERMAN, "it is written in German, not English"),
        (GERMAN, ENGLISH, "it is written in English, not German"),
        (GERMAN, FRENCH, "it is written in French, not German"),
    ],
)
def test_another_language_is_told(asked: str, answer: str, reason: str) -> None:
    assert mismatch(asked, answer) == reason


@pytest.mark.parametrize("text", [ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE, JAPANESE, RUSSIAN])
def test_the_same_language_is_fine_with_code_and_english_headings_in_it(text: str) -> None:
    answer = f"## Overview\n- {text}\n## Codebase status\n- `parse_rows` in src/importer.py, `LIMIT_SECONDS = 7`"
    assert mismatch(text, answer) == ""


@pytest.mark.parametrize("asked", ["", "ok", "fix src/a.py", "yes please", "```\nif x:\n```"])
def test_too_little_to_go_by_is_no_reason(asked: str) -> None:
    assert mismatch(asked, GERMAN) == ""


def test_halves_of_characters_do_no_harm() -> None:
    assert mismatch("\ud800 " + ENGLISH, ENGLISH + "\udfff") == ""
