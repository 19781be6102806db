"""Nets of Paddle read back: what is drawn for each parameter, and what nobody can know."""

from paddle_init.adapter.reading.net import read_net

__all__ = ["read_net"]
