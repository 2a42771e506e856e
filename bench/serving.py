"""The other end of `bench.processes`: a worker's loop. The standard library alone: peers have their own Python."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any


def serve(answer: Callable[[Any, Any], dict[str, Any]]) -> None:
    """Load the module of the command line, and answer each line of JSON with one until the input ends.

    `answer` gets the module and the question; what it raises costs that question. What the module prints goes to the
    standard error. The first line says which version the module's `version()` is, or why it cannot be loaded.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(form: dict[str, Any]) -> None:
        answers.write(json.dumps(form) + "\n")
        answers.flush()

    try:
        peer = importlib.import_module(sys.argv[1])
        say({"version": peer.version()})
    except Exception as error:  # noqa: BLE001 - whatever it is, this peer cannot be run
        say({"broken": f"{type(error).__name__}: {error}"})
        return
    for line in sys.stdin:
        try:
            said = answer(peer, json.loads(line))
        except Exception as error:  # noqa: BLE001 - what a peer cannot do costs it that question
            said = {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}
        say(said)
