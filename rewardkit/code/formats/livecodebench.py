"""LiveCodeBench: public tests as JSON, private ones as JSON or packed (base64 of zlib of a pickled JSON string)."""

from __future__ import annotations

import base64
import binascii
import pickletools
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from rewardkit.code.formats._fields import parse_json
from rewardkit.code.formats.cases import read_cases
from rewardkit.code.problem import Problem
from rewardkit.errors import GroundTruthError

MAX_UNPACKED_BYTES = 512_000_000
"""Packed tests are refused beyond this: a few compressed kilobytes can hold gigabytes."""


def claims(row: Mapping[str, Any]) -> bool:
    """True for a row with `public_test_cases` or `private_test_cases`."""
    return row.get("public_test_cases") is not None or row.get("private_test_cases") is not None


def read(row: Mapping[str, Any]) -> Problem:
    """All cases, the public ones first."""
    return read_cases(row, [*_packed(row.get("public_test_cases")), *_packed(row.get("private_test_cases"))])


def _packed(value: Any) -> Sequence[Any]:
    """Test cases as a list, as JSON, or packed."""
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        text = value if value.lstrip().startswith("[") else _unpack(value)
        value = parse_json(text, "test cases")
    if not isinstance(value, (list, tuple)):
        raise GroundTruthError("test cases are not a list")
    return cast("Sequence[Any]", value)


def _unpack(text: str) -> str:
    try:
        stream = zlib.decompressobj()
        data = stream.decompress(base64.b64decode(text, validate=True), MAX_UNPACKED_BYTES)
    except (binascii.Error, zlib.error, ValueError):
        raise GroundTruthError("private_test_cases are neither JSON nor packed JSON") from None
    if stream.unconsumed_tail:
        raise GroundTruthError("private_test_cases unpack to more than 512 MB")
    strings = list(_pickled_strings(data)) if data[:1] == b"\x80" else [data.decode("utf-8", "replace")]
    if len(strings) != 1:
        raise GroundTruthError("private_test_cases hold a pickle of something else than one string")
    return strings[0]


def _pickled_strings(data: bytes) -> Iterator[str]:
    """The strings in a pickle, by reading its opcodes. Nothing is unpickled, so nothing is run."""
    try:
        for opcode, argument, _ in pickletools.genops(data):
            if opcode.name in ("BINUNICODE", "BINUNICODE8", "SHORT_BINUNICODE"):
                yield str(argument)
            elif opcode.name not in ("PROTO", "FRAME", "MEMOIZE", "BINPUT", "LONG_BINPUT", "STOP"):
                raise GroundTruthError("private_test_cases hold a pickle of something else than one string")
    except (ValueError, IndexError) as error:
        if isinstance(error, GroundTruthError):
            raise
        raise GroundTruthError("private_test_cases hold a broken pickle") from None
