"""Scores of parsed documents against facts that a person read off their pages."""
