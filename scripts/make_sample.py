"""Makes src/clew/samples/harbor.jsonl, the coding session that ships with Clew, from its story.

    python scripts/make_sample.py           writes the file
    python scripts/make_sample.py --check   only says whether it is up to date

The same story always gives the same bytes. Nothing in it is taken from a real session.
"""

from __future__ import annotations

import sys
from pathlib import Path

import harbor_story
from harbor_story.author import Author
from harbor_story.texts import sections

SAMPLE = Path(__file__).parent.parent / "src/clew/samples/harbor.jsonl"


def build() -> bytes:
    """The session file; ValueError when the story contradicts itself."""
    author = Author(sections("project.txt"), sections("outputs.txt"))
    harbor_story.tell(author)
    return author.file.dump()


def main() -> int:
    fresh = build()
    if "--check" in sys.argv[1:]:
        same = SAMPLE.exists() and SAMPLE.read_bytes() == fresh
        print("up to date" if same else f"{SAMPLE} differs from its story: run python scripts/make_sample.py")
        return 0 if same else 1
    SAMPLE.write_bytes(fresh)
    print(f"{SAMPLE}: {len(fresh.splitlines()):,} lines, {len(fresh):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
