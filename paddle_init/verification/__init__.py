"""Do weights start where a spec says? Bit for bit with a seed, by statistical tests without."""

from paddle_init.verification.records import (
    BitComparison,
    Check,
    ParameterVerification,
    Verdict,
    Verification,
)
from paddle_init.verification.verifier import verify

__all__ = [
    "BitComparison",
    "Check",
    "ParameterVerification",
    "Verdict",
    "Verification",
    "verify",
]
