"""Parity reports: do two initializations start from the same place?"""

from paddle_init.parity.building import DrawComparison, Drawn, report
from paddle_init.parity.counterpart import counterpart
from paddle_init.parity.levels import Level
from paddle_init.parity.records import Comparison, Report, RowsSide, Side
from paddle_init.parity.resolving import ConfReading, resolve

__all__ = [
    "Comparison",
    "ConfReading",
    "DrawComparison",
    "Drawn",
    "Level",
    "Report",
    "RowsSide",
    "Side",
    "counterpart",
    "report",
    "resolve",
]
