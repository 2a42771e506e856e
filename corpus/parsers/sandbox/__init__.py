"""The processes that parsers run in: hostile bytes may cost one its life, and the pipeline nothing but the document."""
