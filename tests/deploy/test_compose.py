"""The production shape, as far as it can be checked without an engine: docker-compose.yaml, Dockerfile, docker/.

compose-spec.json is the schema of the Compose Specification, Apache-2.0 (see tests/data/LICENSES.md).
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = re.compile(r"(?<!\$)\$\{(?P<name>\w+)(?:(?P<how>:[?-])(?P<rest>[^}]*))?\}")

# Of the providers that only the image has; every other command is put to the parser of the Airflow that is installed.
IMAGE_ONLY = {
    ("users", "create"): {"--role", "--username", "--password", "--firstname", "--lastname", "--email"},
    ("celery", "worker"): {"--queues", "--concurrency"},
}


@pytest.fixture(scope="module")
def text() -> str:
    return (ROOT / "docker-compose.yaml").read_text()


@pytest.fixture(scope="module")
def example() -> dict[str, str]:
    """The settings of .env.example."""
    lines = (ROOT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


@pytest.fixture(scope="module")
def compose(text: str, example: dict[str, str]) -> dict[str, Any]:
    """The file as Compose reads it, with the settings of .env.example and a word for each secret."""

    def value(match: re.Match[str]) -> str:
        default = match["rest"] if match["how"] == ":-" else "secret"
        return example.get(match["name"]) or default

    return yaml.safe_load(VARIABLE.sub(value, text))


@pytest.fixture(scope="module")
def services(compose: dict[str, Any]) -> dict[str, Any]:
    return compose["services"]


def test_it_is_a_compose_file(compose: dict[str, Any]):
    schema = json.loads(Path(__file__).with_name("compose-spec.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(compose)


def test_the_services_are_those_of_production(services: dict[str, Any]):
    airflow = {"init", "api-server", "scheduler", "dag-processor", "triggerer"}
    assert {name for name, service in services.items() if not service.get("profiles")} == airflow | {"postgres"}
    assert {name for name, service in services.items() if service.get("profiles") == ["celery"]} == {
        "redis",
        "worker",
        "worker-embedding",
    }
    assert services["postgres"]["image"] == "pgvector/pgvector:pg18"


def test_every_variable_is_in_the_example_and_every_secret_is_asked_for(text: str, example: dict[str, str]):
    used = {match["name"]: match["how"] for match in VARIABLE.finditer(text)}
    assert set(used) | {"COMPOSE_PROFILES"} == set(example)
    empty = {name for name, value in example.items() if not value}
    secrets = {name for name in example if name.endswith(("_PASSWORD", "_SECRET", "_KEY"))}
    assert secrets == empty - {"COMPOSE_PROFILES", "TORCH_INDEX"}
    assert {used[name] for name in secrets} == {":?"}


def test_no_password_and_no_secret_stands_in_the_file(text: str):
    for name, value in re.findall(r"^\s*(\w*(?:PASSWORD|SECRET|FERNET_KEY)\w*): (.*)$", text, flags=re.MULTILINE):
        assert value.startswith("${"), name
    for login in re.findall(r"://([^@\s]*)@", text):
        assert re.fullmatch(r"\w*:\$\{\w+:\?[^}]*\}", login), login


def test_every_path_of_the_host_exists(services: dict[str, Any], compose: dict[str, Any]):
    for service in services.values():
        for mount in service.get("volumes", ()):
            source, target, *mode = mount.split(":")
            assert target.startswith("/")
            if source.startswith("."):
                assert (ROOT / source).exists(), mount
                assert mode == ["ro"], mount
            else:
                assert source in compose["volumes"], mount


def test_the_corpora_of_the_configuration_are_mounted(services: dict[str, Any]):
    configuration = yaml.safe_load((ROOT / "corpora.yaml").read_text())
    for corpus in configuration["corpora"].values():
        path = Path("/opt/kerf") / corpus["source"]["path"]
        targets = [Path(mount.split(":")[1]) for mount in services["scheduler"]["volumes"]]
        assert any(path.is_relative_to(target) for target in targets), path


def test_only_the_page_of_airflow_is_published_and_only_to_this_host(services: dict[str, Any]):
    published = {name: service["ports"] for name, service in services.items() if "ports" in service}
    assert published == {"api-server": ["127.0.0.1:8080:8080"]}
    assert not [name for name, service in services.items() if service.get("network_mode") or service.get("privileged")]


def test_every_lasting_service_is_watched_and_started_again(services: dict[str, Any]):
    for name, service in services.items():
        if name == "init":
            assert service["restart"] == "no"
            continue
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"], name


def test_nothing_of_airflow_starts_before_both_databases_are_migrated(services: dict[str, Any]):
    for name, service in services.items():
        for needed, how in service.get("depends_on", {}).items():
            assert needed in services
            assert how["condition"] == ("service_completed_successfully" if needed == "init" else "service_healthy")
        if name not in ("postgres", "redis", "init"):
            assert {"postgres", "init"} <= set(service["depends_on"]), name


def test_all_of_airflow_shares_its_secrets(services: dict[str, Any]):
    airflow = [service for service in services.values() if service["image"] == "kerf:local"]
    for variable in ("AIRFLOW__API_AUTH__JWT_SECRET", "AIRFLOW__CORE__FERNET_KEY", "AIRFLOW__API__SECRET_KEY"):
        assert len({service["environment"][variable] for service in airflow}) == 1
    assert len(airflow) == 7


def test_the_queues_of_the_tasks_have_workers(services: dict[str, Any]):
    served = [word for name in ("worker", "worker-embedding") for word in services[name]["command"]]
    assert {"default", "embedding"} <= set(served)


def test_every_airflow_option_that_is_set_exists(services: dict[str, Any]):
    """A misspelt one would be ignored in silence."""
    listing = (
        "import json; from airflow.configuration import conf;"
        " print('@' + json.dumps({s: sorted(o['options']) for s, o in conf.configuration_description.items()}))"
    )
    known = json.loads(in_airflow("-c", listing).rpartition("@")[2])
    for variable in services["scheduler"]["environment"]:
        if match := re.fullmatch(r"AIRFLOW__([A-Z_]+?)__([A-Z_]+)", variable):
            section, option = match[1].lower(), match[2].lower()
            if section != "celery":  # of a provider that only the image has
                assert option in known[section], variable


def test_every_command_of_airflow_exists(services: dict[str, Any]):
    script = (ROOT / "docker" / "init.sh").read_text()
    for name, value in services["init"]["environment"].items():
        script = script.replace(f"${name}", str(value))
    commands = [shlex.split(line)[1:] for line in airflow_lines(script)]
    for service in services.values():
        if service["image"] == "kerf:local" and service["command"][0] != "bash":
            commands.append(service["command"])
        for word in service.get("healthcheck", {}).get("test", ()):
            commands += [shlex.split(line)[1:] for line in airflow_lines(word)]
    assert len(commands) >= 10
    here = []
    for command in commands:
        if options := IMAGE_ONLY.get(tuple(command[:2])):
            assert {word for word in command if word.startswith("--")} <= options
        else:
            here.append(command)
    parse = (
        "import json, sys; from airflow.cli.cli_parser import get_parser;"
        " [get_parser().parse_args(command) for command in json.loads(sys.argv[1])]"
    )
    in_airflow("-c", parse, json.dumps(here))


def airflow_lines(script: str) -> list[str]:
    return [line for line in script.replace("\\\n", " ").splitlines() if line.startswith("airflow ")]


def in_airflow(*arguments: str) -> str:
    """Run Python where Airflow can be imported without touching this process or anybody's home."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")}
    done = subprocess.run(
        [sys.executable, *arguments],
        env=inherited | {"AIRFLOW_HOME": "/nonexistent", "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": "sqlite://"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_image_is_airflows_own_in_the_locked_version():
    dockerfile = (ROOT / "Dockerfile").read_text()
    version = pins("requirements.lock")["apache-airflow"]
    assert re.search(rf"^FROM apache/airflow:{re.escape(version)}-python3\.11$", dockerfile, flags=re.MULTILINE)


def test_what_the_dockerfile_copies_exists_and_is_let_into_the_build():
    dockerfile = (ROOT / "Dockerfile").read_text()
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = set()
    for line in re.findall(r"^COPY (.*)$", dockerfile, flags=re.MULTILINE):
        words = [word for word in line.split() if not word.startswith("--")]
        copied |= set(words[:-1])
    assert copied == let_in
    assert all((ROOT / path).exists() for path in copied)


def test_what_the_image_has_on_top_contradicts_nothing_in_the_lock():
    lock, extra = pins("requirements.lock"), pins("docker/requirements.txt")
    assert not set(lock) & set(extra)
    # Flask-AppBuilder, the login of the image, has these limits; pip would stop the build.
    wanted = ("python-dateutil<3", "sqlalchemy<3", "marshmallow<5", "jsonschema<5", "click<9", "pyjwt<3")
    for requirement in map(Requirement, wanted):
        assert Version((lock | extra)[requirement.name]) in requirement.specifier


def test_every_version_is_locked_and_torch_is_free_to_be_any_build():
    lock = pins("requirements.lock")
    project = (ROOT / "pyproject.toml").read_text()
    for name in re.findall(r'^  "([A-Za-z0-9-]+)', project, flags=re.MULTILINE):
        if f'"{name}' in project.split("[project.scripts]")[0]:
            assert name.lower() in lock, name
    assert lock["torch"] == "2.13.0"


def pins(file: str) -> dict[str, str]:
    lines = (ROOT / file).read_text().splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


@pytest.mark.parametrize("script", ["docker/init.sh", "docker/make-env", "docker/initdb/10-databases.sh"])
def test_the_scripts_are_bash_and_can_be_run(script: str):
    assert os.access(ROOT / script, os.X_OK)
    subprocess.run(["bash", "-n", ROOT / script], check=True)


def test_make_env_fills_in_every_secret_and_never_overwrites(tmp_path: Path, example: dict[str, str]):
    (tmp_path / "docker").mkdir()
    for file in (".env.example", "docker/make-env"):
        (tmp_path / file).write_bytes((ROOT / file).read_bytes())
    command = ["bash", tmp_path / "docker" / "make-env"]
    subprocess.run(command, check=True, capture_output=True)
    written = (tmp_path / ".env").read_text()
    made = dict(line.split("=", 1) for line in written.splitlines() if line and not line.startswith("#"))
    assert set(made) == set(example)
    secrets = [value for name, value in made.items() if not example[name] and value]
    assert len(set(secrets)) == len(secrets) == 8
    assert all(re.fullmatch(r"[\w=-]{44,}", secret) for secret in secrets)
    assert (tmp_path / ".env").stat().st_mode & 0o077 == 0
    assert subprocess.run(command, check=False, capture_output=True).returncode == 1
    assert (tmp_path / ".env").read_text() == written
