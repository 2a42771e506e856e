"""Numbers as a spreadsheet shows them: `0.125` under `0.0%` is `12.5%`.

The file holds bare numbers, and a format code for each cell that says what a reader sees: a share, a price, a day.
Names of months and days are English, whatever the language of the program that shows them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache

from openpyxl.utils.datetime import from_excel

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<room>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<general>General)|(?P<half>AM/PM|A/P|上午/下午)|(?P<exponent>E[+-])|(?P<date>y+|m+|d+|h+|s+|e+|g+|b+)"
    r"|(?P<digit>[0#?])|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_COMPARE = {
    "<": float.__lt__, ">": float.__gt__, "<=": float.__le__, ">=": float.__ge__, "=": float.__eq__, "<>": float.__ne__,
}  # fmt: skip
#: Formats whose look the program takes from its own language: a day is then written as ISO 8601 has it.
_OF_THE_LOCALE = {"mm-dd-yy": "yyyy-mm-dd", "m/d/yy": "yyyy-mm-dd", "m/d/yy h:mm": "yyyy-mm-dd hh:mm"}
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MOST_PLACES = 30


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  #: text, digit, point, comma, percent, slash, exponent, date, elapsed, half, general, at
    text: str


@dataclass(frozen=True, slots=True)
class _Section:
    tokens: tuple[_Token, ...]
    condition: tuple[str, float] | None

    def has(self, *kinds: str) -> bool:
        """Whether a token of one of these kinds is in it."""
        return any(token.kind in kinds for token in self.tokens)


def shown(value: float, code: str, epoch: datetime) -> str:
    """What a cell with the number `value` and the format `code` shows; `epoch` is the day that the book counts from."""
    sections = _sections(_OF_THE_LOCALE.get(code, code))
    section, value = _choose(sections, value)
    if section.has("date", "elapsed"):
        return _as_date(section, value, epoch)
    if section.has("digit"):
        return _as_number(section, value).strip()
    plain = {"general": general(value), "at": general(value)}
    return "".join(plain.get(token.kind, token.text) for token in section.tokens).strip()


def general(value: float) -> str:
    """A number without a format: the digits that it needs, 15 at most."""
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e15):
        return str(int(value))
    return f"{value:.15g}".replace("e+", "E+").replace("e-", "E-")


@lru_cache(maxsize=4096)
def _sections(code: str) -> tuple[_Section, ...]:
    made: list[_Section] = []
    tokens: list[_Token] = []
    condition: tuple[str, float] | None = None
    for match in _TOKEN.finditer(code[:1000]):
        kind, text = match.lastgroup or "", match[match.lastgroup or 0] or ""
        if kind == "other" and text == ";":
            made.append(_Section(tuple(tokens), condition))
            tokens, condition = [], None
        elif kind == "bracket":
            if found := _CONDITION.fullmatch(text):
                condition = (found[1], float(found[2]))
            elif text.startswith("$"):
                tokens.append(_Token("text", text[1:].split("-")[0]))
            elif re.fullmatch("h+|m+|s+", text, re.IGNORECASE):
                tokens.append(_Token("elapsed", text.lower()))
        else:
            tokens.append(_token(kind, text))
    made.append(_Section(tuple(tokens), condition))
    return tuple(made)


def _token(kind: str, text: str) -> _Token:
    if kind in ("quoted", "escaped"):
        return _Token("text", text)
    if kind == "room":
        return _Token("text", " ")
    if kind == "fill":
        return _Token("text", "")
    if kind == "date":
        return _Token("date", text.lower())
    if kind == "other":
        signs = {".": "point", ",": "comma", "%": "percent", "/": "slash", "@": "at"}
        return _Token(signs.get(text, "text"), text)
    return _Token(kind, text)


def _choose(sections: tuple[_Section, ...], value: float) -> tuple[_Section, float]:
    """The section for a value, and the value as that section writes it: it has its own sign for negative ones."""
    if any(section.condition for section in sections):
        for section in sections:
            if section.condition is None or _COMPARE[section.condition[0]](float(value), section.condition[1]):
                return section, value
        return sections[-1], value
    if value < 0 and len(sections) > 1:
        return sections[1], -value
    if value == 0 and len(sections) > 2:
        return sections[2], value
    return sections[0], value


def _as_number(section: _Section, value: float) -> str:
    if section.has("slash") and not section.has("point"):
        return _as_fraction(section, value)
    tokens = list(section.tokens)
    digits = [at for at, token in enumerate(tokens) if token.kind == "digit"]
    first, last = digits[0], digits[-1]
    number = Decimal(repr(float(value))) if not isinstance(value, int) else Decimal(value)
    number *= Decimal(100) ** sum(token.kind == "percent" for token in tokens)
    scale = last + 1
    while scale < len(tokens) and tokens[scale].kind == "comma":
        number /= 1000
        scale += 1
    point = next((at for at in range(first, last + 1) if tokens[at].kind == "point"), None)
    if point is None and last + 1 < len(tokens) and tokens[last + 1].kind == "point":
        point = last + 1
    exponent = next((at for at in range(first, last + 1) if tokens[at].kind == "exponent"), None)
    after = [at for at in digits if point is not None and point < at < (exponent or len(tokens))]
    places = min(len(after), _MOST_PLACES)
    power = ""
    if exponent is not None:
        by = number.adjusted() if number else 0
        number = number.scaleb(-by)
        width = sum(at > exponent for at in digits)
        sign = "-" if by < 0 else "+" if tokens[exponent].text.endswith("+") else ""
        power = f"E{sign}{abs(by):0{width}d}"
    try:
        number = number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    except InvalidOperation:
        return general(value)
    whole, _, rest = f"{abs(number):f}".partition(".")
    optional = sum(tokens[at].text in "#?" for at in after)
    while optional and rest.endswith("0"):
        rest, optional = rest[:-1], optional - 1
    before = [at for at in digits if at < (point if point is not None else (exponent or len(tokens)))]
    least = sum(tokens[at].text == "0" for at in before)
    whole = (whole.lstrip("0")).zfill(least)
    middle = range(before[0], before[-1] + 1) if before else range(0)
    if any(tokens[at].kind == "comma" for at in middle):
        whole = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", whole)
    else:
        whole = _with_literals(whole, [tokens[at] for at in middle])
    written = whole + (f".{rest}" if rest else "") + power
    written = ("-" if number < 0 and number != 0 else "") + (written or "0" * (number == 0 and bool(least)))
    head = "".join(_literal(token) for token in tokens[:first])
    tail = "".join(_literal(token) for token in tokens[last + 1 :] if token.kind not in ("comma", "point"))
    return (f"-{head}{written[1:]}" if written.startswith("-") and head else head + written) + tail


def _with_literals(whole: str, middle: list[_Token]) -> str:
    """Digits with the signs that stand amid the places for them, as in `000-00-0000`."""
    if all(token.kind == "digit" for token in middle):
        return whole
    out: list[str] = []
    left = list(whole)
    for token in reversed(middle):
        if token.kind == "digit":
            if left:
                out.append(left.pop())
        elif left or out:
            out.append(_literal(token))
    return "".join(left) + "".join(reversed(out))


def _as_fraction(section: _Section, value: float) -> str:
    tokens = section.tokens
    slash = next(at for at, token in enumerate(tokens) if token.kind == "slash")
    below = "".join(token.text for token in tokens[slash + 1 :] if token.kind in ("digit", "text")).strip()
    exact = Fraction(Decimal(repr(float(abs(value)))))
    whole = int(exact) if any(token.text == " " for token in tokens[:slash]) else 0
    rest = exact - whole
    if below.isdigit() and int(below):
        part = Fraction(round(rest * int(below)), 1)
        above, under = int(part), int(below)
    else:
        near = rest.limit_denominator(10 ** max(1, min(len(below), 5)) - 1)
        above, under = near.numerator, near.denominator
    if under and above == under and whole:
        whole, above = whole + 1, 0
    sign = "-" if value < 0 else ""
    if not above:
        return f"{sign}{whole}"
    return f"{sign}{whole} {above}/{under}" if whole else f"{sign}{above}/{under}"


def _literal(token: _Token) -> str:
    return token.text if token.kind in ("text", "percent", "slash", "point", "comma", "date", "half") else ""


def _as_date(section: _Section, value: float, epoch: datetime) -> str:
    if value < 0:
        return general(value)
    try:
        made = from_excel(value, epoch)
    except (OverflowError, ValueError):
        return general(value)
    moment = datetime.combine(epoch.date(), made) if isinstance(made, time) else made
    if not isinstance(moment, datetime):
        return general(value)
    moment += timedelta(microseconds=500)
    tokens = section.tokens
    halved = section.has("half")
    out: list[str] = []
    skip_digits = False
    for at, token in enumerate(tokens):
        if token.kind == "elapsed":
            out.append(_elapsed(token.text, value))
        elif token.kind == "date":
            out.append(_field(token.text, moment, halved=halved, minutes=_is_minutes(tokens, at)))
        elif token.kind == "half":
            out.append("AM" if moment.hour < 12 else "PM")
        elif token.kind == "point" and at + 1 < len(tokens) and tokens[at + 1].kind == "digit":
            skip_digits = True
            places = sum(1 for later in tokens[at + 1 :] if later.kind == "digit")
            out.append("." + f"{moment.microsecond:06d}"[:places])
        elif token.kind == "digit":
            if not skip_digits:
                out.append(token.text)
        else:
            out.append(token.text)
    return "".join(out).strip()


def _is_minutes(tokens: tuple[_Token, ...], at: int) -> bool:
    """Whether an `m` stands for minutes: right after hours, or right before seconds."""
    if not tokens[at].text.startswith("m") or len(tokens[at].text) > 2:
        return False
    timed = [token for token in tokens[:at] if token.kind in ("date", "elapsed")]
    later = [token for token in tokens[at + 1 :] if token.kind in ("date", "elapsed")]
    return bool(timed and timed[-1].text.startswith("h")) or bool(later and later[0].text.startswith("s"))


def _elapsed(text: str, value: float) -> str:
    seconds = round(value * 86400)
    return f"{seconds // {'h': 3600, 'm': 60, 's': 1}[text[0]]:0{len(text)}d}"


def _field(text: str, moment: datetime, *, halved: bool, minutes: bool) -> str:
    letter, width = text[0], len(text)
    if minutes:
        return f"{moment.minute:0{width}d}"
    if letter in "ye":
        return f"{moment.year % 100:02d}" if letter == "y" and width <= 2 else f"{moment.year:04d}"
    if letter == "m":
        name = _MONTHS[moment.month - 1]
        return f"{moment.month:0{width}d}" if width <= 2 else {3: name[:3], 5: name[0]}.get(width, name)
    if letter == "d":
        name = _DAYS[moment.weekday()]
        return f"{moment.day:0{width}d}" if width <= 2 else name[:3] if width == 3 else name
    if letter == "h":
        return f"{(moment.hour - 1) % 12 + 1 if halved else moment.hour:0{min(width, 2)}d}"
    if letter == "s":
        return f"{moment.second:0{min(width, 2)}d}"
    return ""
