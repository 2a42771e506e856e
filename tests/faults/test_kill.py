"""A sync that is killed from outside at any moment, and then simply started again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psycopg
import pytest
from pgvector.psycopg import register_vector

DOCUMENTS = 80
BATCH = 8  #: texts embedded and stored at a time

WORDS = [
    "harbour",
    "mole",
    "buoy",
    "crane",
    "ferry",
    "quay",
    "rope",
    "tide",
    "berth",
    "fuel",
    "light",
    "chart",
    "depth",
]

#: when a stage is under way, as another connection sees it
MOMENTS = {
    "prepare": "SELECT count(*) FILTER (WHERE state = 'staged') > %(some)s AND bool_or(state = 'planned')"
    " FROM sync_items",
    "embed": "SELECT count(*) > %(some)s AND count(*) < (SELECT count(*) FROM sync_texts) FROM embeddings",
    "publish": "SELECT count(*) > %(some)s AND count(*) < 80 FROM documents",
}


def fill(source: Path) -> None:
    dice = random.Random(7)
    for number in range(DOCUMENTS):
        sections = []
        for section in range(2):
            text = " ".join(" ".join(dice.choices(WORDS, k=9)).capitalize() + "." for _ in range(6))
            sections.append(f"## Part {section}\n\n{text}")
        file = source / f"folder{number % 4}" / f"{number:03}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"# Page {number % 60}\n\n" + "\n\n".join(sections) + "\n")
        os.utime(file, (1_700_000_000, 1_700_000_000))


@pytest.fixture
def killed(site):
    """A site with documents in several batches, and how to start its sync in a process of its own."""
    site.settings = {"batches": {"documents": 20}, "embedding": {"batch_texts": BATCH}}
    fill(site.source)
    assert site.config.corpora
    return site


def start(site) -> subprocess.Popen[bytes]:
    environment = os.environ | {"KERF_DATABASE_URL": site.dsn, "OMP_NUM_THREADS": "1"}
    command = [
        str(Path(sys.executable).parent / "kerf"),
        "--config",
        str(site.config_file),
        "sync",
        site.name,
        "--json",
    ]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def kill_when(site, moment: str, some: int) -> bool:
    """Start a sync and kill it, with all its processes, once the moment has come; False if it ended before."""
    process = start(site)
    with psycopg.connect(site.dsn, autocommit=True) as connection:
        while process.poll() is None:
            row = connection.execute(MOMENTS[moment], {"some": some}).fetchone()
            if row is not None and row[0]:
                break
            time.sleep(0.002)
    ended = process.poll() is not None
    if not ended:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return not ended


def run(site) -> None:
    process = start(site)
    _, said = process.communicate(timeout=240)
    assert process.returncode == 0, said.decode()


def vectors(site) -> dict[bytes, np.ndarray]:
    with psycopg.connect(site.dsn) as connection:
        register_vector(connection)
        return {key: vector.to_numpy() for key, vector in connection.execute("SELECT key, embedding FROM embeddings")}


def undisturbed(site, fresh: Callable[[], str]) -> dict[str, object]:
    other = type(site)(site.root, fresh(), site.settings, site.name)
    run(other)
    return {"content": other.content(), "vectors": vectors(other)}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_sync_that_is_started_again_ends_like_an_undisturbed_one(killed, moment, fresh_database):
    dice = random.Random(moment)
    kills = 0
    for attempt in range(3):
        some = dice.randrange(attempt * 20, attempt * 20 + 20)
        kills += kill_when(killed, moment, some)
    assert kills >= 1, f"no sync was caught during {moment}"
    run(killed)
    expected = undisturbed(killed, fresh_database)
    assert killed.content() == expected["content"]
    found = vectors(killed)
    assert found.keys() == expected["vectors"].keys()
    for key, vector in expected["vectors"].items():
        assert float(vector @ found[key]) >= 0.9999
    # Each text was stored once, so a kill paid twice for no more than what it was computing: one batch.
    paid = killed.rows("SELECT sum(texts)::int AS texts, max(texts) AS most FROM cost_ledger")[0]
    assert paid["texts"] == len(found)
    assert paid["most"] <= BATCH
    before = killed.written()
    run(killed)
    assert killed.written() == before
