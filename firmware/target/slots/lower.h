// SPDX-License-Identifier: Apache-2.0
/* Copies and fills by a DMA engine: for slot tables and staged vectors (tables.c), for the tokens
 * kept from a prefill (gather.c), and for stored inputs (inputs.c). */
#pragma once

#include "firmware/target/lower.h"

lower_operation lower_snapshot, lower_stage_slots, lower_skip_stored, lower_redirect,
    lower_undirect, lower_write_back, lower_reset_tables, lower_reset_next, lower_reset_redirect,
    lower_reset_importance, lower_mark_local;
lower_operation lower_gather_vectors, lower_gather_scales;
lower_operation lower_store_input, lower_fetch_inputs, lower_gather_inputs, lower_reset_holders,
    lower_reset_inputs, lower_reset_input_scales;
lower_operation patch_fetch_inputs;
