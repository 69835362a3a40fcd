// SPDX-License-Identifier: Apache-2.0
#include "firmware/llm/operation.h"

#include "firmware/hal/fatal.h"

void operation_append(struct operation_list* list, const struct operation* operation)
{
    if (list->count == list->capacity)
        fatal(EXIT_REFUSED, "a list of operations is full: it has space for %lu",
              (unsigned long)list->capacity);
    list->operations[list->count++] = *operation;
}
