// SPDX-License-Identifier: Apache-2.0
#include "test/unit/firmware/fake_platform.h"

#include "firmware/drivers/cam.h"
#include "firmware/drivers/command_queue.h"
#include "firmware/drivers/cpq.h"
#include "firmware/drivers/edram.h"
#include "firmware/drivers/evictor.h"
#include "firmware/drivers/reram.h"
#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/drivers/veda.h"
#include "firmware/drivers/voting_engine.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "firmware/session/score.h"
#include "firmware/session/session.h"
#include "ip/element_serial/regs.h"
#include "ip/flash/regs.h"
#include "test/unit/firmware/fake_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_BYTES 65536u
#define TOKENS_BYTES 65536u
#define HEAP_BYTES (1u << 20)
#define STUCK 99
#define ENTRY_BYTES 32u /* of an eDRAM, for each entry of its register file */
#define SRAM_BASE 0x20000000ull
#define EDRAM_BASE 0x30000000ull
#define MORE_KV_BASE(i) (EDRAM_BASE + 0x1000000ull * ((i) + 1))

/* One unit's queue as the block sees it. */
struct fake_queue {
    const struct levee_descriptor* pending[1024];
    uint32_t head, tail;
};

static struct {
    jmp_buf end;
    struct fake_outcome* outcome;
    struct levee_boot_info info;
    uint8_t* backing; /* image, then token ids and sequences */
    uint8_t* heap;
    size_t heap_bytes, heap_used;
    struct fake_queue queues[FAKE_UNITS];
    struct command_queue* drivers[FAKE_UNITS];
    uint32_t counters[FAKE_UNITS];
    uint8_t unit_of_counter[FAKE_UNITS]; /* in the order in which queues are opened */
    uint32_t opened;
    uint32_t armed_counter, armed_value;
    bool armed, reached, interrupt, rsa_first;
    uint32_t voting_capacity, cam_rows, queue_depth, input_rows_used, input_rows_grow,
        activation_edram, first_kv_undivided, passes;
    bool plain;       /* the eDRAM with the role kv is not divided */
    uint32_t divided; /* bit i: more_kv[i] */
    struct levee_block_info controllers[FAKE_EDRAMS];
    uint64_t sz_bytes;
    uint64_t load_bytes_per_second;
    uint64_t elements_per_second;
    int32_t step, recorded_from;
} fake;

_Noreturn void fatal(enum exit_code code, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fake.outcome->message, sizeof fake.outcome->message, format, arguments);
    va_end(arguments);
    longjmp(fake.end, code);
}

const struct levee_boot_info* system_info(void)
{
    return &fake.info;
}

uint32_t system_kv_bits(void)
{
    return fake.info.codes.bits != 0 ? fake.info.codes.bits : SYSTEM_KV_BITS;
}

const struct levee_memory_info* system_memory(uint32_t roles)
{
    for (uint32_t i = 0; i < fake.info.memory_count; ++i)
        if (fake.info.memories[i].roles & roles)
            return &fake.info.memories[i];
    return NULL;
}

const struct levee_block_info* system_block(enum levee_block_type type)
{
    for (uint32_t i = 0; i < fake.info.block_count; ++i)
        if (fake.info.blocks[i].type == (uint32_t)type)
            return &fake.info.blocks[i];
    return NULL;
}

const struct levee_block_info* system_block_after(const struct levee_block_info* block)
{
    for (uint32_t i = (uint32_t)(block - fake.info.blocks) + 1; i < fake.info.block_count; ++i)
        if (fake.info.blocks[i].type == block->type)
            return &fake.info.blocks[i];
    return NULL;
}

uint32_t rsa_pe_count(const struct levee_block_info* array)
{
    (void)array;
    return 1024;
}

uint32_t rsa_count(void)
{
    uint32_t count = 0;
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    for (; array != NULL; array = system_block_after(array))
        count += array->shares == 0;
    return count;
}

uint32_t rsa_columns(void)
{
    return 32;
}

uint32_t rsa_hz(void)
{
    return 1000000000;
}

uint64_t rsa_load_bytes_per_second(void)
{
    return fake.load_bytes_per_second;
}

uint32_t voting_capacity(void)
{
    return fake.voting_capacity;
}

struct cam_build cam_build(void)
{
    return (struct cam_build){fake.cam_rows, 64, 1, 4};
}

uint64_t cam_rows(const struct cam_build* build, uint32_t cells)
{
    (void)cells;
    return build->rows;
}

uint64_t cpq_sz_bytes(void)
{
    return fake.sz_bytes;
}

/* There are no crossbars. */
uint32_t reram_register(uint32_t offset)
{
    (void)offset;
    return 0;
}

uint32_t reram_units(uint32_t rows, uint32_t columns, uint32_t bits)
{
    (void)rows, (void)columns, (void)bits;
    return 0;
}

uint64_t sfu_elements_per_second(void)
{
    return fake.elements_per_second;
}

uint32_t veda_arrays(const struct levee_block_info* block)
{
    (void)block;
    return 2;
}

uint32_t veda_lanes(const struct levee_block_info* block)
{
    (void)block;
    return 64;
}

uint32_t rsa_passes(void)
{
    return fake.passes;
}

uint32_t rsa_reads(uint32_t rows, uint32_t columns)
{
    (void)rows;
    return columns / rsa_columns() + 1;
}

bool rsa_hides_loads(uint32_t rows)
{
    (void)rows;
    return true;
}

void rsa_set_ring(const struct levee_block_info* array, enum rsa_ring ring,
                  const struct rsa_ring_place* place)
{
    (void)array;
    fake.outcome->rings[ring].address = place->address;
    fake.outcome->rings[ring].bytes = place->bytes;
    fake.outcome->rings[ring].stride = place->stride;
    ++fake.outcome->rings[ring].writes;
}

/* Of the outcome's edrams; FAKE_EDRAMS: the memory is not one. */
static uint32_t edram_index(const struct levee_memory_info* memory)
{
    if (memory->base == EDRAM_BASE)
        return fake.first_kv_undivided ? FAKE_EDRAMS : 0;
    for (uint32_t i = 0; i < FAKE_MORE_KV; ++i)
        if ((fake.divided >> i & 1u) != 0 && memory->base == MORE_KV_BASE(i))
            return 1 + i;
    const bool holds_activations = memory->base == SRAM_BASE && fake.activation_edram;
    return holds_activations ? FAKE_ACTIVATION_EDRAM : FAKE_EDRAMS;
}

void edram_open(struct edram* edram, const struct levee_memory_info* memory)
{
    *edram = (struct edram){0};
    const uint32_t index = memory != NULL ? edram_index(memory) : FAKE_EDRAMS;
    if (index == FAKE_EDRAMS)
        return;
    edram->block = &fake.controllers[index];
    if (index == FAKE_ACTIVATION_EDRAM)
        return;
    edram->values = index == 0 && fake.plain ? 0 : memory->size / 2;
    edram->scores = memory->size;
    edram->score_count = (uint32_t)(memory->size / ENTRY_BYTES);
}

static struct fake_edram* told(const struct edram* edram)
{
    return &fake.outcome->edrams[edram->block - fake.controllers];
}

void edram_set_interval(const struct edram* edram, enum levee_edram_group group, uint64_t ps)
{
    (void)group;
    if (edram->block != NULL && ps != 0)
        ++told(edram)->intervals;
}

void edram_set_region(const struct edram* edram, unsigned number, const struct edram_region* region)
{
    if (number == 0 && region->first_entry != LEVEE_EDRAM_NO_ENTRIES)
        told(edram)->described = region->vectors;
}

void edram_forget(const struct edram* edram)
{
    if (edram->block != NULL)
        ++told(edram)->forgets;
}

uint64_t bus_address(const void* object)
{
    return (uintptr_t)object;
}

uintptr_t core_window(uint64_t address, uint64_t bytes)
{
    const uint64_t base = (uintptr_t)fake.backing;
    const bool inside = address >= base && address + bytes <= base + IMAGE_BYTES + TOKENS_BYTES;
    return inside ? (uintptr_t)address : 0;
}

void copy_in(void* destination, uint64_t address, size_t bytes, const char* what)
{
    if (core_window(address, bytes) == 0)
        fatal(EXIT_REFUSED, "%s is outside the window", what);
    memcpy(destination, (const void*)(uintptr_t)address, bytes);
}

void* heap_take(size_t bytes, const char* what)
{
    const size_t rounded = (bytes + 63) & ~(size_t)63;
    if (rounded > fake.heap_bytes - fake.heap_used)
        fatal(EXIT_REFUSED, "%s needs %zu bytes", what, bytes);
    void* block = fake.heap + fake.heap_used;
    fake.heap_used += rounded;
    return block;
}

void hostlink_phase(enum levee_phase phase)
{
    (void)phase;
}

void hostlink_begin(enum levee_mark kind, uint32_t index)
{
    (void)kind, (void)index;
}

void hostlink_end(void) {}

void hostlink_metric_u64(const char* name, uint64_t value)
{
    if (strcmp(name, "kv.slots") == 0)
        fake.outcome->reported_slots = value;
}

void hostlink_metric_f64(const char* name, double value)
{
    (void)name, (void)value;
}

void sync_open(void) {}

uint32_t sync_counters(void)
{
    return FAKE_UNITS;
}

uint32_t sync_read(uint32_t counter)
{
    return fake.counters[counter];
}

void sync_set(uint32_t counter, uint32_t value)
{
    fake.counters[counter] = value;
}

static void compare(void)
{
    if (fake.armed && (int32_t)(fake.counters[fake.armed_counter] - fake.armed_value) >= 0) {
        fake.armed = false;
        fake.reached = true;
        fake.interrupt = true;
    }
}

void sync_arm(uint32_t counter, uint32_t value)
{
    fake.armed_counter = counter;
    fake.armed_value = value;
    fake.armed = true;
    fake.reached = false;
    compare();
}

int sync_reached(void)
{
    return fake.reached;
}

static unsigned unit_of_array(const struct levee_block_info* block)
{
    unsigned before = 0;
    if (block->shares != 0)
        return FAKE_RSA_KV;
    for (const struct levee_block_info* other = fake.info.blocks; other != block; ++other)
        before += other->type == LEVEE_BLOCK_RSA && other->shares == 0;
    return before == 0 ? FAKE_RSA : FAKE_MORE_ARRAYS + before - 1;
}

/* The first of a type's units, or the one after it. */
static unsigned unit_of_group(unsigned first, const struct levee_block_info* block)
{
    return first + (system_block((enum levee_block_type)block->type) != block);
}

static unsigned unit_of(const struct levee_block_info* block)
{
    switch (block->type) {
    case LEVEE_BLOCK_VEDA:
        return unit_of_group(FAKE_VEDA, block);
    case LEVEE_BLOCK_ELEMENT_SERIAL:
        return unit_of_group(FAKE_SERIAL, block);
    case LEVEE_BLOCK_VOTING_ENGINE:
        return FAKE_VOTING;
    case LEVEE_BLOCK_CAM:
        return FAKE_CAM;
    case LEVEE_BLOCK_RSA:
        return unit_of_array(block);
    case LEVEE_BLOCK_SFU:
        return FAKE_SFU;
    case LEVEE_BLOCK_DMA:
        return FAKE_DMA;
    case LEVEE_BLOCK_FLASH:
        return FAKE_FLASH;
    default:
        return FAKE_SE;
    }
}

void command_queue_open(struct command_queue* queue, enum levee_block_type type, const char* what)
{
    command_queue_open_block(queue, system_block(type), what);
}

void command_queue_open_block(struct command_queue* queue, const struct levee_block_info* block,
                              const char* what)
{
    if (block == NULL)
        fatal(EXIT_REFUSED, "this system has no %s", what);
    queue->block = block;
    queue->depth = fake.queue_depth;
    queue->submitted = queue->done = 0;
    fake.drivers[unit_of(block)] = queue;
    fake.unit_of_counter[fake.opened++] = (uint8_t)unit_of(block);
}

uint32_t command_queue_room(struct command_queue* queue, uint32_t wanted)
{
    (void)wanted;
    return queue->depth - (queue->submitted - queue->done);
}

void command_queue_submit(struct command_queue* queue, const struct levee_descriptor* first,
                          uint32_t count)
{
    struct fake_queue* fifo = &fake.queues[unit_of(queue->block)];
    if (count > command_queue_room(queue, count))
        fatal((enum exit_code)STUCK, "more descriptors than the queue takes");
    for (uint32_t i = 0; i < count; ++i)
        fifo->pending[fifo->tail++ % 1024] = first + i;
    queue->submitted += count;
    ++fake.outcome->doorbells;
}

static bool ready(const struct levee_descriptor* descriptor)
{
    for (unsigned i = 0; i < 4; ++i) {
        const uint8_t counter = descriptor->wait_counter[i];
        if (counter != LEVEE_NO_COUNTER &&
            (int32_t)(fake.counters[counter] - descriptor->wait_value[i]) < 0)
            return false;
    }
    return true;
}

/* Picks are small ids, so that the next embedding has something to look up. */
static void write_picks(const struct levee_sfu_operation* operation)
{
    for (uint32_t entry = 0; entry < operation->outer[0]; ++entry)
        for (uint32_t row = 0; row < operation->rows; ++row) {
            struct pick* pick =
                (void*)(uintptr_t)(operation->out + entry * (uint64_t)operation->out_stride[0] +
                                   row * (uint64_t)operation->out_stride[2]);
            pick->index = (pick->index + 1) % 7;
        }
}

/* As many rows of stored inputs in use as the job says. */
static void write_used(const struct levee_se_operation* operation)
{
    if (operation->formats == 0)
        return;
    const struct levee_se_formats* formats = (const void*)(uintptr_t)operation->formats;
    for (uint32_t entry = 0; entry < operation->outer[0]; ++entry)
        *(uint32_t*)(uintptr_t)(formats->used + 4 * entry) =
            fake.input_rows_used + fake.input_rows_grow * (uint32_t)(fake.step + 1);
}

/* The descriptor with units instead of the counters that firmware gives them. */
static struct levee_descriptor with_units(const struct levee_descriptor* descriptor)
{
    struct levee_descriptor named = *descriptor;
    for (unsigned i = 0; i < LEVEE_DESCRIPTOR_WAITS; ++i)
        if (named.wait_counter[i] != LEVEE_NO_COUNTER)
            named.wait_counter[i] = fake.unit_of_counter[named.wait_counter[i]];
    for (unsigned i = 0; i < 2; ++i)
        if (named.signal_counter[i] != LEVEE_NO_COUNTER)
            named.signal_counter[i] = fake.unit_of_counter[named.signal_counter[i]];
    return named;
}

static void note_lengths(const struct levee_rsa_operation* operation)
{
    for (uint32_t entry = 0; operation->lengths != 0 && entry < operation->outer[0]; ++entry) {
        const uint64_t address =
            operation->lengths + (uint64_t)entry * operation->lengths_stride[0];
        const uint32_t length = *(const uint32_t*)(uintptr_t)address;
        if (length < fake.outcome->least_length)
            fake.outcome->least_length = length;
    }
}

static void execute(unsigned unit)
{
    struct fake_queue* fifo = &fake.queues[unit];
    struct levee_descriptor descriptor = *fifo->pending[fifo->head++ % 1024];
    struct fake_outcome* outcome = fake.outcome;
    if (outcome->executed_count < FAKE_MAX_EXECUTED && fake.step >= fake.recorded_from)
        outcome->executed[outcome->executed_count++] =
            (struct fake_executed){with_units(&descriptor), unit, fake.step};
    if (unit == FAKE_SFU && descriptor.opcode >= LEVEE_SFU_ARGMAX &&
        descriptor.opcode <= LEVEE_SFU_LOG_PROB)
        write_picks(sfu_operation(&descriptor));
    if (descriptor.opcode == LEVEE_RSA_GEMM && (unit == FAKE_RSA || unit == FAKE_RSA_KV))
        note_lengths(rsa_operation(&descriptor));
    for (unsigned i = 0; i < 2; ++i)
        if (descriptor.signal_counter[i] != LEVEE_NO_COUNTER)
            fake.counters[descriptor.signal_counter[i]] += descriptor.signal_add[i];
    if (unit == FAKE_SE && descriptor.opcode != LEVEE_SE_ACCUMULATE)
        write_used(evictor_operation(&descriptor));
    ++fake.drivers[unit]->done;
    fake.interrupt |= (descriptor.flags & LEVEE_DESC_IRQ) != 0;
    compare();
}

static bool can_go_on(unsigned unit)
{
    const struct fake_queue* fifo = &fake.queues[unit];
    return fifo->head != fifo->tail && ready(fifo->pending[fifo->head % 1024]);
}

/* Runs blocks until one interrupts; false if none can go on. */
static bool run_to_interrupt(void)
{
    static const unsigned in_turn[2][FAKE_UNITS] = {
        {FAKE_SFU, FAKE_DMA, FAKE_SE, FAKE_RSA_KV, FAKE_RSA, 5, 6, 7, 8, 9, 10, FAKE_FLASH,
         FAKE_VOTING, 13, 14, 15, 16, FAKE_CAM},
        {FAKE_CAM, 16, 15, 14, 13, FAKE_VOTING, FAKE_FLASH, 10, 9, 8, 7, 6, 5, FAKE_RSA,
         FAKE_RSA_KV, FAKE_SE, FAKE_DMA, FAKE_SFU}};
    while (!fake.interrupt) {
        unsigned i = 0;
        while (i < FAKE_UNITS && !can_go_on(in_turn[fake.rsa_first][i]))
            ++i;
        if (i == FAKE_UNITS)
            return false;
        execute(in_turn[fake.rsa_first][i]);
    }
    fake.interrupt = false;
    return true;
}

void irq_wait_until(bool (*condition)(void* context), void* context)
{
    while (!condition(context)) {
        if (!run_to_interrupt())
            fatal((enum exit_code)STUCK, "asleep, and no block can go on");
        ++fake.outcome->wakeups;
    }
}

/* Before the DRAM, which is the last one. */
static void describe_more_kv(const struct fake_job* job, uint32_t number)
{
    const struct fake_kv_memory* more = &job->more_kv[number];
    struct levee_memory_info* last = &fake.info.memories[fake.info.memory_count - 1];
    fake.info.memories[fake.info.memory_count++] = *last;
    fake.divided |= (more->divided != 0 ? 1u : 0u) << number;
    *last = (struct levee_memory_info){
        .base = MORE_KV_BASE(number),
        .size = more->bytes,
        .free_base = MORE_KV_BASE(number),
        .roles = LEVEE_ROLE_KV | job->more_kv_roles,
        .name = "more",
    };
}

static void describe_memories(const struct fake_job* job)
{
    const uint64_t base = (uintptr_t)fake.backing;
    fake.info.memory_count = job->kv_edram_bytes != 0 ? 3 : 2;
    fake.info.memories[0] = (struct levee_memory_info){
        .base = base,
        .size = IMAGE_BYTES + TOKENS_BYTES + job->dram_bytes,
        .free_base = base + IMAGE_BYTES + TOKENS_BYTES,
        .bytes_per_second =
            job->dram_bytes_per_second != 0 ? job->dram_bytes_per_second : 64000000000ull,
        .roles = LEVEE_ROLE_MODEL | LEVEE_ROLE_KV | LEVEE_ROLE_SPILL,
        .name = "dram",
    };
    fake.info.memories[1] = (struct levee_memory_info){
        .base = SRAM_BASE,
        .size = job->sram_bytes,
        .free_base = SRAM_BASE,
        .roles = LEVEE_ROLE_ACTIVATIONS | job->sram_roles,
        .name = "sram",
    };
    if (job->kv_edram_bytes == 0)
        return;
    /* Memories with the role kv are filled in file order. */
    fake.info.memories[2] = fake.info.memories[0];
    fake.info.memories[0] = (struct levee_memory_info){
        .base = EDRAM_BASE,
        .size = job->kv_edram_bytes,
        .free_base = EDRAM_BASE,
        .roles = LEVEE_ROLE_KV | job->edram_roles,
        .name = "edram",
    };
    for (uint32_t i = 0; i < FAKE_MORE_KV && job->more_kv[i].bytes != 0; ++i)
        describe_more_kv(job, i);
}

static void add_block(enum levee_block_type type, const char* name)
{
    struct levee_block_info* block = &fake.info.blocks[fake.info.block_count++];
    block->type = (uint32_t)type;
    snprintf(block->name, sizeof block->name, "%s", name);
}

static void describe_blocks(const struct fake_job* job)
{
    add_block(LEVEE_BLOCK_RSA, "rsa");
    add_block(LEVEE_BLOCK_SFU, "sfu");
    if (job->queues == 2) {
        add_block(LEVEE_BLOCK_RSA, "rsa_kv");
        fake.info.blocks[fake.info.block_count - 1].shares = 1; /* the first block's array */
    }
    for (uint32_t i = 1; i < job->arrays; ++i)
        add_block(LEVEE_BLOCK_RSA, "rsa_more");
    if (!job->no_evictor)
        add_block(LEVEE_BLOCK_SYSTOLIC_EVICTOR, "evictor");
    if (job->voting_capacity != 0)
        add_block((enum levee_block_type)LEVEE_BLOCK_VOTING_ENGINE, "voting");
    if (job->cam_rows != 0)
        add_block((enum levee_block_type)LEVEE_BLOCK_CAM, "cam");
    if (job->sz_bytes != 0)
        add_block((enum levee_block_type)LEVEE_BLOCK_CPQ, "cpq");
    if (!job->no_dma)
        add_block(LEVEE_BLOCK_DMA, "dma");
    if (job->flash != 0)
        add_block(LEVEE_BLOCK_FLASH, "flash");
    for (uint32_t i = 0; i < job->groups; ++i) {
        add_block(LEVEE_BLOCK_VEDA, "veda");
        add_block((enum levee_block_type)LEVEE_BLOCK_ELEMENT_SERIAL, "serial");
    }
    if (job->kv_edram_bytes != 0 || job->activation_edram)
        add_block(LEVEE_BLOCK_EDRAM, "edram");
}

static void set_up_policy(const struct fake_job* job)
{
    fake.info.kv = job->kv;
    fake.info.voting = job->voting;
    fake.voting_capacity = job->voting_capacity;
    fake.info.retrieval = job->retrieval;
    fake.cam_rows = job->cam_rows;
    fake.info.cpq = job->cpq;
    fake.sz_bytes = job->sz_bytes;
    fake.info.codes.bits = job->code_bits;
}

static void set_up(const struct fake_job* job)
{
    memset(&fake, 0, sizeof fake);
    fake.backing = aligned_alloc(4096, IMAGE_BYTES + TOKENS_BYTES);
    fake.heap_bytes = job->heap_bytes != 0 ? job->heap_bytes : HEAP_BYTES;
    fake.heap = aligned_alloc(64, fake.heap_bytes);
    memset(fake.backing, 0, IMAGE_BYTES + TOKENS_BYTES);
    memset(fake.heap, 0, fake.heap_bytes);
    if (fake_image(job, fake.backing, IMAGE_BYTES) == 0)
        abort();
    struct levee_sequence* sequences = (void*)(fake.backing + IMAGE_BYTES);
    memcpy(sequences, job->sequences, sizeof job->sequences);
    for (uint32_t i = 0; i < job->workload.sequence_count; ++i)
        sequences[i].token_address = (uintptr_t)(sequences + FAKE_MAX_SEQUENCES);
    fake.info.workload = job->workload;
    fake.info.workload.model_address = (uintptr_t)fake.backing;
    fake.info.workload.sequence_address = (uintptr_t)sequences;
    fake.rsa_first = job->rsa_first;
    fake.recorded_from = job->recorded_from;
    fake.queue_depth = job->queue_depth;
    fake.info.stream_ports = (LEVEE_PORT_WEIGHTS + 1) * (job->groups > 1 ? job->groups : 1);
    snprintf(fake.info.scheduler, sizeof fake.info.scheduler, "%s", job->scheduler);
    set_up_policy(job);
    fake.info.core_hz = 1000000000;
    fake.input_rows_used = job->input_rows_used;
    fake.input_rows_grow = job->input_rows_grow;
    fake.activation_edram = job->activation_edram;
    fake.plain = job->kv_edram_plain != 0;
    fake.first_kv_undivided = job->first_kv_undivided;
    fake.passes = job->passes != 0 ? job->passes : 2;
    fake.elements_per_second =
        job->elements_per_second != 0 ? job->elements_per_second : 32000000000ull;
    fake.load_bytes_per_second =
        job->load_bytes_per_second != 0 ? job->load_bytes_per_second : 128000000000ull;
    describe_memories(job);
    describe_blocks(job);
}

static void run_batch(const struct fake_job* job, struct session* session)
{
    session_begin_batch(session, 0, job->workload.batch);
    fake.step = -1;
    for (uint32_t i = 0; i < session->count; ++i) {
        struct entry* entry = &session->entries[i];
        while (entry->position < entry->sequence.prefill_count) {
            uint32_t rest = entry->sequence.prefill_count - entry->position;
            uint32_t rows = rest < session->placement.chunk ? rest : session->placement.chunk;
            session_prefill(session, i, rows, rows == rest);
        }
    }
    for (uint32_t step = 0; step < job->steps; ++step) {
        fake.step = (int32_t)step;
        session_start_step(session);
        session_finish_step(session);
    }
}

static void score_all(struct session* session)
{
    struct score score = {0};
    score_workload(session, &score);
}

static void record(uint64_t base)
{
    if (base != 0)
        fake.outcome->regions[fake.outcome->region_count++] = (struct fake_region){base, 0};
}

static void record_regions(const struct session* session)
{
    struct fake_outcome* outcome = fake.outcome;
    const struct cache* cache = &session->placement.cache;
    for (int value = VALUE_X; value < CACHE_VALUES; ++value) {
        record(session->placement.values[value].data);
        record(session->placement.values[value].scale);
    }
    record(cache->layers[0].parts[0].keys);
    record(cache->layers[0].parts[0].values);
    record(cache->key_scales);
    record(cache->value_scales);
    record(cache->prefill.keys);
    record(cache->prefill.values);
    record(cache->prefill.key_scales);
    record(cache->prefill.value_scales);
    record(cache->prefill.importance);
    record(cache->importance);
    /* A region ends where the next one begins, or its memory ends. */
    for (uint32_t i = 0; i < outcome->region_count; ++i) {
        const uint64_t base = outcome->regions[i].base;
        uint64_t end = 0;
        for (uint32_t m = 0; m < fake.info.memory_count; ++m)
            if (base - fake.info.memories[m].base < fake.info.memories[m].size)
                end = fake.info.memories[m].base + fake.info.memories[m].size;
        for (uint32_t j = 0; j < outcome->region_count; ++j)
            if (outcome->regions[j].base > base && outcome->regions[j].base < end)
                end = outcome->regions[j].base;
        outcome->regions[i].bytes = end - base;
    }
}

static void record_memories(struct fake_outcome* outcome)
{
    const uint64_t heap = (uintptr_t)fake.heap;
    outcome->memories[outcome->memory_count++] = (struct fake_region){heap, fake.heap_bytes};
    for (uint32_t i = 0; i < fake.info.memory_count; ++i) {
        const struct levee_memory_info* memory = &fake.info.memories[i];
        const uint64_t behind = memory->base == EDRAM_BASE ? memory->size / ENTRY_BYTES : 0;
        outcome->memories[outcome->memory_count++] =
            (struct fake_region){memory->base, memory->size + behind};
    }
}

void fake_run(const struct fake_job* job, struct fake_outcome* outcome)
{
    static struct session session;
    memset(outcome, 0, sizeof *outcome);
    memset(&session, 0, sizeof session);
    set_up(job);
    fake.outcome = outcome;
    outcome->least_length = UINT32_MAX;
    record_memories(outcome);
    outcome->exit_code = setjmp(fake.end);
    if (outcome->exit_code == 0) {
        session_open(&session, job->score ? SESSION_SCORE : SESSION_GENERATE);
        outcome->chunk = session.placement.chunk;
        record_regions(&session);
        if (job->score == FAKE_SCORE_WORKLOAD)
            score_all(&session);
        else
            run_batch(job, &session);
        session_report(&session);
    }
    free(fake.backing);
    free(fake.heap);
}
