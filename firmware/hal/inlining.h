// SPDX-License-Identifier: Apache-2.0
/* Where the compiler inlines. A firmware feature that a run does not use takes none of its time, so
 * functions that the feature shares stay inlined, and its own ones stay apart. */
#pragma once

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))
