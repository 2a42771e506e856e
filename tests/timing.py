"""Measuring how long something takes, in a process that holds much else."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def processor_seconds(work: Callable[[], object]) -> float:
    """Seconds of the processor, without those that the collector spends on what other tests have left."""
    gc.collect()
    gc.disable()
    try:
        begun = time.process_time()
        work()
        return time.process_time() - begun
    finally:
        gc.enable()
