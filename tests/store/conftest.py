"""What the tests of the commands share."""

from __future__ import annotations

import pytest
from kerf_process import Kerf, in_this_process, running
from site_under_test import Site


@pytest.fixture
def kerf(site: Site) -> Kerf:
    """Run `kerf` against the site; returns the finished process."""
    return running(site)


@pytest.fixture
def command(site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Kerf:
    """Run a command of `kerf` in this process."""
    return in_this_process(site, monkeypatch, capsys)
