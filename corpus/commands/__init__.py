"""The commands of `kerf`, a module for each; none imports what is heavy before it is needed."""
