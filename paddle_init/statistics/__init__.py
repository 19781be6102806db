"""Tests of whether values follow a distribution, with stated error probabilities."""
