# SPDX-License-Identifier: Apache-2.0
"""Makes Levee's wheel in a folder that tools/package.sh has filled: levee/ is the package, and data/ has the files
of an installed tree. pip puts data/ into the environment itself, so the program is the environment's bin/levee
and finds its data relative to it."""
import os
import pathlib
import platform

from setuptools import setup
from wheel.bdist_wheel import bdist_wheel


class PlatformWheel(bdist_wheel):
    """A wheel for every Python 3, and for machines with this C library or a newer one (PEP 600)."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        library = platform.libc_ver()[1].replace(".", "_")
        return "py3", "none", f"manylinux_{library}_{platform.machine()}"


def data_files(folder):
    return [(str(at.relative_to(folder)), [str(file) for file in sorted(at.iterdir()) if file.is_file()])
            for at in [folder, *sorted(folder.rglob("*"))] if at.is_dir()]


setup(
    name="levee",
    version=os.environ["LEVEE_VERSION"],
    description="Virtual platform for edge-LLM accelerators",
    long_description=pathlib.Path("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.8",
    packages=["levee"],
    package_data={"levee": ["py.typed"]},
    data_files=data_files(pathlib.Path("data")),
    extras_require={"frames": ["pandas", "matplotlib"]},
    cmdclass={"bdist_wheel": PlatformWheel},
)
