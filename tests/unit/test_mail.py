from __future__ import annotations

from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.document import Document, Kind
from corpus.parsers import parse
from corpus.parsers.base import Settings
from corpus.parsers.mail.parser import MailParser

HEAD = (
    "From: Ann Lee <ann@example.org>\nTo: bob@example.org\nSubject: {}\n"
    "Date: Mon, 02 Mar 2026 10:15:00 +0100\nMIME-Version: 1.0\n"
)


def read(source: str | bytes) -> Document:
    return parse(source if isinstance(source, bytes) else source.encode(), uri="a.eml")


def made(text: str, subject: str = "The window") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Jürgen Müller <jm@example.org>"
    message["To"] = "ops@example.org, Ann Lee <ann@example.org>"
    message["Cc"] = "bob@example.org"
    message["Subject"] = subject
    message["Date"] = "Mon, 02 Mar 2026 10:15:00 +0100"
    message.set_content(text)
    return message


def texts(document: Document, *kinds: Kind) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind in kinds]


def test_subject_sender_and_day_become_title_author_and_date() -> None:
    document = read(made("Hello.", "Wartung am Mönchsberg — März").as_bytes())
    assert document.title == "Wartung am Mönchsberg — März"
    assert document.author == "Jürgen Müller"
    assert document.date == "2026-03-02T10:15:00+01:00"
    assert document.media_type == "message/rfc822"
    assert texts(document, Kind.HEADING) == ["# Wartung am Mönchsberg — März"]
    assert texts(document, Kind.PARAGRAPH) == [
        (
            "From: Jürgen Müller <jm@example.org>\nTo: ops@example.org, Ann Lee <ann@example.org>\n"
            "Cc: bob@example.org\nDate: Mon, 02 Mar 2026 10:15:00 +0100"
        ),
        "Hello.",
    ]


def test_quotes_lists_and_signatures_of_a_plain_text_stay() -> None:
    document = read(
        made("Hello,\n\nsee:\n- one\n- two\n\n> Ann wrote:\n> When?\n>\n>> Bob asked.\n\n-- \nJürgen\nOps").as_bytes()
    )
    assert texts(document, Kind.LIST_ITEM) == ["- one", "- two"]
    assert texts(document, Kind.QUOTE) == ["> Ann wrote:\n> When?", ">> Bob asked."]
    assert texts(document, Kind.PARAGRAPH)[-1] == "--\nJürgen\nOps"


def test_lines_that_flow_are_put_together_again() -> None:
    head = HEAD.format("x") + "Content-Type: text/plain; charset=utf-8; format=flowed\n\n"
    document = read(head + "A long line that \nflows on.\nA new one.\n\n> quoted and \n> flowing\n-- \nAnn\n")
    assert texts(document, Kind.PARAGRAPH)[1:] == ["A long line that flows on.\nA new one.", "--\nAnn"]
    assert texts(document, Kind.QUOTE) == ["> quoted and flowing"]


def test_of_two_forms_the_one_with_structure_is_taken_if_it_says_as_much() -> None:
    message = made("Hello all,\n\nHost Time\na 22:00\n")
    page = "<p>Hello all,</p><table><tr><th>Host</th><th>Time</th></tr><tr><td>a</td><td>22:00</td></tr></table>"
    message.add_alternative(page, subtype="html")
    document = read(message.as_bytes())
    assert [block.rows for block in document.blocks if block.rows] == [(("Host", "Time"), ("a", "22:00"))]
    assert document.text.count("Hello all") == 1


def test_of_two_forms_the_plain_one_is_taken_if_the_other_says_less() -> None:
    message = made("Hello all, the window is on Saturday at ten.")
    message.add_alternative("<p>Hello all</p>", subtype="html")
    assert "on Saturday at ten" in read(message.as_bytes()).text


def test_a_note_that_there_is_another_form_is_left_out() -> None:
    message = made("Your program shows no HTML.")
    message.add_alternative("<p>" + "The window is on Saturday at ten in the evening. " * 3 + "</p>", subtype="html")
    parsed = MailParser().parse(message.as_bytes(), "message/rfc822", Settings())
    assert "on Saturday" in parsed.document.text
    assert "no HTML" not in parsed.document.text
    assert parsed.left_out == ("Your program shows no HTML.",)


def test_attached_texts_and_messages_are_sections_and_the_rest_is_named() -> None:
    message = made("See below.")
    message.add_attachment("host,ip\na,10.0.0.1\nb,10.0.0.2\n", subtype="csv", filename="hosts.csv")
    message.add_attachment(made("Inner text.", "Inner subject"))
    message.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="plan.pdf")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="photo.png")
    document = read(message.as_bytes())
    paths = {document.text[b.start : b.end]: b.section_path for b in document.blocks}
    assert paths["host,ip\na,10.0.0.1\nb,10.0.0.2"] == ("The window", "hosts.csv")
    assert paths["Inner text."] == ("The window", "Inner subject")
    assert document.warnings == (
        "the attachment 'plan.pdf' (application/pdf) is not read",
        "the attachment 'photo.png' (image/png) is not read",
    )
    assert document.missing == ()


def test_a_picture_within_the_text_is_not_an_attachment() -> None:
    message = made("x")
    message.add_alternative("<p>x<img src='cid:logo'></p>", subtype="html")
    message.get_payload()[1].add_related(b"\x89PNG", maintype="image", subtype="png", cid="<logo>")
    assert read(message.as_bytes()).warnings == ()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("application/pkcs7-mime; smime-type=enveloped-data", "S/MIME"),
        ('multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b', "PGP"),
    ],
)
def test_an_encrypted_text_is_missing(kind: str, words: str) -> None:
    parsed = MailParser().parse(
        f"{HEAD.format('x')}Content-Type: {kind}\n\n--b\n\nAAAA\n--b--\n".encode(), "message/rfc822", Settings()
    )
    assert [words in phrase for phrase in parsed.document.missing] == [True]


def test_a_signed_text_is_read() -> None:
    signature = "--b\nContent-Type: application/pkcs7-signature\n\nAAAA\n--b--\n"
    body = f"--b\nContent-Type: text/plain\n\nThe signed text.\n{signature}"
    head = HEAD.format("x") + 'Content-Type: multipart/signed; protocol="application/pkcs7-signature"; boundary=b\n\n'
    document = read(head + body)
    assert "The signed text." in document.text
    assert document.warnings == ()


@pytest.mark.parametrize(
    ("header", "body", "text"),
    [
        ("text/plain; charset=iso-8859-1", "Grüße".encode("latin-1"), "Grüße"),
        ("text/plain; charset=koi8-r", "Привет, мир".encode("koi8-r"), "Привет, мир"),
        ("text/plain; charset=iso-2022-jp", "日本語の本文".encode("iso2022_jp"), "日本語の本文"),
        ("text/plain; charset=gb2312", "中文邮件正文".encode("gb18030"), "中文邮件正文"),
        ("text/plain; charset=no-such-thing", b"plain words", "plain words"),
        ("text/plain; charset=us-ascii", "Grüße an alle".encode(), "Grüße an alle"),
        ("text/plain", "Grüße an alle".encode("cp1252"), "Grüße an alle"),
        ("text/html; charset=windows-1251", "<p>Привет, мир</p>".encode("cp1251"), "Привет, мир"),
    ],
)
def test_a_text_is_read_in_the_encoding_that_its_part_names(header: str, body: bytes, text: str) -> None:
    head = f"{HEAD.format('x')}Content-Type: {header}\nContent-Transfer-Encoding: 8bit\n\n"
    assert read(head.encode() + body).text.endswith(text)


def test_encoded_words_and_raw_bytes_in_headers_are_read() -> None:
    assert read(HEAD.format("=?koi8-r?B?8NLJ18XU?=") + "\nx\n").title == "Привет"
    assert read(HEAD.format("Grüße").encode() + b"\nx\n").title == "Grüße"
    assert read(HEAD.format("Grüße aus Köln").encode("latin-1") + b"\nx\n").title == "Grüße aus Köln"


def test_the_messages_of_a_mailbox_are_sections() -> None:
    one = "From ann@example.org Mon Mar  2 10:00:00 2026\n" + HEAD.format("First") + "\nOne.\n>From here on\n\n"
    two = "From bob@example.org Mon Mar  2 11:00:00 2026\n" + HEAD.format("Second") + "\nTwo.\n"
    document = parse((one + two).encode(), uri="inbox.mbox")
    assert [b.section_path for b in document.blocks if b.kind is Kind.HEADING] == [("First",), ("Second",)]
    assert "From here on" in document.text
    assert document.title is None


def test_a_bounce_says_what_it_could_not_deliver() -> None:
    body = (
        "--b\nContent-Type: text/plain\n\nIt could not be delivered.\n"
        "--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx\n\n"
        "Final-Recipient: rfc822; c@example.org\nStatus: 5.1.1\n"
        f"--b\nContent-Type: message/rfc822\n\n{HEAD.format('The first try')}\nHello.\n--b--\n"
    )
    document = read(HEAD.format("Undelivered") + "Content-Type: multipart/report; boundary=b\n\n" + body)
    assert "Status: 5.1.1" in document.text
    assert ("Undelivered", "The first try") in {block.section_path for block in document.blocks}


def test_nothing_is_fetched_and_a_page_without_a_subject_is_read() -> None:
    document = read(
        "From: a@b.org\nMIME-Version: 1.0\nDate: x\nContent-Type: text/html\n\n<p>Hi <img src='http://x.org/a.png'></p>"
    )
    assert document.text == "From: a@b.org\nDate: x\n\nHi"
    assert document.title is None
    assert document.date is None


@given(
    st.binary(max_size=200),
    st.sampled_from(["", "text/plain", "text/html", "multipart/mixed; boundary=b", "message/rfc822"]),
)
@settings(max_examples=150, deadline=None)
def test_no_bytes_break_the_parser(body: bytes, kind: str) -> None:
    head = HEAD.format("x") + (f"Content-Type: {kind}\n" if kind else "")
    document = MailParser().parse(head.encode() + b"\n" + body, "message/rfc822", Settings()).document
    document.text.encode()
    assert document.title == "x"


def test_a_date_that_no_calendar_has_costs_the_date_and_nothing_else():
    document = parse(
        b"From: a@b.example\nDate: Mon, 1 Jan 99999999999 00:00:00 +0000\nSubject: Tides\n\nHigh water.\n", uri="a.eml"
    )
    assert document.date is None
    assert "High water." in document.text
