"""Word and PowerPoint."""
