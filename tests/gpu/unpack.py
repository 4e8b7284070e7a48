"""Puts a wheel into an environment, and the running Python's packages behind it.

    unpack.py WHEEL SITE

A wheel is an archive, and this needs no pip. SITE comes to see the packages of the interpreter that
runs this, so PyTorch is found without being installed again.
"""

from __future__ import annotations

import site
import sys
import zipfile
from pathlib import Path


def unpack(wheel: Path, target: Path) -> None:
    """Unpacks a wheel; what it keeps apart for the root of packages comes there."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            inside = Path(name)
            if inside.is_absolute() or ".." in inside.parts or name.endswith("/"):
                continue
            if inside.parts[0].endswith(".data"):
                if inside.parts[1] not in ("purelib", "platlib"):
                    continue
                inside = Path(*inside.parts[2:])
            place = target / inside
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(archive.read(name))


def behind() -> list[str]:
    """Folders of packages that the running Python sees."""
    folders = [*site.getsitepackages(), site.getusersitepackages()]
    listed = [folder for folder in sys.path if folder.endswith(("-packages",))]
    return [one for one in dict.fromkeys([*listed, *folders]) if Path(one).is_dir()]


if __name__ == "__main__":
    target = Path(sys.argv[2])
    unpack(Path(sys.argv[1]), target)
    lines = [f"import site; site.addsitedir({folder!r})" for folder in behind()]
    (target / "zz-behind.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
