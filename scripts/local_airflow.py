"""A running Airflow of this machine: its processes, and its public API."""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]

from corpus.errors import KerfError

HOST = "127.0.0.1"
USER = "admin"
POLL_SECONDS = 0.5


class LocalError(KerfError):
    """Airflow did not come up, or went down."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process that was started here; a pid alone may have been given to somebody else since."""

    pid: int
    created: float  #: seconds since the epoch

    def find(self) -> psutil.Process | None:
        """The process itself, if it is still there."""
        with suppress(psutil.NoSuchProcess):
            found = psutil.Process(self.pid)
            if abs(found.create_time() - self.created) < 1 and found.status() != psutil.STATUS_ZOMBIE:
                return found
        return None


class Airflow:
    """A running Airflow, through its public API."""

    def __init__(self, home: Path, port: int, processes: Mapping[str, Process], *, database_is_ours: bool) -> None:
        self.home = home
        self.port = port
        self.processes = dict(processes)
        self.database_is_ours = database_is_ours  #: the embedded server was started together with Airflow
        self.address = f"http://{HOST}:{port}"
        self._client = httpx.Client(base_url=self.address, timeout=120)  # a busy machine answers late

    @property
    def password(self) -> str:
        """Of the user `admin`."""
        return str(kept_secrets(self.home)["password"])

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Call `/api/v2/<path>`; the decoded answer. Raises `LocalError` with what the API says is wrong."""
        for _ in range(2):
            answer = self._client.request(method, f"/api/v2/{path}", json=body, params=query)
            if answer.status_code != httpx.codes.UNAUTHORIZED:
                break
            login = {"username": USER, "password": self.password}
            token = self._client.post("/auth/token", json=login).raise_for_status().json()["access_token"]
            self._client.headers["Authorization"] = f"Bearer {token}"
        if answer.is_error:
            raise LocalError(f"{method} {path}: {answer.status_code} {answer.text[:500]}")
        return answer.json() if answer.content else None

    def trigger(self, dag_id: str, **conf: Any) -> str:
        """Start a run by hand; its id."""
        return str(self.call("POST", f"dags/{dag_id}/dagRuns", {"logical_date": None, "conf": conf})["dag_run_id"])

    def run_state(self, dag_id: str, run_id: str) -> str:
        """`queued`, `running`, `success` or `failed`."""
        return str(self.call("GET", f"dags/{dag_id}/dagRuns/{run_id}")["state"])

    def tasks(self, dag_id: str, run_id: str) -> list[dict[str, Any]]:
        """The task instances of a run, as the API gives them."""
        found = self.call("GET", f"dags/{dag_id}/dagRuns/{run_id}/taskInstances", limit=1000)
        return list(found["task_instances"])

    def wait(
        self,
        runs: Mapping[str, str],
        *,
        seconds: float,
        changed: Callable[[str, str, str], None] | None = None,
    ) -> dict[str, str]:
        """Wait for the end of runs, given by their DAGs; the last state of each.

        `changed` hears of a DAG, a task and its new state. Raises `LocalError` if it takes longer than `seconds`, or if
        a process of Airflow ends.
        """
        seen: dict[tuple[str, str], str] = {}
        deadline = time.monotonic() + seconds
        while True:
            states = {dag_id: self.run_state(dag_id, run_id) for dag_id, run_id in runs.items()}
            if changed:
                for dag_id, run_id in runs.items():
                    for task in self.tasks(dag_id, run_id):
                        name, state = task_name(task), task["state"]
                        if state and seen.get((dag_id, name)) != state:
                            seen[dag_id, name] = state
                            changed(dag_id, name, state)
            if all(state in ("success", "failed") for state in states.values()):
                return states
            if time.monotonic() > deadline:
                raise LocalError(f"not over after {seconds:.0f} s: {states}")
            self.check()
            time.sleep(POLL_SECONDS)

    def log(self, dag_id: str, run_id: str, task: Mapping[str, Any]) -> str:
        """The log of a task's last try, one event a line."""
        path = f"dags/{dag_id}/dagRuns/{run_id}/taskInstances/{task['task_id']}/logs/{task['try_number']}"
        events = self.call("GET", path, map_index=task["map_index"], full_content=True)["content"]
        lines = []
        for event in events:
            lines.append(str(event.get("event", "")))
            lines += [f"{error['exc_type']}: {error['exc_value']}" for error in event.get("error_detail") or ()]
        return "\n".join(line for line in lines if line and not line.startswith("::"))

    def check(self) -> None:
        """Raise `LocalError`, with the end of its log, if a process of Airflow is gone."""
        for name, process in self.processes.items():
            if process.find() is None:
                raise LocalError(f"Airflow's {name} ended: {tail(log_file(self.home, name))}")

    def close(self) -> None:
        """Let go of the connection to the API; the processes go on."""
        self._client.close()

    def is_alive(self) -> bool:
        """Whether all its processes are there."""
        return all(process.find() for process in self.processes.values())

    def save(self) -> None:
        """Write down what runs, for whoever stops it."""
        state = {
            "port": self.port,
            "database_is_ours": self.database_is_ours,
            "processes": {name: asdict(process) for name, process in self.processes.items()},
        }
        note(self.home).write_text(json.dumps(state), encoding="utf-8")

    @classmethod
    def saved(cls, home: Path) -> Airflow | None:
        """What was started in this home and not stopped; it need not be alive."""
        try:
            state = json.loads(note(home).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        processes = {name: Process(**process) for name, process in state["processes"].items()}
        return cls(home, state["port"], processes, database_is_ours=state["database_is_ours"])


def task_name(task: Mapping[str, Any]) -> str:
    """A task instance, with the label or the number of its batch."""
    if task["map_index"] < 0:
        return str(task["task_id"])
    return f"{task['task_id']} [{task['rendered_map_index'] or task['map_index']}]"


def note(home: Path) -> Path:
    """Where it is written down what was started in this home."""
    return home / "airflow" / "running.json"


def log_file(home: Path, name: str) -> Path:
    """The log of one of the processes."""
    return home / "airflow" / "logs" / f"{name}.log"


def tail(log: Path, lines: int = 15) -> str:
    """The end of a log, and where it is."""
    with suppress(OSError):
        return "\n  ".join(["", *log.read_text(errors="replace").splitlines()[-lines:], f"({log})"])
    return f"(no log in {log})"


def kept_secrets(home: Path) -> dict[str, str]:
    """The password and the keys of this home, made on first use, for its owner's eyes only."""
    path = home / "airflow" / "secrets.json"
    if not path.exists():
        made = {
            "password": secrets.token_urlsafe(12),
            "fernet": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
            "api": secrets.token_urlsafe(48),
            "jwt": secrets.token_urlsafe(64),
        }
        write_private(path, json.dumps(made))
    return dict(json.loads(path.read_text(encoding="utf-8")))


def write_private(path: Path, text: str) -> None:
    """Write a file for its owner's eyes only."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(text, encoding="utf-8")
