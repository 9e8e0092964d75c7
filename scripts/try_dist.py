"""Builds wheels and sdists of Clew and of its encoder into dist/, and tries them in empty environments: of this Python,
or with --all of every supported Python that is found on this machine.

The core is tried alone; then everything, ``clew[all]``, from a folder of wheels and no index. An sdist is tried by what
it builds: the same wheel, file by file.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
#: The distributions of this repository: Clew, and what its extra `embeddings` asks for.
SOURCES = (ROOT, ROOT / "packages" / "clew-encoder")
#: What a user does first. None of it may need anything beside the wheel and what it depends on.
TRIALS = (
    ["-c", "import clew; clew.open(':memory:').close()"],
    ["-m", "clew.cli", "--help"],
    ["-m", "clew.cli", "demo"],
)
#: What works with all extras: the encoder is found where it was installed, and loads.
ALL_TRIALS = (
    *TRIALS,
    ["-c", "from clew.signals.learned import encoder; assert encoder.is_installed(); encoder.encoder()"],
)
_BUILD = "import sys, hatchling.build as build; print(getattr(build, 'build_' + sys.argv[1])(sys.argv[2]))"


def main(arguments: list[str]) -> int:
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        wheel, _ = [build_distribution(source, Path(folder)) for source in SOURCES]
        here = {_version(sys.version_info): Path(sys.executable)}
        pythons = installed_pythons(supported_versions()) if "--all" in arguments else here
        for version, python in pythons.items():
            try_wheel(wheel, python, Path(folder) / version)
            print(f"{wheel.name} works with Python {version}")
            try_wheelhouse(python, Path(folder) / f"{version}-all")
            print(f"clew[all] works with Python {version}, from a folder of wheels")
    if "--all" in arguments:
        absent = [version for version in supported_versions() if version not in pythons]
        print(f"supported, but not on this machine: {', '.join(absent) or 'none'}")
    return 0


def build_distribution(source: Path, folder: Path) -> Path:
    """The wheel of a folder, beside its sdist in dist/."""
    wheel, sdist = build("wheel", source, DIST), build("sdist", source, DIST)
    ensure_same_files(wheel, build("wheel", unpacked(sdist, folder), folder / "again"))
    print(f"{sdist.name} builds the same wheel as the repository")
    return wheel


def build(kind: str, source: Path, target: Path) -> Path:
    """Runs the build backend that pyproject.toml names, without a network."""
    target.mkdir(parents=True, exist_ok=True)
    done = run([sys.executable, "-c", _BUILD, kind, target], cwd=source)
    return target / done.splitlines()[-1]


def unpacked(sdist: Path, folder: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return folder / sdist.name.removesuffix(".tar.gz")


def ensure_same_files(wheel: Path, other: Path) -> None:
    """Exits if the sdist lacks something that the repository has."""
    found = [{info.filename: info.CRC for info in zipfile.ZipFile(path).infolist()} for path in (wheel, other)]
    differ = sorted(name for name in found[0] | found[1] if found[0].get(name) != found[1].get(name))
    if differ:
        sys.exit(f"the wheel of the sdist differs from that of the repository: {', '.join(differ)}")


def supported_versions() -> list[str]:
    """The versions that pyproject.toml promises."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return re.findall(r"Python :: (3\.\d+)\b", "\n".join(project["classifiers"]))


def installed_pythons(versions: list[str]) -> dict[str, Path]:
    """The supported Pythons on this machine: on the path, or of pyenv."""
    found = {}
    for version in versions:
        named = [shutil.which(f"python{version}"), *pyenv_pythons(version)]
        if python := next((path for path in named if path and reported_version(path) == version), None):
            found[version] = Path(python)
    return found


def _version(info: tuple[object, ...]) -> str:
    return f"{info[0]}.{info[1]}"


def pyenv_pythons(version: str) -> list[Path]:
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return sorted(root.glob(f"versions/{version}.*/bin/python"))


def reported_version(python: str | Path) -> str:
    """What an interpreter says of itself; "" for one that does not start (a shim without its version)."""
    asked = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def try_wheel(wheel: Path, python: Path, folder: Path) -> None:
    """Installs the wheel with the locked dependencies into an empty environment, and starts it from elsewhere."""
    inner = new_environment(python, folder)
    run([*_pip(inner), "install", "--quiet", "--require-hashes", "-r", ROOT / "requirements" / "core.txt"])
    run([*_pip(inner), "install", "--quiet", "--no-deps", wheel])
    try_environment(inner, TRIALS)


def try_wheelhouse(python: Path, folder: Path) -> None:
    """Installs ``clew[all]`` from dist/ and a folder of the wheels that all extras need, and from nowhere else."""
    inner = new_environment(python, folder)
    house = folder / "wheelhouse"
    locked = ["--require-hashes", "-r", ROOT / "requirements" / "all.txt"]
    run([*_pip(inner), "download", "--quiet", "--only-binary", ":all:", "--dest", house, *locked])
    run([*_pip(inner), "install", "--quiet", "--no-index", "--find-links", house, "--find-links", DIST, "clew[all]"])
    try_environment(inner, ALL_TRIALS)


def new_environment(python: Path, folder: Path) -> Path:
    """The Python of an empty environment."""
    run([python, "-m", "venv", folder])
    return next(path for path in (folder / "bin" / "python", folder / "Scripts" / "python.exe") if path.exists())


def _pip(inner: Path) -> list[str | Path]:
    return [inner, "-m", "pip", "--disable-pip-version-check"]


def try_environment(inner: Path, trials: tuple[list[str], ...]) -> None:
    """Starts what is installed from another folder than the repository."""
    run([*_pip(inner), "check"])
    folder = inner.parent.parent
    own = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    for trial in trials:
        run([inner, "-W", "error::SyntaxWarning", *trial], cwd=folder, env=own)


def run(command: list[str | Path], *, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """What a command prints; exits with what it says if it fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLEW_", "PYTHONPATH"))}
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=kept | (env or {}), capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
