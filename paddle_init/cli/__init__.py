"""The command line: one file per command, each the twin of a library call."""
