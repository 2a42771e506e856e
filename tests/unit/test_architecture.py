"""The house as docs/architecture.md draws it, held against the house as it stands."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PYTHON = ("chunkers", "corpus", "dags", "plugins")
DRAWN = (*PYTHON, "sql")  #: folders whose every file is drawn
ROOMS = "corpus/parsers"  #: but for those in this one's folders: a format is one line of the drawing

#: A module imports only from its own line and those above it. docs/architecture.md shows the same table.
ORDER = (
    ("chunkers",),
    ("corpus.errors", "corpus.globs", "corpus.partitions", "corpus.faults", "corpus.yaml_file", "corpus.config"),
    ("corpus.sources",),
    ("corpus.parsers",),
    ("corpus.planning", "corpus.spending", "corpus.estimating", "corpus.diffing", "corpus.batches"),
    (
        "corpus.rulers",
        "corpus.token_vectors",
        "corpus.embedding",
        "corpus.fitting",
        "corpus.accepting",
        "corpus.described",
        "corpus.fingerprints",
        "corpus.recipes",
    ),
    (
        "corpus.queries",
        "corpus.installation",
        "corpus.server",
        "corpus.database",
        "corpus.migrations",
        "corpus.staging",
        "corpus.records",
        "corpus.session",
        "corpus.texts",
        "corpus.leases",
        "corpus.ledger",
        "corpus.history",
        "corpus.plans",
        "corpus.vectors",
        "corpus.wanted",
        "corpus.publishing",
        "corpus.store",
    ),
    (
        "corpus.cutting",
        "corpus.reading",
        "corpus.preparing",
        "corpus.outcome",
        "corpus.recut",
        "corpus.planner",
        "corpus.document_preview",
        "corpus.preview",
        "corpus.working",
        "corpus.embed_steps",
        "corpus.pipeline",
    ),
    ("corpus.search",),
    ("corpus.cut_command", "corpus.commands", "corpus.cli"),
    ("dags", "plugins"),
)
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}

AIRFLOW_ALLOWED = ("dags", "plugins", "corpus.monitor")

#: (importer, package of what it imports): registries, which import what they hold when they are first asked
REGISTRIES = {("chunkers.base", "chunkers"), ("corpus.sources", "corpus.sources")}


def files() -> Iterator[Path]:
    for folder in PYTHON:
        yield from sorted((ROOT / folder).rglob("*.py"))


def module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module(path): path for path in files()}


def imported(path: Path) -> set[str]:
    """The modules that a file imports, wherever in the file, except for type checkers only."""
    here = module(path).split(".")
    package = here if path.name == "__init__.py" else here[:-1]
    found = set()
    nodes = [ast.parse(path.read_text(encoding="utf-8"))]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            nodes.extend(node.orelse)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])
            base = base if node.level else node.module or ""
            found |= {f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names}
        else:
            nodes.extend(ast.iter_child_nodes(node))
    return found


IMPORTS = {name: imported(path) for name, path in MODULES.items()}


def within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def stage(name: str) -> int:
    """The line of ORDER that a module is on: its own, or that of the nearest package around it."""
    while name not in RANK:
        assert "." in name, f"{name} has no place in ORDER"
        name = name.rpartition(".")[0]
    return RANK[name]


def test_every_module_has_its_place_in_the_order():
    unplaced = [
        name
        for name in MODULES
        if name not in PYTHON and not any(within(name, placed) for names in ORDER for placed in names)
    ]
    assert unplaced == ["corpus"] * ("corpus" in unplaced)


def test_the_order_names_nothing_that_does_not_exist():
    folders = {folder for folder in PYTHON if (ROOT / folder).is_dir()}
    packages = {".".join(name.split(".")[:depth]) for name in MODULES for depth in (1, 2)}
    assert {name for names in ORDER for name in names} - packages - folders == set()


@pytest.mark.parametrize("name", [name for name in MODULES if name != "corpus"])
def test_no_module_imports_a_later_stage(name):
    later = {
        other for other in IMPORTS[name] if within(other, *PYTHON) and other != "corpus" and stage(other) > stage(name)
    }
    assert later == set(), f"{name} is on line {stage(name) + 1} of the order in docs/architecture.md"


def test_the_chunkers_know_neither_the_pipeline_nor_airflow_nor_a_database():
    strangers = ("corpus", "dags", "plugins", "airflow", "psycopg", "pgvector", "torch", "sentence_transformers")
    assert {
        (name, other)
        for name, others in IMPORTS.items()
        if within(name, "chunkers")
        for other in others
        if within(other, *strangers)
    } == set()


def test_only_the_rim_imports_airflow():
    assert {
        name
        for name, others in IMPORTS.items()
        if any(within(other, "airflow") for other in others) and not within(name, *AIRFLOW_ALLOWED)
    } == set()


def test_only_the_database_modules_and_what_stands_below_them_import_psycopg():
    first = RANK["corpus.store"]
    importers = {name for name, others in IMPORTS.items() if any(within(o, "psycopg", "pgvector") for o in others)}
    assert {name for name in importers if stage(name) < first} == set()


def test_no_import_goes_round_in_a_circle():
    graph = {
        name: {
            other
            for other in others
            if other in MODULES
            and other != name
            and not any(name == importer and within(other, package) for importer, package in REGISTRIES)
        }
        for name, others in IMPORTS.items()
    }
    TopologicalSorter(graph).prepare()


def tree() -> set[str]:
    """The paths in the drawing: a name, deeper ones indented by two more, folders with a slash."""
    drawing = re.search(r"^## The tree\n.*?^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert drawing, "docs/architecture.md draws the tree in a block under '## The tree'"
    paths, above = set(), []
    for line in re.sub(r"\n {16,}.*", "", drawing[1]).splitlines():  # a description may go on in the next line
        match = re.match(r"( *)(\S+)", line)
        assert match, f"not a line of the drawing: {line!r}"
        depth = len(match[1]) // 2
        above = [*above[:depth], match[2].rstrip("/")]
        paths.add("/".join(above))
    return paths


def test_everything_that_is_drawn_exists():
    assert [path for path in sorted(tree()) if not (ROOT / path).exists()] == []


def test_everything_that_exists_in_the_house_is_drawn():
    standing = {
        path.relative_to(ROOT).as_posix()
        for folder in DRAWN
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".sql") and path.name != "__init__.py"
    }
    rooms = {
        "/".join(Path(path).parts[:3]) for path in standing if Path(path).parent.as_posix().startswith(f"{ROOMS}/")
    }
    halls = {path for path in standing if not path.startswith(tuple(f"{room}/" for room in rooms))}
    assert sorted((halls | rooms) - tree()) == []


def test_every_folder_at_the_top_is_drawn():
    ignored = {line.rstrip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()}
    folders = {
        path.name
        for path in ROOT.iterdir()
        if path.is_dir() and not path.name.startswith(".") and path.name not in ignored and path.suffix != ".egg-info"
    }
    drawn = {path for path in tree() if "/" not in path}
    assert sorted(folder for folder in folders - drawn if any(p.is_file() for p in (ROOT / folder).rglob("*"))) == []


def test_the_page_states_the_order_that_is_tested():
    table = re.search(r"^## One way for imports\n(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)
    assert table, "docs/architecture.md has a section '## One way for imports'"
    rows = re.findall(r"^\| \d+ \| (.*?) \|", table[1], re.MULTILINE)
    assert tuple(tuple(re.findall(r"`([\w.]+)`", row)) for row in rows) == ORDER


def test_every_link_between_the_pages_leads_somewhere():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    dead = [
        (page.name, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert dead == []
