"""`kerf`, in a process that knows the hashed model: `python -m bench.syncing.kerf_command COMMAND…`."""

from bench.syncing.model_of_kerf import register
from corpus.cli import main

register()
main()
