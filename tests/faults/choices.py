"""What the configuration of a corpus may be set to, and what its files may be broken to."""

from __future__ import annotations

from typing import Any

from hash_models import HASH_A, HASH_B, HASH_OTHER_SMALL, HASH_SMALL

CHOICES: dict[str, list[Any]] = {
    "permissions": [
        [],
        [{"glob": "north/**", "principals": ["staff"]}],
        [{"glob": "**/*.md", "principals": ["writers", "staff"]}, {"glob": "**", "principals": ["public"]}],
    ],
    "metadata": [
        [],
        [{"glob": "**", "author": "The harbour master", "tags": ["harbour"]}],
        [
            {"glob": "north/**", "title": "North", "date": "2026-03"},
            {"glob": "**/*.txt", "language": "nl", "tags": ["x"]},
        ],
    ],
    "recipes": [
        [],
        [{"glob": "**/*.md", "recipe": "recursive", "settings": {"size": 40, "overlap": 4}}],
        [{"glob": "**/*.md", "recipe": "recursive", "settings": {"size": 40, "overlap": 8}}],
        [{"glob": "**", "recipe": "recursive"}],
        [{"glob": "**/*.md", "recipe": "recursive"}, {"glob": "**", "recipe": "recursive"}],
        [{"glob": "north/**", "recipe": "sentence_window"}, {"glob": "**/*.txt", "recipe": "fixed"}],
        [{"glob": "**/*.txt", "recipe": "late"}, {"glob": "south/**", "recipe": "semantic"}],
        [{"glob": "**/*.md", "recipe": "structure"}],
    ],
    "cutting.size": [None, 30, 60],
    "cutting.headers": [True, False],
    "cutting.prose": ["recursive", "semantic", "late", "auto"],
    "cutting.ruler": [HASH_SMALL.name, HASH_OTHER_SMALL.name],
    "cutting.model": [HASH_A.name, HASH_B.name],
    "embedding.model": [HASH_A.name, HASH_B.name, HASH_SMALL.name],
    "embedding.batch_texts": [4, 7],
    "parsing.accept_partial": [False, True],
    "source.base_url": [None, "https://harbour.example/docs"],
    "exclude": [[], ["south/**"], ["**/*.txt"]],
    "trust": ["stat", "content"],
    "spending_guard": [{}, {"share": 0, "tokens": 0}],
}
#: the ruler is the corpus' own, so that it does not depend on which model came first
FIRST = {
    "cutting.ruler": HASH_SMALL.name,
    "cutting.model": HASH_A.name,
    "embedding.model": HASH_A.name,
    "embedding.task_texts": 12,
}
BROKEN = [b"", b"%PDF-1.7\nnothing of one", b"PK\x03\x04 no archive", b"\x00\x01\x02\x03\xff\xfe broken \x00"]
