""".npz: a zip archive of .npy files, stored as they are; zip64 where 4 GiB are passed.

Source: PKWARE's APPNOTE.TXT 6.3.9, sections 4.3.7, 4.3.12 to 4.3.16 and 4.5.3.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paddle_init.specs import Tensor
from paddle_init.weight_files.parts import Checksum, Parts, size, stored

__all__ = ["npy_header", "npz_parts"]

FULL_16, FULL_32 = 0xFFFF, 0xFFFFFFFF
PLAIN, ZIP64 = 20, 45
UTF8 = 1 << 11
STORED = 0
UNIX = 3 << 8
PERMISSIONS = 0o100644 << 16
MIDNIGHT, FIRST_DAY = 0, (0 << 9) | (1 << 5) | 1  # 1980-01-01, so that bytes are reproducible


@dataclass(frozen=True)
class Member:
    """One .npy file of the archive."""

    name: bytes
    checksum: int
    size: int
    offset: int

    @property
    def common(self) -> bytes:
        """What its two headers share."""
        return struct.pack("<4HI", UTF8, STORED, MIDNIGHT, FIRST_DAY, self.checksum)

    def local_header(self) -> bytes:
        large = self.size >= FULL_32
        extra = struct.pack("<2H2Q", 1, 16, self.size, self.size) if large else b""
        shown = FULL_32 if large else self.size
        sizes = struct.pack("<2I2H", shown, shown, len(self.name), len(extra))
        version = struct.pack("<H", ZIP64 if large else PLAIN)
        return b"PK\x03\x04" + version + self.common + sizes + self.name + extra

    def central_header(self) -> bytes:
        numbers = (self.size, self.size, self.offset)
        over = [number for number in numbers if number >= FULL_32]
        extra = struct.pack(f"<2H{len(over)}Q", 1, 8 * len(over), *over) if over else b""
        version = ZIP64 if over else PLAIN
        length, packed, offset = (min(number, FULL_32) for number in numbers)
        return (
            b"PK\x01\x02"
            + struct.pack("<2H", UNIX | version, version)
            + self.common
            + struct.pack("<2I3H", length, packed, len(self.name), len(extra), 0)
            + struct.pack("<2H2I", 0, 0, PERMISSIONS, offset)
            + self.name
            + extra
        )


def npy_header(tensor: Tensor) -> bytes:
    """Return the .npy header of a tensor."""
    out = io.BytesIO()
    description = {"descr": stored(tensor).str, "fortran_order": False, "shape": tensor.shape}
    np.lib.format.write_array_header_1_0(out, description)
    return out.getvalue()


def npz_parts(tensors: Sequence[Tensor], checksum: Checksum) -> Parts:
    """Return the parts of a .npz file."""
    parts: Parts = []
    members = []
    offset = 0
    for tensor in tensors:
        inner = npy_header(tensor)
        name = f"{tensor.name}.npy".encode()
        member = Member(
            name, checksum(tensor, zlib.crc32(inner)), len(inner) + size(tensor), offset
        )
        header = member.local_header() + inner
        members.append(member)
        parts += [header, tensor]
        offset += len(header) + size(tensor)
    directory = b"".join(member.central_header() for member in members)
    return [*parts, directory + _end(len(members), len(directory), offset)]


def _end(count: int, length: int, offset: int) -> bytes:
    shown = min(count, FULL_16), min(length, FULL_32), min(offset, FULL_32)
    end = b"PK\x05\x06" + struct.pack("<4H2IH", 0, 0, shown[0], *shown, 0)
    if shown == (count, length, offset) and FULL_16 not in shown and FULL_32 not in shown:
        return end
    record = struct.pack("<Q2H2I4Q", 44, UNIX | ZIP64, ZIP64, 0, 0, count, count, length, offset)
    locator = struct.pack("<IQI", 0, offset + length, 1)
    return b"PK\x06\x06" + record + b"PK\x06\x07" + locator + end
