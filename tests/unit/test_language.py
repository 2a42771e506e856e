from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.parsers import language, parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The nightly run compares sizes, dates and hashes with its ledger.", "en"),
        ("如何重置密码", "zh"),
        ("使用 `CORSMiddleware` 你可以在 FastAPI 应用中使用 CORSMiddleware 来配置它", "zh"),
        ("パスワードを再設定する方法", "ja"),
        ("비밀번호를 재설정하는 방법", "ko"),
        ("Что требуется более мощным инструментам вроде Celery?", "ru"),
        ("Що потрібно більш потужним інструментам, таким як Celery?", "uk"),
        ("Die nächtliche Abstimmung vergleicht Größe und Datum.", "de"),
        ("La ejecución nocturna compara tamaños y fechas.", "es"),
        ("Πώς να επαναφέρετε τον κωδικό", "el"),
        ("كيفية إعادة تعيين كلمة المرور", "ar"),
        ("איך לאפס סיסמה", "he"),
        ("วิธีรีเซ็ตรหัสผ่าน", "th"),
        ("Встановіть пакунок: її тут немає", "uk"),
        ("Як скінуць пароль, калі я яго забыў?", "be"),
        ("Как да нулирам паролата си, ако съм я забравил?", "bg"),
        ("Београд је главни град Србије.", "sr"),
        ("Како да ресетујем лозинку ако сам је заборавио? Ђоко и Ћира", "sr"),
        ("تهران پایتخت ایران است و شهر بزرگی است.", "fa"),
        ("میں اپنا پاس ورڈ کیسے دوبارہ ترتیب دوں؟", "ur"),
        ("زه څنګه خپل پټنوم بیا تنظیم کړم؟", "ps"),
        ("會議紀錄：專案名稱", "zh"),
        ("臺灣的首都是臺北市。", "zh"),
        ("会議の議事録", "ja"),
        ("大韓民國 헌법 제1조", "ko"),
        ("Guglielmo Marconi", None),
        ("Wojciech Bogusławski Theatre", None),
        ("Документ", None),
        ("foo bar baz", None),
        ("ok", None),
        ("42 + 17 = 59", None),
        ("", None),
    ],
)
def test_the_language_is_told_by_script_then_by_model(text: str, expected: str | None) -> None:
    assert language.detect(text) == expected


def test_code_has_no_language_and_prose_around_code_has() -> None:
    fenced = "```\nfor line in lines: print(line.strip().upper())\n```\n"
    assert parse(fenced.encode(), uri="a.md").language is None
    assert parse(f"Это простой пример кода на Python:\n\n{fenced * 20}".encode(), uri="a.md").language == "ru"


@pytest.mark.parametrize(
    ("tag", "expected"), [("en-US", "en"), ("zh_Hans", "zh"), ("RU", "ru"), ("", None), ("x1", None)]
)
def test_language_tags_are_reduced_to_two_letters(tag: str, expected: str | None) -> None:
    assert language.code(tag) == expected


def test_a_page_of_chinese_that_quotes_japanese_words_is_chinese() -> None:
    quoting = "《ドラゴンクエスト》是日本的一款电子游戏，由公司开发并发行，剧情讲述了主人公的冒险故事，获得了广泛好评。"
    plain = "游戏的音乐由著名的作曲家创作，画面也受到了玩家的一致称赞，销量超过了一百万份。"
    assert language.detect(quoting + plain + plain) == "zh"


def test_the_language_with_the_most_prose_is_that_of_the_document() -> None:
    english = "A preface in English that is only here to say hello to the reader.\n\n"
    russian = "Ночная синхронизация сравнивает размеры файлов, даты и хеши со своим журналом.\n\n"
    assert parse((english + russian * 12).encode(), uri="a.md").language == "ru"


def test_tables_tell_the_language_only_where_prose_does_not() -> None:
    rows = "".join(f"Москва и область,Казань и область,{n}\n" for n in range(9))
    assert parse(f"город,другой,число\n{rows}".encode(), uri="a.csv").language == "ru"
    table = "| Москва и область | Казань |\n| --- | --- |\n| Тверь и область | Рязань |\n"
    assert (
        parse(f"The table below lists what was found in the register.\n\n{table}".encode(), uri="a.md").language == "en"
    )


@pytest.mark.parametrize("name", ["en", "zh", "ru"])
def test_questions_are_told_or_left_open_but_not_mistaken(data_folder: Path, name: str) -> None:
    found = next((data_folder / "xquad").glob(f"*{name}*.json"))
    articles = json.loads(found.read_text(encoding="utf-8"))["data"]
    questions = [qa["question"] for article in articles for part in article["paragraphs"] for qa in part["qas"]]
    answers = [language.detect(question) for question in questions]
    assert all(answer in (name, None) for answer in answers)
    assert answers.count(name) >= 0.98 * len(answers)
