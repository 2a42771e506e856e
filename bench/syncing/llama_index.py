"""LlamaIndex: an IngestionPipeline with PGVectorStore; its docstore and its cache are files that it keeps itself."""

from __future__ import annotations

from importlib.metadata import version as _version
from pathlib import Path
from typing import Any

from llama_index.core import SimpleDirectoryReader  # type: ignore[import-not-found]
from llama_index.core.embeddings import BaseEmbedding  # type: ignore[import-not-found]
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline  # type: ignore[import-not-found]
from llama_index.core.node_parser import SentenceSplitter  # type: ignore[import-not-found]
from llama_index.core.storage.docstore import SimpleDocumentStore  # type: ignore[import-not-found]
from llama_index.vector_stores.postgres import PGVectorStore  # type: ignore[import-not-found]

from bench.syncing import hashed
from bench.syncing.task import SIZE, Task

_SPLITTER = SentenceSplitter(chunk_size=SIZE, chunk_overlap=0, tokenizer=list)


def version() -> str:
    """Which llama-index-core this is."""
    return _version("llama-index-core")


def chunks(_: str, text: str) -> list[str]:
    """The texts that it makes of one."""
    found: list[str] = _SPLITTER.split_text(text)
    return found


def sync(task: Task) -> dict[str, Any]:
    """Load docstore and cache, read everything, run the pipeline, keep docstore and cache."""
    kept = Path(task.home) / "pipeline"
    pipeline = IngestionPipeline(
        transformations=[_SPLITTER, _Hashed(embed_batch_size=64)],
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.UPSERTS_AND_DELETE,
        vector_store=PGVectorStore.from_params(
            connection_string=task.sqlalchemy,
            async_connection_string=task.sqlalchemy,
            table_name="chunks",
            embed_dim=hashed.DIMENSIONS,
        ),
    )
    if not task.is_first:
        pipeline.load(str(kept))
    reader = SimpleDirectoryReader(task.folder, recursive=True, filename_as_id=True, file_metadata=_metadata)
    documents = reader.load_data()
    for document in documents:  # as the reader itself does with all but the path: no metadata in what is embedded
        document.excluded_embed_metadata_keys = document.excluded_llm_metadata_keys = ["file_path"]
    pipeline.run(documents=documents)
    pipeline.persist(str(kept))
    return {}


def _metadata(path: str) -> dict[str, str]:
    """The path alone: the dates that the reader would add make every document another one on another day."""
    return {"file_path": path}


class _Hashed(BaseEmbedding):  # type: ignore[misc]
    def _get_text_embedding(self, text: str) -> list[float]:
        return hashed.vectors([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return hashed.vectors(texts)

    def _get_query_embedding(self, query: str) -> list[float]:
        return hashed.vectors([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return hashed.vectors([query])[0]
