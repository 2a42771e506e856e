"""The pipeline: a document's way from its source to a published row."""
