"""Tells whether Clew can be installed beside popular packages, each in its newest version: the core, and every extra.

``python scripts/check_neighbours.py [PACKAGE…]`` asks the package index through uv, so it needs a network and stands
outside the test suite. A neighbour that is found only in an older version than it has alone counts as a conflict.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
NEIGHBOURS = (
    *("mlflow", "dspy", "langchain", "langgraph", "llama-index-core", "haystack-ai", "crewai", "autogen-agentchat"),
    *("openai", "anthropic", "google-genai", "litellm", "openai-agents", "pydantic-ai", "google-adk", "mcp"),
    *("transformers", "torch", "sentence-transformers", "pandas", "streamlit", "gradio", "jupyterlab", "fastapi"),
    *("django", "apache-airflow", "ray", "celery", "chromadb", "wandb", "instructor", "smolagents"),
)
#: For measuring and development; nobody installs them beside an application.
_NOT_ASKED = {"dev", "local-llm", "all"}
#: Installed from this repository; it depends on nothing.
_OURS = "clew-encoder"


def main(arguments: list[str]) -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    failed = 0
    for neighbour in arguments or NEIGHBOURS:
        alone, told = resolve([neighbour])
        conflicts = find_conflicts(neighbour, alone, project) if alone else [f"not found alone: {told}"]
        failed += bool(conflicts)
        print(
            f"{neighbour} {alone.get(neighbour, '?')}: {'; '.join(conflicts) or 'fits, with every extra'}", flush=True
        )
    return int(failed > 0)


def find_conflicts(neighbour: str, alone: dict[str, str], project: dict) -> list[str]:
    """The extras that a package does not fit beside, "core" for Clew itself. Where all fit at once, each does."""
    extras = project["optional-dependencies"]
    wanted = [name for name in extras if name not in _NOT_ASKED]
    if not conflict(neighbour, alone, dependencies(project, "all")):
        wanted = [name for name in wanted if name not in _names(extras["all"])]
    elif found := conflict(neighbour, alone, dependencies(project)):
        return [f"core: {found}"]
    told = {name: conflict(neighbour, alone, dependencies(project, name)) for name in wanted}
    return [f"{name}: {found}" for name, found in told.items() if found]


def conflict(neighbour: str, alone: dict[str, str], ours: list[str]) -> str:
    """Why a package does not fit beside what Clew needs; "" if it does."""
    together, told = resolve([neighbour, *ours])
    if together.get(neighbour) == alone[neighbour]:
        return ""
    return f"{neighbour} {together[neighbour]}" if together else told


def dependencies(project: dict, extra: str = "") -> list[str]:
    """What the core needs, and an extra, with the extras it names."""
    needed = list(project["dependencies"])
    for line in project["optional-dependencies"][extra] if extra else []:
        if line.startswith("clew["):
            needed += [one for name in _names([line]) for one in dependencies(project, name)]
        elif not line.startswith(_OURS):
            needed.append(line)
    return sorted(set(needed))


def _names(lines: list[str]) -> list[str]:
    return [name for line in lines if line.startswith("clew[") for name in line[5:].split("]")[0].split(",")]


def resolve(wanted: list[str]) -> tuple[dict[str, str], str]:
    """Versions that go together; none, and what the resolver says, if there are none."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "-", "--python-version", "3.11", "--no-annotate", "-q"]
    done = subprocess.run(command, input="\n".join(wanted), capture_output=True, text=True, check=False)
    versions = dict(re.findall(r"^([\w.-]+)==(\S+)", done.stdout, re.MULTILINE))
    return versions, " ".join(done.stderr.split())[-300:]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
