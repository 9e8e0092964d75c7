"""The report of an audit as one HTML file: nothing is fetched, secrets are masked, and it works without scripts."""

from clew.audit.page.document import report_page

__all__ = ["report_page"]
