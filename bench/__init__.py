"""Measurements of Kerf beside other tools. Not part of the package: run from a checkout, with `make`."""
