"""A report as JSON, for programs; its keys are kept stable under `schema`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from paddle_init.errors import Notice, Source
from paddle_init.frameworks.sides import RowsSide, Side
from paddle_init.json_values import json_text
from paddle_init.parity.records import Cause, Comparison, Report

__all__ = ["as_json", "json_form"]


def as_json(report: Report) -> str:
    """Write a report as a JSON text in ASCII.

    Floats are written so that they read back to the same double; inf and nan never appear.
    """
    return json_text(json_form(report))


def json_form(report: Report) -> dict[str, Any]:
    """Return a report as the dicts, lists and plain values that its JSON form holds."""
    return {
        "schema": report.schema,
        "left": report.left,
        "right": report.right,
        "parameters": list(map(_comparison, report.parameters)),
        "not_compared": [
            {"name": each.name, "side": each.side, "shape": list(each.shape)}
            | {"drawn": _side(each.drawn)}
            for each in report.not_compared
        ],
        "warnings": list(map(_warning, report.warnings)),
        "summary": {
            "counts": {str(level): count for level, count in report.counts.items()},
            "worst": str(report.worst),
            "not_known": report.not_known,
        },
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    form = _shallow(comparison)
    del form["histograms"]
    return form | {
        "shape": list(comparison.shape),
        "level": str(comparison.level),
        "left": _side(comparison.left) if comparison.left else None,
        "right": _side(comparison.right) if comparison.right else None,
        "causes": list(map(_cause, comparison.causes)),
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "rows": None if cause.rows is None else list(cause.rows),
        "ratio": cause.ratio,
        "factors": [{"code": each.code, "factor": each.factor} for each in cause.factors],
    }


def _side(side: Side) -> dict[str, Any]:
    blocks = None if side.blocks is None else list(map(_rows, side.blocks))
    return _shallow(side) | {"blocks": blocks, "source": _source(side.source)}


def _rows(rows: RowsSide) -> dict[str, Any]:
    return _shallow(rows) | {"rows": list(rows.rows), "source": _source(rows.source)}


def _source(source: Source | None) -> dict[str, Any] | None:
    return {"file": source.file, "line": source.line} if source else None


def _warning(notice: Notice) -> dict[str, Any]:
    return {name: getattr(notice, name) for name in ("code", "message", "parameter")}


def _shallow(record: Comparison | Side | RowsSide) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}
