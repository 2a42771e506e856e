"""A sync in a process of its own that is killed from outside, and what is found in its database."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import yaml
from psycopg.rows import dict_row

BATCH = 8  #: texts embedded and stored at a time
CORPUS = "site"

Rows = list[dict[str, Any]]

#: Where the sync that runs is: the last thing that it is seen to have begun.
_STAGE = """
WITH newest AS (SELECT max(id) AS id FROM sync_runs), items AS (
    SELECT count(*) FILTER (WHERE batch IS NOT NULL) AS all, count(*) FILTER (WHERE state = 'planned') AS planned,
           count(*) FILTER (WHERE batch IS NOT NULL AND state <> 'planned') AS done,
           count(*) FILTER (WHERE state IN ('published', 'gone', 'unchanged')) AS published
    FROM sync_items WHERE run_id = (SELECT id FROM newest)
), texts AS (
    SELECT count(*) AS all, count(e.key) AS done
    FROM sync_texts t LEFT JOIN embeddings e USING (key) WHERE t.run_id = (SELECT id FROM newest)
), seen AS (
    SELECT (SELECT array_agg(stage) FROM sync_stages s WHERE s.run_id = r.id) AS ended, r.id, r.state FROM sync_runs r
    WHERE r.id = (SELECT id FROM newest)
)
SELECT CASE
    WHEN coalesce(s.id, 0) = %(before)s THEN 'start'
    WHEN s.state <> 'running' THEN 'end'
    WHEN 'publish' = ANY(s.ended) OR i.published > 0 THEN 'publish'
    WHEN t.done > 0 AND t.done = t.all THEN 'publish'
    WHEN t.all > 0 THEN 'embed'
    WHEN 'plan' = ANY(s.ended) AND i.done >= i.all THEN 'plan texts'
    WHEN 'plan' = ANY(s.ended) THEN 'prepare'
    ELSE 'plan' END AS stage,
    coalesce(CASE WHEN t.all > 0 AND t.done < t.all THEN t.done::float / t.all END,
             CASE WHEN i.published > 0 THEN i.published::float / i.all END,
             CASE WHEN i.all > 0 THEN i.done::float / i.all END, 0) AS share
FROM (SELECT) AS always LEFT JOIN seen s ON true, items i, texts t
"""
STAGES = ("start", "plan", "prepare", "plan texts", "embed", "publish", "end")
_AIMED_AT = ("start", "plan", "prepare", "prepare", "plan texts", "embed", "embed", "publish", "publish", "end")
_START = 1.0  #: seconds in which a process that is killed at its start is killed

#: What every run must leave the same, whatever happened on its way.
_CONTENT = {
    "documents": "SELECT id, corpus, uri, content_hash, media_type, title, source_url, language, date, author, tags,"
    " permissions, recipe, recipe_because, warnings, description, fidelity, page_labels, parse_fingerprint,"
    " cut_fingerprint, payload_hash, parents, children, version, moved_from, deleted_at IS NOT NULL AS deleted"
    " FROM documents ORDER BY id",
    "parents": "SELECT * FROM parents ORDER BY id",
    "children": "SELECT * FROM children ORDER BY id",
    "contexts": "SELECT * FROM contexts ORDER BY id",
    "parsed_documents": "SELECT * FROM parsed_documents ORDER BY content_hash, parse_fingerprint",
    "quarantine": "SELECT document_id AS id, uri, stage, error_class, message, content_hash, parse_fingerprint"
    " FROM quarantine ORDER BY document_id",
    "vectors": "SELECT key, embedding::real[] AS embedding FROM embeddings ORDER BY key",
}
#: Documents that a search would find only a part of, or whose parts do not belong together.
_HALF = """
SELECT d.uri FROM documents d
LEFT JOIN LATERAL (
    SELECT count(*) AS all, count(p.id) AS placed, count(e.key) AS found, count(DISTINCT c.ordinal) AS places
    FROM children c LEFT JOIN parents p ON p.id = c.parent_id AND p.document_id = d.id
    LEFT JOIN embeddings e ON e.key = c.key WHERE c.document_id = d.id
) c ON true
WHERE d.deleted_at IS NULL AND (c.all <> d.children OR c.placed <> c.all OR c.found <> c.all OR c.places <> c.all
      OR d.parents <> (SELECT count(*) FROM parents p WHERE p.document_id = d.id))
"""
#: Read by Python at the start of every process that has its folder on the path. Says what the model is handed, before
#: it is computed: what is lost with a killed process has been written down.
_HANDED = """
import os, sys
if sys.orig_argv[1].endswith("/kerf"):
    from corpus.embedding import SentenceTransformerEmbedder as model
    def said(embed):
        def embed_and_say(self, texts):
            with open(os.environ["KERF_BENCH_HANDED"], "a") as file:
                file.write(f"{len(texts)}\\n")
            return embed(self, texts)
        return embed_and_say
    model.embed = said(model.embed)
"""


@dataclass(frozen=True, slots=True)
class Killed:
    """One sync that was killed."""

    stage: str  #: that it was seen in just before
    lost: int  #: texts that the model was handed and whose vectors were not stored
    half: Sequence[str]  #: addresses of documents that were half there afterwards
    is_through: bool  #: its run had ended well before


@dataclass(frozen=True, slots=True)
class Site:
    """A source, its configuration and a database that it is synced to."""

    folder: Path
    dsn: str

    @property
    def source(self) -> Path:
        """Where the documents lie."""
        return self.folder / "source"

    def configure(self) -> None:
        """Write the configuration, and what counts the texts."""
        self.source.mkdir(parents=True, exist_ok=True)
        settings = {"batches": {"documents": 20}, "embedding": {"batch_texts": BATCH}}
        body = {"corpora": {CORPUS: {"source": {"path": str(self.source)}, **settings}}}
        (self.folder / "corpora.yaml").write_text(yaml.safe_dump(body), encoding="utf-8")
        (self.folder / "sitecustomize.py").write_text(_HANDED, encoding="utf-8")

    def start(self) -> subprocess.Popen[bytes]:
        """`kerf sync`, in a session of its own."""
        kerf = Path(sys.executable).with_name("kerf")
        return subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, kerf, "--config", self.folder / "corpora.yaml", "sync", CORPUS, "--json"],
            env=os.environ
            | {
                "KERF_DATABASE_URL": self.dsn,
                "KERF_BENCH_HANDED": str(self._handed),
                "OMP_NUM_THREADS": "1",
                "PYTHONPATH": os.pathsep.join([str(self.folder), *sys.path]),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def sync(self) -> None:
        """One sync that nobody disturbs. Raises `RuntimeError` if it fails."""
        process = self.start()
        _, said = process.communicate()
        if process.returncode:
            raise RuntimeError(f"a sync that was left alone failed: {said.decode(errors='replace').strip()}")

    def kill(self, dice: random.Random) -> Killed | None:
        """Start a sync and kill it, with all its processes, at a moment drawn by chance; None if it ended before.

        The moment is a stage and how far it has come, as other connections see it, and some milliseconds after that.
        """
        aim, share, later = dice.choice(_AIMED_AT), dice.random(), dice.uniform(0, 0.08)
        with psycopg.connect(self.dsn, autocommit=True, row_factory=dict_row) as connection:
            before = _one(connection, "SELECT coalesce(max(id), 0)::int AS id FROM sync_runs")["id"]
            stored, handed = self._stored(connection), self._texts_handed()
            process = self.start()
            begun = time.monotonic()
            while process.poll() is None:
                at = _one(connection, _STAGE, before=before)
                passed = STAGES.index(at["stage"]) - STAGES.index(aim)
                if aim == "start" and time.monotonic() - begun > share * _START:
                    break
                if aim != "start" and (passed > 0 or (passed == 0 and (aim not in _LASTING or at["share"] >= share))):
                    break
                time.sleep(0.002)
            time.sleep(later)
            stage = str(_one(connection, _STAGE, before=before)["stage"])
            if process.poll() is not None:
                _, said = process.communicate()
                if process.returncode:
                    raise RuntimeError(f"a sync failed by itself: {said.decode(errors='replace').strip()}")
                return None
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            self._wait_until_alone(connection)
            lost = (self._texts_handed() - handed) - (self._stored(connection) - stored)
            half = [row["uri"] for row in connection.execute(_HALF).fetchall()]
            ended = "SELECT EXISTS (SELECT FROM sync_runs WHERE id > %(before)s AND state = 'succeeded') AS well"
            return Killed(stage, lost, half, _one(connection, ended, before=before)["well"])

    def content(self) -> dict[str, Rows]:
        """All that has to be the same, by table."""
        with psycopg.connect(self.dsn, row_factory=dict_row) as connection:
            return {name: connection.execute(statement).fetchall() for name, statement in _CONTENT.items()}

    def counts(self) -> Mapping[str, int]:
        """Texts that the model was handed, and texts that have a vector."""
        with psycopg.connect(self.dsn, row_factory=dict_row) as connection:
            distinct = _one(connection, "SELECT count(*)::int AS vectors FROM embeddings")["vectors"]
            return {"handed": self._texts_handed(), "stored": self._stored(connection), "vectors": distinct}

    @property
    def _handed(self) -> Path:
        return self.folder / "handed"

    def _texts_handed(self) -> int:
        return sum(map(int, self._handed.read_text().split())) if self._handed.exists() else 0

    @staticmethod
    def _stored(connection: psycopg.Connection[dict[str, Any]]) -> int:
        return int(_one(connection, "SELECT coalesce(sum(texts), 0)::int AS texts FROM cost_ledger")["texts"])

    @staticmethod
    def _wait_until_alone(connection: psycopg.Connection[dict[str, Any]]) -> None:
        """What the killed process had sent may still be committed, or is rolled back when the server notices."""
        others = (
            "SELECT count(*)::int AS others FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        while _one(connection, others)["others"]:
            time.sleep(0.01)


_LASTING = ("prepare", "embed", "publish")  #: stages that are some way along


def _one(connection: psycopg.Connection[dict[str, Any]], statement: str, **parameters: Any) -> dict[str, Any]:
    row = connection.execute(statement, parameters).fetchone()
    assert row is not None, "a statement that always returns a row returned none"
    return row
