"""LangChain: `index()` with its record manager, cleanup "full", and PGVectorStore, both in Postgres."""

from __future__ import annotations

from importlib.metadata import version as _version
from pathlib import Path
from typing import Any

from langchain_classic.indexes import SQLRecordManager, index  # type: ignore[import-not-found]
from langchain_core.documents import Document  # type: ignore[import-not-found]
from langchain_core.embeddings import Embeddings  # type: ignore[import-not-found]
from langchain_postgres import Column, PGEngine, PGVectorStore  # type: ignore[import-not-found]
from langchain_text_splitters import RecursiveCharacterTextSplitter  # type: ignore[import-not-found]

from bench.syncing import hashed
from bench.syncing.task import SIZE, Task

_TABLE = "chunks"
_SPLITTER = RecursiveCharacterTextSplitter(chunk_size=SIZE, chunk_overlap=0)


def version() -> str:
    """Which langchain-core this is."""
    return _version("langchain-core")


def chunks(_: str, text: str) -> list[str]:
    """The texts that it makes of one."""
    found: list[str] = _SPLITTER.split_text(text)
    return found


def sync(task: Task) -> dict[str, Any]:
    """Read and split everything, and let `index` find out what is new."""
    engine = PGEngine.from_connection_string(task.sqlalchemy)
    records = SQLRecordManager("bench", db_url=task.sqlalchemy)
    records.create_schema()
    if task.is_first:
        engine.init_vectorstore_table(_TABLE, hashed.DIMENSIONS, id_column=Column("langchain_id", "TEXT"))
    store = PGVectorStore.create_sync(engine, _Hashed(), _TABLE)
    documents = [
        Document(path.read_text(encoding="utf-8"), metadata={"source": str(path)})
        for path in sorted(Path(task.folder).rglob("*.md"))
    ]
    index(
        _SPLITTER.split_documents(documents),
        records,
        store,
        cleanup="full",
        source_id_key="source",
        key_encoder="sha256",
    )
    return {}


class _Hashed(Embeddings):  # type: ignore[misc]
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return hashed.vectors(texts)

    def embed_query(self, text: str) -> list[float]:
        return hashed.vectors([text])[0]
