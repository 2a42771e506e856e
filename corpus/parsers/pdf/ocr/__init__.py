"""Scans, through tesseract."""
