"""paddle-init: the same initial weights in abacus and PaddlePaddle, to the bit."""

__version__ = "0.1.0"
