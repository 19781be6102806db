"""Tests of whether values follow a distribution, with stated error probabilities."""

from paddle_init.statistics.goodness import Goodness, goodness, number_of_tests
from paddle_init.statistics.histograms import histogram
from paddle_init.statistics.laws import Law, law
from paddle_init.statistics.rounding import chance_of_equality, densest, resolution
from paddle_init.statistics.tails import at_least

__all__ = [
    "Goodness",
    "Law",
    "at_least",
    "chance_of_equality",
    "densest",
    "goodness",
    "histogram",
    "law",
    "number_of_tests",
    "resolution",
]
