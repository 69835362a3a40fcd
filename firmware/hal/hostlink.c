// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/hostlink.h"

#include "core/abi/boot_info.h"
#include "firmware/hal/mmio.h"

#include <string.h>

static void put(uint32_t offset, uint32_t value)
{
    mmio_write32(LEVEE_HOSTLINK_BASE + offset, value);
}

_Noreturn void hostlink_exit(int code)
{
    put(LEVEE_HOSTLINK_EXIT, (uint32_t)code);
    for (;;)
        __asm__ volatile("wfi");
}

void hostlink_phase(enum levee_phase phase)
{
    put(LEVEE_HOSTLINK_PHASE, phase);
}

void hostlink_token(uint32_t sequence, uint32_t token)
{
    put(LEVEE_HOSTLINK_SEQUENCE, sequence);
    put(LEVEE_HOSTLINK_TOKEN, token);
}

static uint32_t open_kind; /* kind of the open part; 0: none */

static void mark(uint32_t kind, uint32_t index, uint32_t begins)
{
    put(LEVEE_HOSTLINK_MARK_KIND, kind);
    put(LEVEE_HOSTLINK_MARK_INDEX, index);
    put(LEVEE_HOSTLINK_MARK, begins);
}

void hostlink_begin(enum levee_mark kind, uint32_t index)
{
    open_kind = kind;
    mark(kind, index, 1);
}

void hostlink_times(int32_t times)
{
    put(LEVEE_HOSTLINK_MARK_TIMES, (uint32_t)times);
}

void hostlink_end(void)
{
    if (open_kind == 0)
        return;
    open_kind = 0;
    mark(0, 0, 0);
}

void hostlink_request(enum levee_request_event event, uint32_t number)
{
    put(LEVEE_HOSTLINK_REQUEST, number);
    put(LEVEE_HOSTLINK_REQUEST_EVENT, event);
}

void hostlink_stack(void* bottom, size_t bytes)
{
    put(LEVEE_HOSTLINK_STACK_BOTTOM, (uint32_t)(uintptr_t)bottom);
    put(LEVEE_HOSTLINK_STACK_TOP, (uint32_t)((uintptr_t)bottom + bytes));
}

static void metric(enum levee_metric_kind kind, const char* name, uint64_t bits)
{
    put(LEVEE_HOSTLINK_METRIC_NAME, (uint32_t)(uintptr_t)name);
    put(LEVEE_HOSTLINK_VALUE_LO, (uint32_t)bits);
    put(LEVEE_HOSTLINK_VALUE_HI, (uint32_t)(bits >> 32));
    put(LEVEE_HOSTLINK_METRIC, kind);
}

void hostlink_metric_u64(const char* name, uint64_t value)
{
    metric(LEVEE_METRIC_U64, name, value);
}

void hostlink_metric_f64(const char* name, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    metric(LEVEE_METRIC_F64, name, bits);
}
