// SPDX-License-Identifier: Apache-2.0
/* What becomes of a conversation's cache in a pause that is longer than the one in which it stays
 * where it is: levee_workload.forgets. The longest one is pause_ticks of the levee_turn that
 * follows the last one. */
#pragma once

enum levee_long_pause {
    LEVEE_PAUSE_KEEPS = 0,   /* it stays anyway */
    LEVEE_PAUSE_FORGETS = 1, /* it is given up */
    LEVEE_PAUSE_SAVES = 2    /* it is saved in the memory whose first byte is at that turn's
                                token_address, and brought back with the next prompt */
};
