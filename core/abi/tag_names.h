// SPDX-License-Identifier: Apache-2.0
/* Names of the tags in a program's descriptors, for timelines and messages. An ELF section, which
 * is not loaded, contains an array of these structures. The low 8 bits of a tag are a `number` in
 * this table, and the upper 24 bits are a layer. The simulated system does not read the names. */
#pragma once

#include <stdint.h>

#define LEVEE_TAG_SECTION ".levee.tags"
/* Defines an array of names in the ELF section. */
#define LEVEE_TAG_TABLE(table)                                                                     \
    static const struct levee_tag_name table[] __attribute__((section(LEVEE_TAG_SECTION), used))
#define LEVEE_TAG_NAME_BYTES 28u
#define LEVEE_TAG_NO_LAYER 0xFFFFFFu /* the tag belongs to no layer */
#define LEVEE_TAG(layer, number) ((uint32_t)(layer) << 8 | (number))

struct levee_tag_name {
    uint32_t number;                 /* 0 to 255 */
    char name[LEVEE_TAG_NAME_BYTES]; /* zero-terminated */
};
