"""Reads request bodies: capped, decompressed with the output capped too, and strictly JSON."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator

from interlock.judge.wire import parse_json
from interlock.questions import Json
from interlock.server.wire_reply import Response, error_response

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["MAX_BODY_BYTES", "read_json_body"]

MAX_BODY_BYTES = 4 * 1024 * 1024


async def read_json_body(chunks: AsyncIterator[bytes], encoding: str) -> Json | Response:
    """Return the JSON value of a body, or the error response for it.

    `encoding`: the `Content-Encoding` header, empty when there is none.
    """
    raw = await _capped(chunks)
    if raw is None:
        return _too_large()
    if encoding not in ("", "identity", "zstd"):
        return error_response(415, "unsupported_encoding", "send the body plain or compressed with zstd")
    if encoding == "zstd":
        plain = _decompressed(raw)
        if isinstance(plain, Response):
            return plain
        raw = plain
    try:
        return parse_json(raw)
    except ValueError as error:
        at = getattr(error, "pos", 0)
        detail: Json = [{"loc": ["body", at], "msg": "the body is not JSON", "type": "json_invalid"}]
        return Response(status=422, body={"detail": detail})


async def _capped(chunks: AsyncIterator[bytes]) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            return None
        parts.append(chunk)
    return b"".join(parts)


def _decompressed(raw: bytes) -> bytes | Response:
    decoder = zstd.ZstdDecompressor()
    try:
        plain: bytes = decoder.decompress(raw, max_length=MAX_BODY_BYTES + 1)
    except (zstd.ZstdError, EOFError):
        return error_response(415, "unsupported_encoding", "the body is not valid zstd")
    if len(plain) > MAX_BODY_BYTES:
        return _too_large()
    if not decoder.eof:
        return error_response(415, "unsupported_encoding", "the zstd body is cut off")
    return plain


def _too_large() -> Response:
    return error_response(413, "request_too_large", f"the body is larger than {MAX_BODY_BYTES} bytes")
