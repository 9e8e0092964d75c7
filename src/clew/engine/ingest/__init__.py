"""The way in: decodes what callers and files hand over, and records it through one recorder."""
