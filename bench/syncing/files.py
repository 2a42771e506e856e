"""The generated corpus: Markdown files drawn from seeds, and what happens to them between two syncs."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping
from pathlib import Path

Texts = Mapping[str, str]  #: path below the source → content

FOLDERS = 20
SHARE = 0.01  #: of the files that a step changes, at least one
WRITTEN = 1_700_000_000  #: seconds, the mtime of the files as they are laid first
EDITED = WRITTEN + 86_400  #: and of those that are edited
UNREAD = 0  #: the atime of a file that nobody has read since `mark_unread`

_WORDS = """
about above across after again against along among answer area autumn back bank base beach bell below bench better
between bird blue board boat book bottle bread bridge bright brother brown building business button cake camp
careful carry castle center chair change child church circle city clear clock close cloud coat coffee cold color
common company corner cotton country course cover cross current dance dark daughter deep desk different dinner
doctor dollar door double dream dress drive early earth east easy edge empty engine evening every example eye face
factory family farm farmer father field figure finger finish fire fish floor flower follow forest form four free
fresh friend fruit garden gate gentle glass gold grass great green ground group guard hair half hall hand harbor
head heart heavy hill history horse hotel hour house hundred island kitchen ladder lake land language large leaf
letter level light line little long machine market master measure metal middle milk minute morning mother mountain
music narrow nature near needle never night noise north number ocean office orange order paper park party pencil
people picture pilot plain plane plant plate pocket point power quiet rain reach reason record report rest right
river road rock roof room round school season second shadow sharp shelf ship shoe short silver simple sister slow
small snow soft south spring square stage star state station steel stone store storm street strong student summer
table tall teacher thousand ticket tower town track trade train travel tree under valley village voice wall warm
watch water weather west wheel white wide wind window winter wire wood world yellow young
""".split()  # noqa: SIM905 - a list of so many words is read more easily as a text
_INSERTED = "This sentence was put here between two nights, and its number is {}. "


def texts(files: int) -> Iterator[tuple[str, str]]:
    """Path and content of each file; no two are alike, and the same number gives the same file in every run."""
    for number in range(files):
        yield f"part-{number % FOLDERS:02d}/page-{number:06d}.md", _text(number)


def _text(number: int) -> str:
    drawn = random.Random(number)  # noqa: S311 - the same in every run
    length = drawn.randrange(1_000, 3_000)  # characters, about
    text = f"# Page {number} of {drawn.choice(_WORDS)} and {drawn.choice(_WORDS)}\n"
    while len(text) < length:
        if len(text) > 600 and drawn.random() < 0.3:
            text += f"\n## The {drawn.choice(_WORDS)} {drawn.choice(_WORDS)}\n"
        text += "\n" + " ".join(_sentence(drawn) for _ in range(drawn.randrange(3, 7))) + "\n"
    return text


def _sentence(drawn: random.Random) -> str:
    return " ".join(drawn.choices(_WORDS, k=drawn.randrange(6, 16))).capitalize() + "."


def edited(before: Texts) -> Texts:
    """One sentence more in some of the files, after a sentence in their middle."""
    after = dict(before)
    for number, path in enumerate(_some(before, 0)):
        text = before[path]
        at = text.index(". ", len(text) // 2 - 200) + 2
        after[path] = text[:at] + _INSERTED.format(number) + text[at:]
    return after


def renamed(before: Texts) -> Texts:
    """Some of the files under another name in another folder."""
    moved = set(_some(before, 1))
    return {(f"moved/{Path(path).name}" if path in moved else path): text for path, text in before.items()}


def deleted(before: Texts) -> Texts:
    """Some of the files gone."""
    gone = set(_some(before, 2))
    return {path: text for path, text in before.items() if path not in gone}


def _some(before: Texts, offset: int) -> list[str]:
    """Spread over the corpus; another offset gives others."""
    paths = sorted(before)
    many = max(1, round(len(paths) * SHARE))
    return paths[offset :: len(paths) // many][:many]


def lay(folder: Path, before: Texts, after: Texts) -> None:
    """Make a folder that holds `before` hold `after`: what is moved is moved, what stays is not touched."""
    gone = {text: path for path, text in before.items() if path not in after}
    for path, text in after.items():
        if before.get(path) == text:
            continue
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if path not in before and text in gone:
            (folder / gone.pop(text)).rename(file)
        else:
            file.write_text(text, encoding="utf-8")
            at = EDITED if path in before else WRITTEN
            os.utime(file, (at, at))
    for path in gone.values():
        (folder / path).unlink()


def mark_unread(folder: Path) -> None:
    """Give every file an atime that any reading changes, whatever the file system does to save writes."""
    for file in _files(folder):
        os.utime(file, ns=(UNREAD, file.stat().st_mtime_ns))


def read_since(folder: Path) -> int | None:
    """How many files were read since `mark_unread`, by anyone; None if the file system does not say."""
    count = sum(file.stat().st_atime_ns != UNREAD for file in _files(folder))
    probe = folder.parent / "probe"
    probe.write_text("read me")
    os.utime(probe, ns=(UNREAD, WRITTEN * 10**9))
    probe.read_text()
    says = probe.stat().st_atime_ns != UNREAD
    probe.unlink()
    return count if says else None


def _files(folder: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(folder):
        for name in names:
            yield Path(parent, name)
