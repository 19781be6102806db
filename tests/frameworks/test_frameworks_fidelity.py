"""Every cell of the fidelity table at small sizes: no bit may differ."""

from __future__ import annotations

import pytest
from support.fidelity_abacus import abacus_cells
from support.fidelity_paddle import paddle_cells


@pytest.mark.compiler
@pytest.mark.parametrize("cell", list(abacus_cells(millions=False)), ids=str)
def test_abacus_bits(cell):
    outcome = cell.compare()
    assert outcome.values
    assert outcome.differing == 0


@pytest.mark.parametrize("cell", list(paddle_cells(millions=False)), ids=str)
def test_paddle_bits(cell):
    outcome = cell.compare()
    assert outcome.values
    assert outcome.differing == 0
