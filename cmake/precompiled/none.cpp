// SPDX-License-Identifier: Apache-2.0
// An empty source file, compiled only for its precompiled header: CMake builds such a header only
// for a target that has a source.
