"""What a file of mail comes to, as it grows."""

from __future__ import annotations

from dataclasses import dataclass, field

from chunkers.document import Block, Kind
from corpus.parsers.base import Settings
from corpus.parsers.draft import Draft, write

_DEEPEST_HEADING = 6


@dataclass(slots=True)
class Reading:
    """Texts with their blocks, one after the other, and what is to be said of them."""

    settings: Settings
    parts: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    length: int = 0
    left_out: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    replaced: int = 0
    encodings: list[str] = field(default_factory=list)

    def add(self, text: str, blocks: tuple[Block, ...], level: int) -> None:
        """Put a text with its blocks at the end; its headings lie below `level`."""
        if not blocks:
            return
        if self.parts:
            self.parts.append("\n\n")
            self.length += 2
        for block in blocks:
            deeper = min((block.level or 1) + level, _DEEPEST_HEADING) if block.kind is Kind.HEADING else block.level
            self.blocks.append(
                Block(
                    block.kind,
                    block.start + self.length,
                    block.end + self.length,
                    level=deeper,
                    page=block.page,
                    rows=block.rows,
                    symbol=block.symbol,
                )
            )
        self.parts.append(text)
        self.length += len(text)

    def take(self, other: Reading, level: int) -> None:
        """Put all of another reading at the end."""
        self.add("".join(other.parts), tuple(other.blocks), level)
        self.left_out += other.left_out
        self.warnings += other.warnings
        self.missing += other.missing
        self.encodings += other.encodings
        self.replaced += other.replaced

    def say(self, drafts: list[Draft], level: int) -> None:
        """Write blocks at the end."""
        self.add(*write(drafts), level)
