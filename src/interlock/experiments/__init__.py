"""Experiments: two prompts that differ in one layer, compared on the same cases with honest statistics."""

from interlock.experiments.arms import ARMS, ArmName, Experiment, make_experiment
from interlock.experiments.cases import Case, cases_digest, read_cases
from interlock.experiments.online import online_outcomes
from interlock.experiments.outcomes import Outcome
from interlock.experiments.page import report_page
from interlock.experiments.report import ArmReport, Comparison, Report, make_report
from interlock.experiments.report_read import read_report
from interlock.experiments.results import ResultsFile
from interlock.experiments.runner import RunPlan, run_offline
from interlock.experiments.shown import report_json, report_table
from interlock.experiments.stats import Interval, mcnemar_exact, required_cases, wilson
from interlock.experiments.stopping import METRICS, Metric, Pairs, StopRule

__all__ = [
    "ARMS",
    "METRICS",
    "ArmName",
    "ArmReport",
    "Case",
    "Comparison",
    "Experiment",
    "Interval",
    "Metric",
    "Outcome",
    "Pairs",
    "Report",
    "ResultsFile",
    "RunPlan",
    "StopRule",
    "cases_digest",
    "make_experiment",
    "make_report",
    "mcnemar_exact",
    "online_outcomes",
    "read_cases",
    "read_report",
    "report_json",
    "report_page",
    "report_table",
    "required_cases",
    "run_offline",
    "wilson",
]
