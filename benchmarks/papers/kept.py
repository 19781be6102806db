"""Results kept in one JSON file, each under its experiment's name with the settings it is for."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from benchmarks.papers.experiments import Experiment
from paddle_init.files import replacing

__all__ = ["Kept", "read_results"]


class Kept:
    """Results of a file; each that is added is written at once, the file being whole or old."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}

    def has(self, experiment: Experiment) -> bool:
        """Tell whether the experiment ran with these very settings."""
        entry = self.entries.get(experiment.name)
        return entry is not None and bool(entry["settings"] == experiment.settings)

    def add(self, experiment: Experiment, result: Any) -> None:
        self.entries[experiment.name] = {"settings": experiment.settings, "result": result}
        os.makedirs(self.path.parent, exist_ok=True)
        lines = ",\n".join(
            f"{json.dumps(name)}: {json.dumps(entry, allow_nan=False)}"
            for name, entry in self.entries.items()
        )
        with replacing(str(self.path)) as file:
            file.write(f"{{\n{lines}\n}}\n".encode())


def read_results(path: Path) -> dict[str, Any]:
    """Return each experiment's settings and result, by name."""
    found: dict[str, Any] = json.loads(path.read_text())
    return found
