"""Findings in the forms that CI systems read; one renderer per format."""

from paddle_init.checks.github import as_github
from paddle_init.checks.junit import as_junit
from paddle_init.checks.records import Check, Suite, Verdict, nothing

__all__ = ["Check", "Suite", "Verdict", "as_github", "as_junit", "nothing"]
