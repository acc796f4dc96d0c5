"""Whether a connection failed because a certificate does not verify, which no retry can mend."""

from __future__ import annotations

import ssl

__all__ = ["is_certificate_error"]


def is_certificate_error(error: BaseException) -> bool:
    """Tell whether a certificate that does not verify is among the causes of `error`."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLCertVerificationError):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
