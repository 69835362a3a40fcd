// SPDX-License-Identifier: Apache-2.0
/* Systolic evictor (Kelle, sections 4.1 and 5.3): registers (plain C, shared with firmware). It
 * finds the token that leaves; its operations on the KV tables are in ip/kv_tables/operations.h. */
#pragma once

#include "core/abi/command_regs.h"
#include "ip/kv_tables/operations.h"

#define LEVEE_BLOCK_SYSTOLIC_EVICTOR 5u /* number of this block in boot_info */

#define LEVEE_SE_ROWS 0x80u /* RO  importance registers: tokens a tile holds */
