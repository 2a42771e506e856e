"""A client for the search service of the Harbour Library.

The reading room, the map room and the morning report all ask the same service. Every call goes over HTTPS to one
host, carries the caller's token, and is tried again when the service is busy::

    with HarbourClient("search.example.com", token=token) as harbour:
        for hit in harbour.search("depth of the inner basin", collection="charts"):
            print(hit.title, hit.page)
"""

from __future__ import annotations

import functools
import http.client
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ParamSpec, Self, TypeVar
from urllib.parse import urlencode

P = ParamSpec("P")
R = TypeVar("R")

_dice = random.SystemRandom()


class HarbourError(Exception):
    """Base of everything that the client raises."""


class Refused(HarbourError):
    """The service understood the request and will not serve it: a wrong token, a closed collection."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"the search service answered {status}: {reason}")
        self.status = status


class Busy(HarbourError):
    """The service is overloaded or restarting; `wait` is how long it asks for, in seconds."""

    def __init__(self, wait: float | None = None) -> None:
        super().__init__("the search service is busy")
        self.wait = wait


def retried(attempts: int = 5, first_wait: float = 0.2, longest_wait: float = 10.0) -> Callable[..., Any]:
    """Decorate a function so that it is called again after `Busy` and after a lost connection.

    The wait doubles with each attempt and is drawn at random below that bound, so that a hundred readers who were
    turned away in the same second do not come back in the same second. A wait that the service names is kept.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for attempt in range(1, attempts + 1):
                try:
                    return function(*args, **kwargs)
                except (Busy, ConnectionError, TimeoutError) as error:
                    if attempt == attempts:
                        raise
                    bound = min(longest_wait, first_wait * 2 ** (attempt - 1))
                    asked = error.wait if isinstance(error, Busy) else None
                    time.sleep(asked if asked is not None else _dice.uniform(0, bound))
            raise AssertionError("unreachable: the last attempt returns or raises")

        return call

    return decorate


@dataclass(frozen=True, slots=True)
class Hit:
    """One place that answers a question."""

    document: str  #: address in the archive: `registers/1903.pdf`
    title: str
    page: int | None  #: from 1; None where the document has no pages
    score: float  #: higher is nearer; comparable within one answer only
    excerpt: str

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read one entry of the service's answer."""
        return cls(data["document"], data["title"], data.get("page"), float(data["score"]), data["excerpt"])

    @property
    def shelf(self) -> str:
        """The first folder of the address: catalogue, registers, charts or letters."""
        return self.document.partition("/")[0]


class HarbourClient:
    """A connection to the search service. Not for use by several threads at a time."""

    def __init__(self, host: str, *, token: str, timeout: float = 10.0) -> None:
        self._connection = http.client.HTTPSConnection(host, timeout=timeout)
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the next call opens a new one."""
        self._connection.close()

    def search(self, question: str, *, collection: str | None = None, limit: int = 5) -> list[Hit]:
        """The `limit` nearest hits, best first."""
        query = {"q": question, "limit": limit} | ({"collection": collection} if collection else {})
        return [Hit.from_json(entry) for entry in self._get("/search", query)["hits"]]

    def walk(self, collection: str, *, page_size: int = 100) -> Iterator[dict[str, Any]]:
        """Yield every record of a collection, fetching page after page as the caller goes on."""
        cursor: str | None = ""
        while cursor is not None:
            page = self._get(f"/collections/{collection}", {"after": cursor, "limit": page_size})
            yield from page["records"]
            cursor = page.get("next")

    @functools.cached_property
    def collections(self) -> tuple[str, ...]:
        """The collections that this token may read, asked for once."""
        return tuple(self._get("/collections", {})["names"])

    @retried()
    def _get(self, path: str, query: dict[str, Any]) -> dict[str, Any]:
        try:
            self._connection.request("GET", f"{path}?{urlencode(query)}", headers=self._headers)
            response = self._connection.getresponse()
            body = response.read()
        except http.client.HTTPException as error:
            self.close()
            raise ConnectionError(f"the answer to {path} broke off") from error
        except OSError:
            self.close()
            raise
        if response.status in (429, 502, 503, 504):
            wait = response.getheader("Retry-After", "")
            raise Busy(float(wait) if wait.isdecimal() else None)
        if response.status != http.HTTPStatus.OK:
            raise Refused(response.status, response.reason)
        answer: dict[str, Any] = json.loads(body)
        return answer
