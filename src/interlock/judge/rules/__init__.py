"""The rule judge: answers from structured facts of the frame, abstains from everything else."""

from interlock.judge.rules.judge import RuleJudge

__all__ = ["RuleJudge"]
