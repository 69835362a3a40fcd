// SPDX-License-Identifier: Apache-2.0
/* Values of levee_workload.forgets, which state how a long pause affects a conversation's cache. A
 * pause is long if it exceeds pause_ticks in the extra levee_turn that follows the last turn. */
#pragma once

enum levee_long_pause {
    LEVEE_PAUSE_KEEPS = 0,   /* the cache stays in place */
    LEVEE_PAUSE_FORGETS = 1, /* the cache is released */
    LEVEE_PAUSE_SAVES = 2    /* the cache is saved to memory at the extra turn's token_address, and
                                copied back before the next prompt */
};
