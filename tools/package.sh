#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes packages of the built tree (./levee build), in out/packages:
#
#   tools/package.sh deb        a Debian package, for the release on which it is built
#   tools/package.sh tarball    a folder that runs anywhere, with the libraries that it needs
#   tools/package.sh wheel      for pip: the program, its data, and the package `levee`
#
# Tarball and wheel run on any x86-64 Linux with this machine's C library or a newer one. They need patchelf;
# the wheel needs python3-pip, python3-setuptools and python3-wheel, the Debian package needs dpkg-dev.
set -eu
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
cd "$root"
build=${LEVEE_BUILD:-build}
out=${LEVEE_PACKAGES:-out/packages}
python=${LEVEE_PYTHON:-/usr/bin/python3}
version=$(sed -n 's/^project(levee VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=levee-$version-linux-$(uname -m)
libraries=lib/levee/shared # third-party libraries in the tarball and the wheel

fail() {
    printf 'package.sh: %s\n' "$*" >&2
    exit 1
}

needs() {
    command -v "$1" >/dev/null || fail "'$1' is missing; on Debian: apt-get install $2"
}

# staged FOLDER installs the tree in FOLDER, with stripped programs and copies of the libraries. It does not copy the
# libraries of C and of the compiler, which every target system has in this or a newer version.
staged() {
    [ -d "$1" ] && return
    needs patchelf patchelf
    cmake --install "$build" --prefix "$1" >/dev/null
    strip "$1/bin/levee"
    find "$1/lib/levee/rtl" -name '*.so' -exec strip --strip-unneeded {} +
    mkdir -p "$1/$libraries"
    ldd "$1/bin/levee" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do
        case ${library##*/} in
        libc.so* | libm.so* | libgcc_s.so* | libstdc++.so*) ;;
        *) cp "$library" "$1/$libraries/" ;;
        esac
    done
    # libraries inherit the program's DT_RPATH, but not its DT_RUNPATH, so with DT_RPATH they also
    # find each other in that folder
    patchelf --force-rpath --set-rpath "\$ORIGIN/../$libraries" "$1/bin/levee"
}

deb() {
    needs dpkg-shlibdeps dpkg-dev
    (cd "$build" && cpack -G DEB -B "$out" >/dev/null)
    rm -rf "$out/_CPack_Packages"
}

tarball() {
    staged "$stage/$name"
    tar --sort=name --owner=0 --group=0 --numeric-owner -C "$stage" -czf "$out/$name.tar.gz" "$name"
}

# The wheel has the program, scenarios, models, firmware, its HAL, pages, and the files for `levee init`. It has no
# headers, no libraries to link, and no RTL to run.
wheel() {
    "$python" -c 'import setuptools, wheel, pip' 2>/dev/null ||
        fail "$python lacks pip, setuptools or wheel; on Debian: apt-get install python3-pip python3-setuptools python3-wheel"
    staged "$stage/$name"
    mkdir -p "$stage/wheel/data/share"
    for part in bin "$libraries" share/levee/scenarios share/levee/models share/levee/firmware share/levee/explore share/doc/levee \
        share/levee/hal lib/cmake/levee share/levee/source/platform/front/init share/levee/source/test/install/plugin \
        share/levee/source/firmware/apps share/levee/source/rtl/systolic_evictor share/levee/source/rtl/common; do
        mkdir -p "$stage/wheel/data/$part"
        cp -R "$stage/$name/$part/." "$stage/wheel/data/$part/"
    done
    cp -R python/levee "$stage/wheel/levee"
    cp tools/package/setup.py README.md LICENSE "$stage/wheel/"
    (cd "$stage/wheel" && LEVEE_VERSION=$version "$python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$out" .)
}

[ $# -gt 0 ] || fail "expected deb, tarball or wheel"
[ -x "$build/platform/levee" ] || fail "$build/platform/levee is not built; call ./levee build first"
mkdir -p "$out"
out=$(cd "$out" && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
for kind; do
    case $kind in
    deb | tarball | wheel) "$kind" ;;
    *) fail "'$kind' is not a kind of package; expected deb, tarball or wheel" ;;
    esac
done
ls -l "$out"
