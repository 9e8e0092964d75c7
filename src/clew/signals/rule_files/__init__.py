"""Rule files of projects: standing rules read from them, and items written into them."""
