"""Counts what a gateway did, as Prometheus text; labels come from closed sets only."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Metrics"]

BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


@dataclass(slots=True)
class Metrics:
    """Counters of one process."""

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    """(route, status) → requests."""
    readings: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(kind, reason) → questions."""
    seconds: Counter[float] = field(default_factory=Counter)
    """Upper bound of a bucket → decisions no slower than it."""
    total_s: float = 0.0
    decisions: int = 0

    def request(self, route: str, status: int) -> None:
        """Count one request."""
        self.requests[route, status] += 1

    def decision(self, elapsed_s: float) -> None:
        """Count one answered request and its time."""
        self.decisions += 1
        self.total_s += elapsed_s
        for bound in BUCKETS_S:
            if elapsed_s <= bound:
                self.seconds[bound] += 1

    def text(self) -> str:
        """Return every counter in the exposition format."""
        lines = ["# TYPE interlock_gateway_requests_total counter"]
        lines += [
            f'interlock_gateway_requests_total{{route="{route}",status="{status}"}} {count}'
            for (route, status), count in sorted(self.requests.items())
        ]
        lines.append("# TYPE interlock_gateway_readings_total counter")
        lines += [
            f'interlock_gateway_readings_total{{kind="{kind}",reason="{reason}"}} {count}'
            for (kind, reason), count in sorted(self.readings.items())
        ]
        lines.append("# TYPE interlock_gateway_seconds histogram")
        lines += [f'interlock_gateway_seconds_bucket{{le="{bound}"}} {self.seconds[bound]}' for bound in BUCKETS_S]
        lines.append(f'interlock_gateway_seconds_bucket{{le="+Inf"}} {self.decisions}')
        lines.append(f"interlock_gateway_seconds_sum {self.total_s:.6f}")
        lines.append(f"interlock_gateway_seconds_count {self.decisions}")
        return "\n".join(lines) + "\n"
