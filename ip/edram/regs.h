// SPDX-License-Identifier: Apache-2.0
/* Registers of an eDRAM with its refresh and eviction controllers (Kelle, sections 4.2 and 5.1;
 * plain C, shared with firmware).
 *
 * The memory's `SIZE` bytes are read and written like any other memory. In layout `kv` the lower
 * half holds keys and the upper half values; a token's key and value are at the same offset in
 * both.
 *
 * Each 16-bit element is split: bits 15:8 are in an MSB bank, bits 7:0 in an LSB bank. Narrower
 * elements are likewise split into an upper and a lower half of their bits (REGION_BITS). A row is
 * ROW_BYTES of one bank. ROW_BYTES consecutive 16-bit elements, which are 2 x ROW_BYTES bytes of
 * memory, take one row in an MSB bank and one in an LSB bank. The next elements take rows of the
 * next banks. A refresh restores whole rows.
 *
 * The score register file follows the memory at SCORE_OFFSET. It has one byte per vector
 * (LEVEE_SE_VIEW_* of ip/kv_tables/operations.h), which determines the refresh group of the
 * vector's rows. */
#pragma once

#define LEVEE_BLOCK_EDRAM                                                                          \
    6u /* number of the controller in boot_info; it has the memory's name there */

#define LEVEE_EDRAM_ID 0x00u           /* RO  LEVEE_BLOCK_EDRAM */
#define LEVEE_EDRAM_CONTROL 0x04u      /* RW  CONTROL_* */
#define LEVEE_EDRAM_SIZE 0x08u         /* RO  bytes of the memory */
#define LEVEE_EDRAM_VALUES 0x0Cu       /* RO  offset of the values; 0: no halves (layout `plain`) */
#define LEVEE_EDRAM_SCORE_OFFSET 0x10u /* RO  offset of the register file */
#define LEVEE_EDRAM_SCORE_COUNT 0x14u  /* RO  entries (bytes) of the register file; 0: none */
#define LEVEE_EDRAM_VALID_ROWS 0x18u   /* RO  rows, in MSB and LSB banks, that hold data */
#define LEVEE_EDRAM_VIOLATIONS 0x1Cu   /* RO  always 0: no refresh is late */

/* Refresh interval of group g in ps; 0: never. Write the low word first; writing the high word
 * applies both. */
#define LEVEE_EDRAM_INTERVAL(g) (0x20u + 8u * (g)) /* RW */

/* Refreshes of rows of group g since reset: low word, then high word. */
#define LEVEE_EDRAM_REFRESHES(g) (0x40u + 8u * (g)) /* RO */

#define LEVEE_EDRAM_ROW_BYTES 0x60u /* RO  bytes of a row of one bank */

enum levee_edram_group {
    LEVEE_EDRAM_HIGH_MSB = 0, /* Tokens with a high score, bits 15:8. */
    LEVEE_EDRAM_HIGH_LSB = 1,
    LEVEE_EDRAM_LOW_MSB = 2, /* low-score tokens */
    LEVEE_EDRAM_LOW_LSB = 3,
    LEVEE_EDRAM_GROUPS = 4
};

/* Regions define which vectors the entries of the register file describe. Region r has VECTORS
 * vectors of VECTOR_BYTES each, starting at OFFSET. In layout `kv` they are at OFFSET of both
 * halves, unless OFFSET is in the upper half. Vector i has entry FIRST_ENTRY + i. A row with
 * several vectors is HIGH if any vector is. A row without vectors, or in a region with NO_ENTRIES,
 * is HIGH. A write to VECTORS activates the region. */
#define LEVEE_EDRAM_REGIONS 4u
#define LEVEE_EDRAM_REGION_OFFSET(r) (0x80u + 16u * (r))       /* RW */
#define LEVEE_EDRAM_REGION_VECTOR_BYTES(r) (0x84u + 16u * (r)) /* RW */
#define LEVEE_EDRAM_REGION_FIRST_ENTRY(r) (0x88u + 16u * (r))  /* RW */
#define LEVEE_EDRAM_REGION_VECTORS(r) (0x8Cu + 16u * (r))      /* RW  0: none */

/* Value of FIRST_ENTRY for a region without entries in the register file. */
#define LEVEE_EDRAM_NO_ENTRIES 0xFFFFFFFFu

/* Bits of an element in region r: 16, 8 or 4 (two per byte, low nibble first). Outside regions
 * elements have 16 bits. The value takes effect with the write to VECTORS, when the region must
 * hold no data. The MSB bank holds the upper half of an element's bits, the LSB bank the lower
 * half. Each bank therefore holds 16 bytes of every 32 bytes of memory. If two regions share an
 * aligned block of 32 bytes, the last write to VECTORS decides its element width. If that write
 * removes a region, the block has 16-bit elements. */
#define LEVEE_EDRAM_REGION_BITS(r) (0xC0u + 4u * (r)) /* RW */

#define LEVEE_EDRAM_CONTROL_FORGET 0x1u /* Invalidates everything stored; reads as 0. */
