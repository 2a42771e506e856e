"""Reading the configuration's YAML, so that nothing which was written is lost in silence."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from corpus.errors import ConfigError


def read_mapping(path: Path) -> dict[Any, Any]:
    """The mapping that a file holds; raises `ConfigError` in one line for a file that is missing or no YAML."""
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506 (a SafeLoader)
    except OSError as error:
        raise ConfigError(
            f"cannot read the configuration {path}: {error.strerror}", hint="name it with --config or KERF_CONFIG"
        ) from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: not UTF-8, or a date such as 2026-13-01
        reason = " ".join(str(error).replace('in "<unicode string>", ', "in ").split())
        raise ConfigError(f"{path} cannot be read as YAML: {reason}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path} must hold a mapping with the key 'corpora'")
    return data


class _Loader(yaml.SafeLoader):
    """YAML lets the second of two equal keys win in silence: a corpus would vanish."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                continue
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} stands twice in one mapping", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)
