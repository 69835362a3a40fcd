// SPDX-License-Identifier: Apache-2.0
/* levee_workload.forgets: treatment of a conversation's cache in a long pause. A pause is long if
 * it exceeds pause_ticks of the extra levee_turn after the last one. */
#pragma once

enum levee_long_pause {
    LEVEE_PAUSE_KEEPS = 0,   /* The cache stays in place. */
    LEVEE_PAUSE_FORGETS = 1, /* The cache is released. */
    LEVEE_PAUSE_SAVES = 2    /* The cache is saved in the memory that begins at the extra turn's
                                token_address, and copied back for the next prompt. */
};
