"""How results are written for reading, in either language: on a terminal and as Markdown."""
