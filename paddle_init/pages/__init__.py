"""Results as HTML pages that stand alone: one file, no network, both languages inside."""

from __future__ import annotations

from paddle_init.pages.rendering import rendered

__all__ = ["rendered"]
