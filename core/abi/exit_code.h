// SPDX-License-Identifier: Apache-2.0
/* Exit codes of Levee's firmware. */
#pragma once

enum exit_code {
    EXIT_OK = 0,
    EXIT_REFUSED = 1,  /* the system, the model or the workload does not support the run */
    EXIT_BLOCK = 3,    /* an accelerator block raised its error interrupt */
    EXIT_EXCEPTION = 4 /* the core took an exception */
};
