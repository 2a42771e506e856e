"""The filesystem source, on real folders."""

from __future__ import annotations

import os
import shutil
import tempfile
import tracemalloc
import unicodedata
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.identity import canonical_uri
from corpus.config import Corpus
from corpus.errors import LimitExceeded, SourceError, TransientError, Vanished
from corpus.sources import open_source
from corpus.sources.filesystem import Filesystem

COMPOSED, DECOMPOSED = "caf\u00e9.md", "cafe\u0301.md"
NOBODY = 65534


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"text of {path}")


def uris(source: Filesystem) -> list[str]:
    """In the order of addresses; that of the listing is the file system's own."""
    return sorted(listed.uri for listed in source.list())


@pytest.fixture
def open_folder():
    """A folder that everybody may enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def without_rights():
    """Run as somebody who owns nothing: to root, nothing is unreadable."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_every_regular_file_is_listed_once_with_its_evidence(tmp_path):
    write(tmp_path, "b.md", "a/x.md", "a.md", "a/y/z.md", ".hidden/h.md", ".dot")
    os.utime(tmp_path / "b.md", ns=(1, 1_234_567_891_234_567_891))
    listing = sorted(Filesystem(tmp_path).list(), key=lambda entry: entry.uri)
    assert [entry.uri for entry in listing] == [".dot", ".hidden/h.md", "a.md", "a/x.md", "a/y/z.md", "b.md"]
    assert (listing[-1].size, listing[-1].mtime_ns) == (len("text of b.md"), 1_234_567_891_234_567_891)


def test_the_same_folder_elsewhere_gives_the_same_addresses(tmp_path):
    write(tmp_path / "one", "a.md", "x/b.md")
    shutil.copytree(tmp_path / "one", tmp_path / "two" / "deep")
    assert uris(Filesystem(tmp_path / "one")) == uris(Filesystem(tmp_path / "two" / "deep"))


def test_globs_include_and_exclude(tmp_path):
    write(tmp_path, "a.md", "a.txt", "x/b.md", "drafts/c.md", "x/drafts/d.md")
    source = Filesystem(tmp_path, include=["**/*.md"], exclude=["drafts/**", "x/b.*"])
    assert uris(source) == ["a.md", "x/drafts/d.md"]


def test_version_control_is_left_out_at_any_depth(tmp_path):
    write(tmp_path, ".git/config", "x/.git/HEAD", "x/a.md", ".github/b.md", "y/.git", "y/c.md")
    (tmp_path / "link.md").symlink_to(tmp_path / ".git" / "config")
    assert uris(Filesystem(tmp_path)) == [".github/b.md", "x/a.md", "y/c.md"]


def test_an_empty_folder_is_an_empty_corpus(tmp_path):
    assert uris(Filesystem(tmp_path)) == []


def test_a_missing_root_is_an_error_that_names_it(tmp_path):
    with pytest.raises(SourceError, match="nowhere") as caught:
        list(Filesystem(tmp_path / "nowhere").list())
    assert "source.path" in caught.value.hint


def test_a_root_that_is_a_file_is_an_error(tmp_path):
    write(tmp_path, "file")
    with pytest.raises(SourceError, match="not a folder"):
        list(Filesystem(tmp_path / "file").list())


@pytest.mark.parametrize("mode", [0o000, 0o300, 0o600])
@pytest.mark.parametrize("folder", ["", "a", "a/b"])
def test_a_folder_that_may_not_be_read_is_an_error_and_no_smaller_corpus(open_folder, folder, mode):
    write(open_folder, "top.md", "a/one.md", "a/b/two.md")
    for path in (open_folder, *open_folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (open_folder / folder).chmod(mode)
    try:
        with without_rights(), pytest.raises(SourceError, match=str(open_folder / folder)):
            list(Filesystem(open_folder).list())
    finally:
        (open_folder / folder).chmod(0o755)


def test_an_unreadable_folder_does_not_matter_if_everything_below_it_is_excluded(open_folder):
    write(open_folder, "a.md", "private/b.md")
    (open_folder / "private").chmod(0)
    try:
        with without_rights():
            assert uris(Filesystem(open_folder, exclude=["private/**"])) == ["a.md"]
    finally:
        (open_folder / "private").chmod(0o755)


def test_a_file_that_may_not_be_read_is_listed_and_its_reading_can_be_tried_again(open_folder):
    write(open_folder, "a.md")
    (open_folder / "a.md").chmod(0)
    with without_rights():
        source = Filesystem(open_folder)
        assert uris(source) == ["a.md"]
        with pytest.raises(TransientError, match="Permission denied") as caught:
            source.read("a.md")
    assert caught.value.uri == "a.md"
    assert str(open_folder / "a.md") in caught.value.message


def test_links_are_followed_while_they_stay_inside(tmp_path):
    root = tmp_path / "root"
    write(root, "docs/a.md")
    write(tmp_path, "outside/secret.md")
    (root / "alias.md").symlink_to("docs/a.md")
    (root / "more").symlink_to(root / "docs")
    (root / "leak.md").symlink_to(tmp_path / "outside" / "secret.md")
    (root / "leaks").symlink_to("../outside")
    (root / "docs" / "broken.md").symlink_to("nothing")
    (root / "circle.md").symlink_to("circle.md")
    source = Filesystem(root)
    assert uris(source) == ["alias.md", "docs/a.md", "more/a.md"]
    assert source.read("alias.md").data == source.read("more/a.md").data == b"text of docs/a.md"
    assert dict(source.skipped) == {
        "leak.md": "a link that leads out of the source",
        "leaks": "a link that leads out of the source",
        "docs/broken.md": "a link that leads nowhere",
        "more/broken.md": "a link that leads nowhere",
        "circle.md": "a link that leads nowhere",
    }


def test_a_root_that_is_a_link_itself_is_followed(tmp_path):
    write(tmp_path / "real", "x/a.md")
    (tmp_path / "root").symlink_to("real")
    source = Filesystem(tmp_path / "root")
    assert uris(source) == ["x/a.md"]
    assert source.read("x/a.md").data == b"text of x/a.md"


def test_a_folder_beside_the_root_whose_name_begins_like_it_is_outside(tmp_path):
    write(tmp_path, "root/a.md", "root2/b.md")
    (tmp_path / "root" / "b.md").symlink_to(tmp_path / "root2" / "b.md")
    assert uris(Filesystem(tmp_path / "root")) == ["a.md"]


def test_a_circle_of_links_ends(tmp_path):
    write(tmp_path, "a/x.md", "b/y.md")
    (tmp_path / "a" / "up").symlink_to("..")
    (tmp_path / "a" / "to_b").symlink_to("../b")
    (tmp_path / "b" / "to_a").symlink_to("../a")
    source = Filesystem(tmp_path)
    assert uris(source) == ["a/to_b/y.md", "a/x.md", "b/to_a/x.md", "b/y.md"]
    assert ("a/up", "a link to a folder that it lies in") in source.skipped


def test_what_is_no_regular_file_is_skipped_and_reported(tmp_path):
    write(tmp_path, "a.md")
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "ignored")
    source = Filesystem(tmp_path, exclude=["ignored"])
    assert uris(source) == ["a.md"]
    assert source.skipped == [("pipe", "not a regular file")]


def test_names_that_are_not_utf8_have_addresses(tmp_path):
    folder = os.fsencode(tmp_path)
    for name in (b"caf\xe9.md", b"caf%E9.md", b"100%.md", b"50%25.md"):
        Path(os.fsdecode(folder + b"/" + name)).write_bytes(b"in " + name)
    source = Filesystem(tmp_path)
    assert uris(source) == ["100%.md", "50%2525.md", "caf%25E9.md", "caf%E9.md"]
    assert source.read("caf%E9.md").data == b"in caf\xe9.md"
    assert source.read("caf%25E9.md").data == b"in caf%E9.md"
    assert source.read("50%2525.md").data == b"in 50%25.md"
    assert source.read("100%.md").data == b"in 100%.md"


def test_two_names_that_differ_in_normalisation_alone_are_one_document(tmp_path):
    (tmp_path / COMPOSED).write_bytes(b"composed")
    (tmp_path / DECOMPOSED).write_bytes(b"decomposed")
    source = Filesystem(tmp_path)
    assert uris(source) == [COMPOSED]
    ((uri, reason),) = source.skipped
    assert uri == COMPOSED
    assert "normalisation" in reason
    # "e" sorts before any byte of a composed letter, so the decomposed name is the first.
    assert source.read(COMPOSED).data == b"decomposed"
    assert Filesystem(tmp_path).read(COMPOSED).data == b"decomposed"


def test_folders_that_differ_in_normalisation_alone_are_looked_into_together(tmp_path):
    composed, decomposed = "\u00e9", "e\u0301"
    write(tmp_path, f"{composed}/both.md", f"{composed}/x/y.md", f"{decomposed}/both.md", f"{decomposed}/x/z.md")
    source = Filesystem(tmp_path)
    assert uris(source) == [f"{composed}/both.md", f"{composed}/x/y.md", f"{composed}/x/z.md"]
    assert [uri for uri, _ in source.skipped] == [f"{composed}/both.md"]
    for uri, path in (("both.md", f"{decomposed}/both.md"), ("x/y.md", f"{composed}/x/y.md")):
        assert source.read(f"{composed}/{uri}").data == f"text of {path}".encode()


def test_a_name_whose_address_is_plain_is_found_beside_the_plain_name_and_without_it(tmp_path):
    kelvin = "\u212a"  # in normal form it is the letter K
    write(tmp_path, f"{kelvin}/a.md", f"both/{kelvin}.md", "both/K.md", f"alone/{kelvin}.md")
    source = Filesystem(tmp_path)
    assert uris(source) == ["K/a.md", "alone/K.md", "both/K.md"]
    assert source.skipped[0][0] == "both/K.md"
    for uri, path in (
        ("K/a.md", f"{kelvin}/a.md"),
        ("alone/K.md", f"alone/{kelvin}.md"),
        ("both/K.md", "both/K.md"),
    ):
        assert source.read(uri).data == f"text of {path}".encode()


def test_a_file_is_not_taken_for_the_excluded_folder_that_it_is_called_like(tmp_path):
    write(tmp_path, "drafts", "x/drafts/a.md")
    assert uris(Filesystem(tmp_path, exclude=["drafts/**", "x/drafts/**"])) == ["drafts"]


def test_of_very_many_names_left_out_the_first_are_named_and_all_are_counted(tmp_path):
    for number in range(1_200):
        (tmp_path / f"{number}").symlink_to("nowhere")
    source = Filesystem(tmp_path)
    assert uris(source) == []
    assert (len(source.skipped), source.left_out) == (1_000, 1_200)
    assert uris(source) == []
    assert (len(source.skipped), source.left_out) == (1_000, 1_200)


def test_a_listing_holds_no_more_of_a_folder_with_many_files_than_of_one_with_few(tmp_path):
    def peak(files: int) -> int:
        folder = tmp_path / str(files)
        folder.mkdir()
        for number in range(files):
            (folder / f"a file with a name of its own, number {number}.md").touch()
            (folder / f"\u4e2d\u6587 {number}.md").touch()
        tracemalloc.start()
        try:
            assert sum(1 for _ in Filesystem(folder).list()) == 2 * files
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(3_000) < 1.5 * peak(100)


def test_the_place_of_a_source_is_the_same_by_whatever_link_it_is_reached(tmp_path):
    write(tmp_path / "real", "a.md")
    (tmp_path / "link").symlink_to("real")
    assert Filesystem(tmp_path / "link").place == Filesystem(tmp_path / "real").place
    assert str(tmp_path / "real") in Filesystem(tmp_path / "link").place


def test_a_root_that_is_replaced_while_it_is_listed_is_an_error(tmp_path):
    write(tmp_path, "root/a.md", "root/x/b.md", "other/a.md")
    listing = Filesystem(tmp_path / "root").list()
    next(listing)
    (tmp_path / "root").rename(tmp_path / "before")
    (tmp_path / "other").rename(tmp_path / "root")
    with pytest.raises(SourceError, match="replaced"):
        list(listing)


def test_a_folder_that_goes_while_the_source_is_listed_is_none(tmp_path):
    write(tmp_path, "a.md", "x/b.md", "y/c.md")
    listing = Filesystem(tmp_path).list()
    found = [next(listing).uri]
    for name in ("x", "y"):
        if f"{name}/" not in found[0]:
            shutil.rmtree(tmp_path / name)
    found += [entry.uri for entry in listing]
    assert set(found) <= {"a.md", "x/b.md", "y/c.md"}
    assert len(found) < 3


def test_a_decomposed_name_is_found_in_decomposed_folders(tmp_path):
    folder = unicodedata.normalize("NFD", "r\u00e9sum\u00e9s")
    write(tmp_path, f"{folder}/plain.md", f"{folder}/{DECOMPOSED}")
    source = Filesystem(tmp_path)
    assert uris(source) == [f"r\u00e9sum\u00e9s/{COMPOSED}", "r\u00e9sum\u00e9s/plain.md"]
    assert source.read("r\u00e9sum\u00e9s/plain.md").size > 0
    assert source.read(f"r\u00e9sum\u00e9s/{COMPOSED}").size > 0


def test_a_file_that_comes_after_the_folder_was_looked_at_is_found(tmp_path):
    source = Filesystem(tmp_path)
    (tmp_path / "\u0439.md").write_bytes(b"first")
    assert source.read("\u0439.md").data == b"first"
    (tmp_path / "\u0451.md").write_bytes(b"second")
    assert source.read("\u0451.md").data == b"second"


names = st.lists(
    st.sampled_from(
        [
            *(b"a", b"%", b"4", b"E", b"9", b"\xe9", b"\xc3\xa9", b"e\xcc\x81", b"\xe4\xb8\xad", b"\xff", b" "),
            *(b"K", "\u212a".encode(), b"F", "\u0307".encode(), "\u1e1e".encode()),  # the Kelvin sign; F with a dot
        ]
    ),
    min_size=1,
    max_size=5,
).map(b"".join)
few = st.sampled_from([b"K", "\u212a".encode(), b"\xc3\xa9", b"e\xcc\x81", b"a"])  # that often meet in one address


@settings(max_examples=100, deadline=None)
@given(st.sets(st.lists(names | few, min_size=1, max_size=3).map(tuple), min_size=1, max_size=8))
def test_every_file_is_read_back_under_the_address_that_the_listing_gives_it(paths):
    with tempfile.TemporaryDirectory() as folder:
        written = {}
        for parts in sorted(paths):
            path = b"/".join(parts)
            file = Path(folder, os.fsdecode(path))
            try:
                file.parent.mkdir(exist_ok=True)
                file.write_bytes(path)
            except OSError:  # a file is where a folder should be, or the other way round
                continue
            written.setdefault(canonical_uri(path), []).append(path)
        source, stranger = Filesystem(Path(folder)), Filesystem(Path(folder))
        assert uris(source) == sorted(written)
        assert source.left_out == sum(len(candidates) - 1 for candidates in written.values())
        for uri, candidates in written.items():
            assert source.read(uri).data == stranger.read(uri).data == min(candidates)


def test_reading_gives_the_bytes_and_their_evidence(tmp_path):
    (tmp_path / "a.bin").write_bytes(bytes(range(256)) * 100_000)
    os.utime(tmp_path / "a.bin", ns=(1, 5_000_000_001))
    read = Filesystem(tmp_path).read("a.bin")
    assert read.data == bytes(range(256)) * 100_000
    assert (read.size, read.mtime_ns) == (25_600_000, 5_000_000_001)


def test_an_empty_file_is_read(tmp_path):
    (tmp_path / "a").touch()
    assert Filesystem(tmp_path).read("a").data == b""


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 40)
    (tmp_path / "fits").write_bytes(b"x" * 1000)
    source = Filesystem(tmp_path, most_bytes=1000)
    assert source.read("fits").size == 1000
    with pytest.raises(LimitExceeded, match="1,099,511,627,776 bytes") as caught:
        source.read("huge")
    assert "limits.megabytes" in caught.value.hint


def test_the_limit_is_that_of_the_configuration(tmp_path):
    write(tmp_path, "docs/a.md")
    corpus = Corpus.model_validate(
        {"name": "c", "source": {"path": "docs"}, "limits": {"megabytes": 0.000005}, "include": ["**/*.md"]}
    )
    source = open_source(corpus, tmp_path)
    assert [entry.uri for entry in source.list()] == ["a.md"]
    with pytest.raises(LimitExceeded, match="more than the 5 allowed"):
        source.read("a.md")


def test_a_file_that_is_gone_has_vanished(tmp_path):
    write(tmp_path, "a.md", "x/b.md", f"x/{COMPOSED}")
    source = Filesystem(tmp_path)
    listed = uris(source)
    shutil.rmtree(tmp_path / "x")
    (tmp_path / "a.md").unlink()
    for uri in listed:
        with pytest.raises(Vanished) as caught:
            source.read(uri)
        assert caught.value.uri == uri


def test_when_the_root_is_gone_no_file_has_vanished(tmp_path):
    write(tmp_path, "root/a.md")
    source = Filesystem(tmp_path / "root")
    (tmp_path / "root").rename(tmp_path / "unmounted")
    for uri in ("a.md", COMPOSED):
        with pytest.raises(TransientError, match="No such file"):
            source.read(uri)


def test_a_file_that_became_something_else_has_vanished(tmp_path):
    write(tmp_path, "outside.md", "root/a.md", "root/b.md", "root/c.md", "root/d/e.md")
    root = tmp_path / "root"
    for name in ("a.md", "b.md", "c.md"):
        (root / name).unlink()
    (root / "a.md").mkdir()
    os.mkfifo(root / "b.md")
    (root / "c.md").symlink_to(tmp_path / "outside.md")
    shutil.rmtree(root / "d")
    (root / "d").write_text("a file now")
    for uri in ("a.md", "b.md", "c.md", "d/e.md"):
        with pytest.raises(Vanished):
            Filesystem(root).read(uri)


@pytest.mark.parametrize("uri", ["../outside.md", "x/../../outside.md", "/etc/passwd", "", ".", "x//a", ".git/config"])
def test_an_address_that_no_listing_gives_is_refused(tmp_path, uri):
    write(tmp_path, "outside.md", "root/x/a", "root/.git/config")
    with pytest.raises(Vanished, match="no listing"):
        Filesystem(tmp_path / "root").read(uri)


needs_proc = pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs the /proc of Linux")


@needs_proc
def test_a_file_that_does_not_hold_still_can_be_tried_again_later():
    with pytest.raises(TransientError, match="kept changing") as caught:
        Filesystem(Path("/proc")).read("uptime")  # its size says 0 and it has a line
    assert caught.value.uri == "uptime"


@needs_proc
def test_an_input_output_error_can_be_tried_again():
    with pytest.raises(TransientError, match="Input/output error"):
        Filesystem(Path(f"/proc/{os.getpid()}")).read("mem")
