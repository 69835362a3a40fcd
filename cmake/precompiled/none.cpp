// SPDX-License-Identifier: Apache-2.0
// Nothing but the precompiled header it is compiled with: CMake builds one for a target with a
// source.
