"""What every command prints is what it printed before; see frozen_outputs.py for changes."""

from __future__ import annotations

import pytest
from support import frozen_outputs


@pytest.mark.slow
def test_every_output_is_as_it_was():
    expected, found = frozen_outputs.kept(), frozen_outputs.outputs()
    assert list(found) == list(expected)
    changed = [command for command in expected if found[command] != expected[command]]
    for command in changed[:1]:
        assert found[command] == expected[command], f"{len(changed)} outputs changed: {command}"
