"""`kerf` as a process of its own, and where many of its commands are asked, in this one."""

from __future__ import annotations

import json
import logging
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from site_under_test import Site

Kerf = Callable[..., subprocess.CompletedProcess[str]]


def command(site: Site, *arguments: str, config: bool = True) -> list[str]:
    """The command line of `kerf` against the site."""
    assert site.config.corpora  # writes the file
    named = ["--config", str(site.config_file)] if config else []
    return [str(Path(sys.executable).parent / "kerf"), *named, *arguments]


def environment(site: Site, **more: str) -> dict[str, str]:
    """What `kerf` needs to find the site's database."""
    return os.environ | {"KERF_DATABASE_URL": site.dsn, "OMP_NUM_THREADS": "1", "COLUMNS": "100"} | more


def running(site: Site) -> Kerf:
    """Run `kerf` against the site; returns the finished process."""

    def run(*arguments: str, config: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(site, *arguments, config=config),
            env=environment(site, **more),
            cwd=site.root,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    return run


def in_this_process(site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Kerf:
    """The same without a process: a command takes a hundredth of the time."""
    from corpus import cli

    monkeypatch.setenv("KERF_DATABASE_URL", site.dsn)
    monkeypatch.chdir(site.root)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        line = command(site, *arguments)
        monkeypatch.setattr(sys, "argv", line)
        level = logging.getLogger("corpus").level
        capsys.readouterr()
        try:
            cli.main()
            status = 0
        except SystemExit as error:
            status = int(error.code or 0)
        finally:
            logging.getLogger("corpus").setLevel(level)
        said = capsys.readouterr()
        return subprocess.CompletedProcess(line, status, said.out, said.err)

    return run


def at_a_terminal(site: Site, *arguments: str, answer: str) -> tuple[int, str]:
    """Run `kerf` at a terminal and answer what it asks; its exit status, and all that the terminal shows."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(site, *arguments), env=environment(site), cwd=site.root, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    os.write(ours, answer.encode())
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # its end is closed
        pass
    os.close(ours)
    return process.wait(timeout=240), shown.decode("utf-8", "replace")


def read(process: subprocess.CompletedProcess[str]) -> Any:
    """What `--json` prints: one object, and nothing else."""
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)
