"""Project rules: standing rules read from a project's rule files, and items written into them."""
