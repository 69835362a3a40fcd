// SPDX-License-Identifier: Apache-2.0
/* Controls inlining, so that a feature of the firmware costs no time in runs that do not use it.
 * Functions that several features share are inlined; functions of a single feature are not. */
#pragma once

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))
