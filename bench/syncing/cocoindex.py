"""CocoIndex v1: an app from a folder to a table of Postgres with pgvector; its own state is an LMDB file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from importlib.metadata import version as _version
from pathlib import Path, PurePath
from typing import Annotated, Any

import asyncpg  # type: ignore[import-untyped, import-not-found, unused-ignore]
import cocoindex as coco  # type: ignore[import-not-found]
import numpy as np
from cocoindex.connectors import localfs, postgres  # type: ignore[import-not-found]
from cocoindex.ops.text import RecursiveSplitter  # type: ignore[import-not-found]
from cocoindex.resources.chunk import Chunk  # type: ignore[import-not-found]
from cocoindex.resources.file import FileLike, PatternFilePathMatcher  # type: ignore[import-not-found]
from cocoindex.resources.id import IdGenerator  # type: ignore[import-not-found]
from cocoindex.resources.schema import VectorSchema  # type: ignore[import-not-found]
from numpy.typing import NDArray

from bench.syncing import hashed
from bench.syncing.task import SIZE, Task

_SPLITTER = RecursiveSplitter()
_TASK: list[Task] = []  #: what the app is to do; its functions are given by CocoIndex what CocoIndex knows


def version() -> str:
    """Which CocoIndex this is."""
    return _version("cocoindex")


def chunks(_: str, text: str) -> list[str]:
    """The texts that it makes of one."""
    return [chunk.text for chunk in _split(text)]


def sync(task: Task) -> dict[str, Any]:
    """One update of the app."""
    _TASK[:] = [task]
    app = coco.App(coco.AppConfig(name="bench"), _main, folder=Path(task.folder))
    app.update_blocking()
    return {}


class _Hashed:
    """As CocoIndex's own embedders: a vector is remembered by its text, and texts are handed on in batches."""

    @coco.fn.as_async(batching=True, max_batch_size=64)  # type: ignore[untyped-decorator]
    def _embed(self, texts: list[str]) -> list[NDArray[np.float32]]:
        return list(np.asarray(hashed.vectors(texts), dtype=np.float32))

    @coco.fn(memo=True)  # type: ignore[untyped-decorator]
    async def embed(self, text: str) -> NDArray[np.float32]:
        found: NDArray[np.float32] = await self._embed(text)
        return found

    async def __coco_vector_schema__(self) -> VectorSchema:
        return VectorSchema(dtype=np.dtype(np.float32), size=hashed.DIMENSIONS)

    def __coco_memo_key__(self) -> object:
        return "hashed"


_DATABASE = coco.ContextKey[asyncpg.Pool]("bench_database")
_EMBEDDER = coco.ContextKey[_Hashed]("bench_embedder")


@dataclass
class _Row:
    id: int
    path: str
    start: int
    end: int
    text: str
    embedding: Annotated[NDArray[np.float32], _EMBEDDER]


@coco.lifespan  # type: ignore[untyped-decorator]
async def _lifespan(builder: coco.EnvironmentBuilder) -> AsyncIterator[None]:
    [task] = _TASK
    builder.settings.db_path = Path(task.home) / "cocoindex.db"
    async with asyncpg.create_pool(task.dsn) as pool:
        builder.provide(_DATABASE, pool)
        builder.provide(_EMBEDDER, _Hashed())
        yield


def _split(text: str) -> list[Chunk]:
    found: list[Chunk] = _SPLITTER.split(text, chunk_size=SIZE, chunk_overlap=0, language="markdown")
    return found


@coco.fn  # type: ignore[untyped-decorator]
async def _chunk(chunk: Chunk, path: PurePath, ids: IdGenerator, table: postgres.TableTarget[_Row]) -> None:
    table.declare_row(
        row=_Row(
            id=await ids.next_id(chunk.text),
            path=str(path),
            start=chunk.start.char_offset,
            end=chunk.end.char_offset,
            text=chunk.text,
            embedding=await coco.use_context(_EMBEDDER).embed(chunk.text),
        )
    )


@coco.fn(memo=True)  # type: ignore[untyped-decorator]
async def _file(file: FileLike, table: postgres.TableTarget[_Row]) -> None:
    text = await file.read_text()
    await coco.map(_chunk, _split(text), file.file_path.path, IdGenerator(), table)


@coco.fn  # type: ignore[untyped-decorator]
async def _main(folder: Path) -> None:
    table = await postgres.mount_table_target(
        _DATABASE,
        "chunks",
        await postgres.TableSchema.from_class(_Row, primary_key=["id"]),
    )
    matcher = PatternFilePathMatcher(included_patterns=["**/*.md"])
    files = localfs.walk_dir(folder, recursive=True, path_matcher=matcher)
    await coco.mount_each(_file, files.items(), table)
