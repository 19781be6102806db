"""How abacus draws, and what is known about it."""
