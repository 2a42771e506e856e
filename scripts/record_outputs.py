"""Record what each stage makes of the golden documents, after a version was raised or a document was added.

Refuses while something changed under the version that was recorded: raise that version first. Exit status 1 then.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent.parent / "tests"


def main() -> int:
    """Write the file; the exit status."""
    sys.path[:0] = [str(TESTS), str(TESTS / "golden")]
    outputs: Any = import_module("outputs")
    made = list(outputs.outputs(outputs.golden_files()))
    if said := outputs.silent(made, outputs.recorded()):
        sys.stderr.write("\n".join([*said, ""]))
        return 1
    outputs.record(made)
    sys.stdout.write(f"{len(made)} outputs recorded in {outputs.RECORDED}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
