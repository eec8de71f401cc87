"""An HTML report of one or several runs: one file, no network, light and dark."""

from harness.report.page import write_report

__all__ = ["write_report"]
