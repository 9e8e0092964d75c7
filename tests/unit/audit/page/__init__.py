"""Tests of the audit's page."""
