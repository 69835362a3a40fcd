// SPDX-License-Identifier: Apache-2.0
/* eDRAM with its refresh and eviction controllers (Kelle, sections 4.2 and 5.1): registers (plain
 * C, shared with firmware).
 *
 * The memory itself, `SIZE` bytes, is read and written like any other. In layout `kv` its lower
 * half holds keys and its upper half values; what belongs together lies at the same offset in both.
 * Each 16-bit element is split: bits 15:8 in an MSB bank, 7:0 in an LSB bank, at the same address;
 * narrower ones likewise into an upper and a lower half of their bits (REGION_BITS). A row is
 * ROW_BYTES of one bank: as many consecutive elements (twice as many bytes of memory) take one row
 * in an MSB and one in an LSB bank, the next ones rows of the next banks. Rows are refreshed whole.
 * After the memory, from SCORE_OFFSET on, lies the score register file: one byte per vector
 * (LEVEE_SE_VIEW_* of ip/kv_tables/operations.h), which decides its rows' refresh group.
 */
#pragma once

#define LEVEE_BLOCK_EDRAM                                                                          \
    6u /* a controller's number in boot_info; the block has the memory's name */

#define LEVEE_EDRAM_ID 0x00u      /* RO  LEVEE_BLOCK_EDRAM */
#define LEVEE_EDRAM_CONTROL 0x04u /* RW  CONTROL_* */
#define LEVEE_EDRAM_SIZE 0x08u    /* RO  bytes of the memory */
#define LEVEE_EDRAM_VALUES 0x0Cu  /* RO  offset of the values, 0: not divided (layout `plain`) */
#define LEVEE_EDRAM_SCORE_OFFSET 0x10u /* RO  of the register file, from the memory's base */
#define LEVEE_EDRAM_SCORE_COUNT 0x14u  /* RO  its entries (bytes); 0: none */
#define LEVEE_EDRAM_VALID_ROWS 0x18u   /* RO  rows (of both significances) that hold data now */
#define LEVEE_EDRAM_VIOLATIONS 0x1Cu   /* RO  0: no refresh is late */

/* Refresh intervals in picoseconds, low word then high word (which takes effect); 0: never. */
#define LEVEE_EDRAM_INTERVAL(g) (0x20u + 8u * (g)) /* RW */

/* Refreshes of rows since reset, low word then high word. */
#define LEVEE_EDRAM_REFRESHES(g) (0x40u + 8u * (g)) /* RO */

#define LEVEE_EDRAM_ROW_BYTES 0x60u /* RO  bytes of a row of one bank */

enum levee_edram_group {
    LEVEE_EDRAM_HIGH_MSB = 0, /* high-score tokens, bits 15:8 */
    LEVEE_EDRAM_HIGH_LSB = 1,
    LEVEE_EDRAM_LOW_MSB = 2, /* low-score tokens */
    LEVEE_EDRAM_LOW_LSB = 3,
    LEVEE_EDRAM_GROUPS = 4
};

/* Vectors that the register file's entries describe. Region r has VECTORS vectors of
 * VECTOR_BYTES each from OFFSET on (in layout `kv`, at OFFSET of both halves unless it lies in
 * the upper one); vector i has entry FIRST_ENTRY + i. A row of several vectors is HIGH if one of
 * them is; a row without vectors, or in a region with NO_ENTRIES, is HIGH. Writing VECTORS
 * activates the region. */
#define LEVEE_EDRAM_REGIONS 4u
#define LEVEE_EDRAM_REGION_OFFSET(r) (0x80u + 16u * (r))       /* RW */
#define LEVEE_EDRAM_REGION_VECTOR_BYTES(r) (0x84u + 16u * (r)) /* RW */
#define LEVEE_EDRAM_REGION_FIRST_ENTRY(r) (0x88u + 16u * (r))  /* RW */
#define LEVEE_EDRAM_REGION_VECTORS(r) (0x8Cu + 16u * (r))      /* RW  0: none */

/* Value of FIRST_ENTRY for a region without entries in the register file. */
#define LEVEE_EDRAM_NO_ENTRIES 0xFFFFFFFFu

/* Bits of an element in region r: 16, as they are outside regions, 8 or 4 (two a byte, low nibble
 * first). VECTORS takes this over, too, which is to be written while the region holds no data. The
 * upper half of an element's bits is in the MSB bank, the lower half in the LSB bank: of 32 bytes
 * of memory each has 16 bytes. Where regions meet within 32 bytes, the later one's VECTORS counts,
 * one that removes a region included: these 32 bytes are of 16 bits then. */
#define LEVEE_EDRAM_REGION_BITS(r) (0xC0u + 4u * (r)) /* RW */

#define LEVEE_EDRAM_CONTROL_FORGET 0x1u /* everything stored is invalid now; reads as 0 */
