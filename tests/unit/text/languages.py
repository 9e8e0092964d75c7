"""A sentence or two in several languages."""

from __future__ import annotations

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
