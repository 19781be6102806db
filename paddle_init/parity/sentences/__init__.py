"""Everything that a parity report says, in every language; one file per kind of saying."""
