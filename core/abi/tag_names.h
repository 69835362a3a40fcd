// SPDX-License-Identifier: Apache-2.0
/* Names of the tags in a program's descriptors, for timelines and messages: an ELF section, not
 * loaded, with an array of these. A tag's low 8 bits are a number of the table and its upper 24
 * a layer. Nothing in the simulated system reads the names. */
#pragma once

#include <stdint.h>

#define LEVEE_TAG_SECTION ".levee.tags"
/* Defines an array of names in that section. */
#define LEVEE_TAG_TABLE(table)                                                                     \
    static const struct levee_tag_name table[] __attribute__((section(LEVEE_TAG_SECTION), used))
#define LEVEE_TAG_NAME_BYTES 28u
#define LEVEE_TAG_NO_LAYER 0xFFFFFFu /* the model's own */
#define LEVEE_TAG(layer, number) ((uint32_t)(layer) << 8 | (number))

struct levee_tag_name {
    uint32_t number;                 /* 0 to 255 */
    char name[LEVEE_TAG_NAME_BYTES]; /* ends with a 0 */
};
