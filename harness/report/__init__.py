"""One HTML file about one or several runs: no network, no build step, light and dark."""

from harness.report.page import write_report

__all__ = ["write_report"]
