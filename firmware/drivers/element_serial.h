// SPDX-License-Identifier: Apache-2.0
/* The element-serial function unit's operation inside a descriptor (ip/element_serial/regs.h). */
#pragma once

#include "core/abi/descriptor.h"
#include "ip/element_serial/regs.h"

static inline struct levee_es_operation*
element_serial_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_es_operation*)(void*)descriptor->operation;
}
