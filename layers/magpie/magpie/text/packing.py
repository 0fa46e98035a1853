"""Compressed bytes made plain, never more of them than asked for."""

import zlib

GZIP_OR_ZLIB = 47  # window bits: zlib looks at the header to tell which
RAW_DEFLATE = -15


def unpacked(raw: bytes, most: int) -> bytes:
    """
    Gzip (of one member or several), zlib or bare deflate; at most `most` + 1 bytes come out, so
    that a bomb is known by its length and never by the memory it takes.

    Raises: ValueError for what is none of them, or was cut off.
    """
    bits = GZIP_OR_ZLIB if raw[:2] == b"\x1f\x8b" or _is_zlib(raw) else RAW_DEFLATE
    plain = b""
    while raw and len(plain) <= most:
        member = zlib.decompressobj(bits)
        try:
            plain += member.decompress(raw, most + 1 - len(plain))
        except zlib.error as exc:
            raise ValueError(f"is not compressed as it says: {exc}") from exc
        if len(plain) > most:
            break
        if not member.eof:
            raise ValueError("is compressed, but cut off")
        raw = member.unused_data if member.unused_data[:2] == b"\x1f\x8b" else b""
    return plain


def _is_zlib(raw: bytes) -> bool:
    return len(raw) > 1 and raw[0] & 0x0F == 8 and (raw[0] << 8 | raw[1]) % 31 == 0
