// SPDX-License-Identifier: Apache-2.0
#define RANDOM_TABLE
#include "test/firmware/random/draw.h"

#include "firmware/drivers/descriptor.h"
#include "firmware/hal/system.h"
#include "ip/flash/regs.h"
#include "test/firmware/random/arena.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a slot that strided rows use. The remaining bytes are for sizes. */
#define STRIDED_BYTES 4096u
/* Number of slots that a page of a flash and its rows can reach. */
#define FLASH_SLOTS 4u
#define HEAD_BYTES offsetof(struct levee_descriptor, operation)

static uint32_t state;

void draw_seed(uint32_t seed)
{
    state = seed * 2654435761u + 0x9E3779B9u;
    if (state == 0)
        state = 1;
}

uint32_t draw(void) /* Random number generator xorshift32. */
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

uint32_t draw_below(uint32_t limit)
{
    return (uint32_t)((uint64_t)draw() * limit >> 32);
}

bool draw_chance(uint32_t percent)
{
    return draw_below(100) < percent;
}

const struct random_type* draw_type(uint32_t number)
{
    for (uint32_t i = 0; i < RANDOM_TYPES; ++i)
        if (random_types[i].number == number)
            return &random_types[i];
    return NULL;
}

static void put(struct drawn* drawn, const struct random_field* field, uint32_t element,
                uint64_t value)
{
    memcpy(drawn->operation + field->at + element * field->bytes, &value, field->bytes);
}

static uint64_t get(const struct drawn* drawn, const struct random_field* field, uint32_t element)
{
    uint64_t value = 0;
    memcpy(&value, drawn->operation + field->at + element * field->bytes, field->bytes);
    return value;
}

/* Draws an operand's address, mostly in the core's memory, whose bytes are compared quickly. */
static uint64_t address(void)
{
    static const uint8_t beyond[] = {0, 0, 0, 0, 0, 0, 0, 0, 4, 8, 16, 64, 64, 1, 2};
    if (draw_chance(30))
        return 0; /* Operations may lack some operands. */
    const uint32_t number = draw_chance(75) ? 0 : draw_below(arena_count());
    const struct arena* arena = arena_at(number);
    /* Operands never use the first and the last slot. */
    return arena->base + (1 + draw_below(arena->slots - 2)) * ARENA_SLOT_BYTES + ARENA_OPERAND_AT +
           beyond[draw_below(sizeof beyond)];
}

static uint64_t size(uint32_t most)
{
    switch (draw_below(4)) {
    case 0:
        return draw_below(2);
    case 1:
        return most;
    default:
        return 1 + draw_below(most);
    }
}

static uint64_t stride(uint32_t most)
{
    uint32_t longest = STRIDED_BYTES / 4 / (most > 1 ? most - 1 : 1);
    longest = longest < 1024 ? longest : 1024;
    if (draw_chance(15))
        return 0;
    if (draw_chance(40))
        return draw_below(longest + 1) & ~3u;
    uint32_t power = 4u << draw_below(9);
    while (power > longest)
        power /= 2;
    return power;
}

static uint64_t number(void)
{
    static const float values[] = {1.0f, 0.5f, 0.125f, 2.0f, -1.0f, 1e-5f, 100.0f};
    uint32_t bits;
    if (draw_chance(50))
        return 0;
    memcpy(&bits, &values[draw_below(sizeof values / sizeof *values)], sizeof bits);
    return bits;
}

static void draw_element(struct drawn* drawn, const struct random_field* field, uint32_t element)
{
    uint64_t value = 0;
    switch (field->kind) {
    case RANDOM_ADDRESS:
        value = address();
        break;
    case RANDOM_STRIDE:
        value = stride(drawn->most);
        break;
    case RANDOM_SIZE:
        value = field->values != 0  ? draw_below(field->values)
                : field->bytes == 1 ? (draw_chance(50) ? 0 : 1u << draw_below(8))
                                    : size(drawn->most);
        break;
    case RANDOM_FLOAT:
        value = number();
        break;
    case RANDOM_BYTES:
        value = draw_chance(50) ? 0 : draw_below(4);
        break;
    case RANDOM_PORT:
        break;
    }
    put(drawn, field, element, value);
}

void draw_operation(struct drawn* drawn, const struct random_type* type, uint8_t opcode)
{
    static const uint8_t limits[] = {1, 1, 2, 3, 4, 8, 16};
    memset(drawn, 0, sizeof *drawn);
    drawn->type = type;
    drawn->opcode = opcode;
    drawn->is_long = draw_chance(20);
    drawn->most = limits[draw_below(sizeof limits)];
    for (uint32_t i = 0; i < type->field_count; ++i)
        for (uint32_t j = 0; j < type->fields[i].count; ++j)
            draw_element(drawn, &type->fields[i], j);
}

static bool has_continuation(const struct drawn* drawn)
{
    return drawn->is_long
               ? drawn->type->operation_bytes > LEVEE_DESCRIPTOR_INLINE_BYTES
               : drawn->type->operation_bytes > sizeof(((struct levee_descriptor*)0)->operation);
}

/* Converts a byte's offset in the descriptor to its offset in the operation. */
static uint32_t operation_byte(const struct drawn* drawn, uint32_t descriptor_byte)
{
    if (has_continuation(drawn) && descriptor_byte >= LEVEE_DESCRIPTOR_BYTES)
        return descriptor_byte - LEVEE_DESCRIPTOR_BYTES + LEVEE_DESCRIPTOR_INLINE_BYTES;
    return descriptor_byte - HEAD_BYTES;
}

void draw_any(struct drawn* drawn)
{
    const struct random_field* field = &drawn->type->fields[draw_below(drawn->type->field_count)];
    draw_element(drawn, field, draw_below(field->count));
}

void draw_again(struct drawn* drawn, uint32_t descriptor_byte)
{
    const uint32_t byte = operation_byte(drawn, descriptor_byte);
    for (uint32_t i = 0; i < drawn->type->field_count; ++i) {
        const struct random_field* field = &drawn->type->fields[i];
        const uint32_t element = (byte - field->at) / field->bytes;
        if (byte >= field->at && element < field->count)
            draw_element(drawn, field, element);
    }
    for (uint32_t times = draw_below(10) < 5 ? 0 : 1 + draw_below(4); times != 0; --times)
        draw_any(drawn);
}

/* Draws addresses outside every arena: unmapped, at the ends of memories, registers, or streams. */
static uint64_t wrong_address(void)
{
    const struct levee_boot_info* info = system_info();
    const struct levee_memory_info* memory = &info->memories[draw_below(info->memory_count)];
    switch (draw_below(8)) {
    case 0:
        return memory->base + memory->size - draw_below(64);
    case 1:
        return memory->base - draw_below(64);
    case 2:
        return UINT64_MAX - draw_below(64);
    case 3:
        return LEVEE_STREAM(draw_below(info->stream_ports + 2));
    case 4:
        return LEVEE_BOOT_INFO_ADDRESS + draw_below(64);
    case 5:
        return info->blocks[draw_below(info->block_count)].base + draw_below(64);
    case 6:
        return draw_below(64);
    default:
        return (uint64_t)draw() << 32 | draw();
    }
}

static uint64_t wrong_value(const struct random_field* field)
{
    switch (draw_below(8)) {
    case 0:
        return UINT64_MAX;
    case 1:
        return (uint64_t)1 << (8 * field->bytes - 1);
    case 2:
        return ((uint64_t)1 << (8 * field->bytes - 1)) - 1;
    case 3:
        return (uint64_t)draw() << 32 | draw();
    case 4:
        return (uint64_t) - (int64_t)draw_below(1024);
    default:
        return draw_below(1024);
    }
}

void draw_wrong(struct drawn* drawn)
{
    for (uint32_t times = 1 + draw_below(3); times != 0; --times) {
        const struct random_field* field =
            &drawn->type->fields[draw_below(drawn->type->field_count)];
        uint64_t value = field->kind == RANDOM_ADDRESS ? wrong_address() : wrong_value(field);
        if (field->kind == RANDOM_PORT)
            value = draw_below(system_info()->stream_ports + 3);
        put(drawn, field, draw_below(field->count), value);
    }
    if (draw_chance(5))
        drawn->opcode = (uint8_t)draw();
}

void draw_stream(struct drawn* drawn)
{
    const struct random_field* field = &drawn->type->fields[draw_below(drawn->type->field_count)];
    const uint32_t port = draw_below(system_info()->stream_ports + 1);
    if (field->kind == RANDOM_ADDRESS)
        put(drawn, field, 0, LEVEE_STREAM(port));
    else if (field->kind == RANDOM_PORT)
        put(drawn, field, 0, port);
}

/* Bounds the pages of a flash, the only operand whose extent the drawn sizes do not bound. */
void draw_bounded(struct drawn* drawn)
{
    struct levee_flash_operation* flash = (void*)drawn->operation;
    uint32_t arena, slot;
    if (drawn->type->number != LEVEE_BLOCK_FLASH)
        return;
    flash->data_pages = flash->data_pages != 0;
    if (arena_find(flash->data, &arena, &slot) && slot + FLASH_SLOTS > arena_at(arena)->slots)
        flash->data -= (FLASH_SLOTS - 1) * ARENA_SLOT_BYTES;
}

/* Calls visit(context, field, element) for each address of an operation. */
static void each_address(const struct drawn* drawn,
                         void (*visit)(void* context, const struct random_field* field,
                                       uint32_t element),
                         void* context)
{
    for (uint32_t i = 0; i < drawn->type->field_count; ++i)
        if (drawn->type->fields[i].kind == RANDOM_ADDRESS)
            for (uint32_t j = 0; j < drawn->type->fields[i].count; ++j)
                visit(context, &drawn->type->fields[i], j);
}

static void move_away(void* context, const struct random_field* field, uint32_t element)
{
    struct drawn* drawn = context;
    const struct levee_memory_info* core = system_memory(LEVEE_ROLE_CODE);
    if (core == NULL || get(drawn, field, element) - core->base >= core->size)
        return;
    const struct arena* arena = arena_at(1 + draw_below(arena_count() - 1));
    put(drawn, field, element,
        arena->base + draw_below(arena->slots) * ARENA_SLOT_BYTES + ARENA_OPERAND_AT);
}

bool draw_move_away(struct drawn* drawn)
{
    if (arena_count() < 2)
        return false;
    each_address(drawn, move_away, drawn);
    return true;
}

struct slots {
    const struct drawn* drawn;
    uint32_t arena, set;
};

static void add_slot(void* context, const struct random_field* field, uint32_t element)
{
    struct slots* slots = context;
    uint32_t number, slot;
    if (arena_find(get(slots->drawn, field, element), &number, &slot) && number == slots->arena)
        slots->set |= 1u << slot;
}

uint32_t draw_slots(const struct drawn* drawn, uint32_t arena)
{
    struct slots slots = {drawn, arena, 0};
    each_address(drawn, add_slot, &slots);
    if (drawn->type->number == LEVEE_BLOCK_FLASH)
        for (uint32_t i = 1; i < FLASH_SLOTS; ++i)
            slots.set |= slots.set << 1;
    return slots.set;
}

void draw_print(const struct drawn* drawn)
{
    printf("  %s, opcode %u:", drawn->type->name, drawn->opcode);
    for (uint32_t i = 0; i < drawn->type->field_count; ++i) {
        const struct random_field* field = &drawn->type->fields[i];
        for (uint32_t j = 0; j < field->count; ++j) {
            const uint64_t value = get(drawn, field, j);
            if (value != 0)
                printf(" %s[%lu]=0x%lx%08lx", field->name, (unsigned long)j,
                       (unsigned long)(value >> 32), (unsigned long)value);
        }
    }
    printf("\n");
}

void draw_encode(const struct drawn* drawn, uint32_t tag, struct submission* submission)
{
    const uint32_t bytes = drawn->type->operation_bytes;
    struct levee_descriptor* descriptor = &submission->descriptor;
    descriptor_init(descriptor, drawn->opcode, tag);
    if (!drawn->is_long && !has_continuation(drawn)) {
        memcpy(descriptor->operation, drawn->operation, bytes);
        return;
    }
    descriptor->version = LEVEE_DESCRIPTOR_V2;
    const uint32_t in =
        bytes < LEVEE_DESCRIPTOR_INLINE_BYTES ? bytes : LEVEE_DESCRIPTOR_INLINE_BYTES;
    memcpy(descriptor->operation, drawn->operation, in);
    if (bytes == in)
        return;
    memcpy(submission->continuation, drawn->operation + in, bytes - in);
    descriptor->continuation_bytes = bytes - in;
    const uint64_t address = bus_address(submission->continuation);
    memcpy((uint8_t*)descriptor + LEVEE_DESCRIPTOR_CONTINUATION_AT, &address, sizeof address);
}
