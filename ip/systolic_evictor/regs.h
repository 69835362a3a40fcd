// SPDX-License-Identifier: Apache-2.0
/* Registers of the systolic evictor (Kelle, sections 4.1 and 5.3; plain C, shared with firmware).
 * The evictor finds the token to evict. ip/kv_tables/operations.h defines its operations on the KV
 * tables. */
#pragma once

#include "core/abi/command_regs.h"
#include "ip/kv_tables/operations.h"

#define LEVEE_BLOCK_SYSTOLIC_EVICTOR 5u

#define LEVEE_SE_ROWS 0x80u /* RO  number of importance registers: tokens of a tile */
