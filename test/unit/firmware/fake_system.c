// SPDX-License-Identifier: Apache-2.0
/* Describes the system that a job asks for, as boot_info would list it. */
#include "ip/cam/regs.h"
#include "ip/cpq/regs.h"
#include "ip/dma/regs.h"
#include "ip/edram/regs.h"
#include "ip/element_serial/regs.h"
#include "ip/flash/regs.h"
#include "ip/rsa/regs.h"
#include "ip/sfu/regs.h"
#include "ip/systolic_evictor/regs.h"
#include "ip/veda/regs.h"
#include "ip/voting_engine/regs.h"
#include "test/unit/firmware/fake_state.h"

#include <stdio.h>

/* Adds a memory before the DRAM, which comes last. */
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

void fake_describe_memories(const struct fake_job* job)
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
    /* Firmware fills memories with the role kv in the order of the list. */
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

static void add_block(uint32_t type, const char* name)
{
    struct levee_block_info* block = &fake.info.blocks[fake.info.block_count++];
    block->type = (uint32_t)type;
    snprintf(block->name, sizeof block->name, "%s", name);
}

void fake_describe_blocks(const struct fake_job* job)
{
    add_block(LEVEE_BLOCK_RSA, "rsa");
    add_block(LEVEE_BLOCK_SFU, "sfu");
    if (job->queues == 2) {
        add_block(LEVEE_BLOCK_RSA, "rsa_kv");
        fake.info.blocks[fake.info.block_count - 1].shares = 1; /* Shares the array of the first
                                                                 * block. */
    }
    for (uint32_t i = 1; i < job->arrays; ++i)
        add_block(LEVEE_BLOCK_RSA, "rsa_more");
    if (!job->no_evictor)
        add_block(LEVEE_BLOCK_SYSTOLIC_EVICTOR, "evictor");
    if (job->voting_capacity != 0)
        add_block(LEVEE_BLOCK_VOTING_ENGINE, "voting");
    if (job->cam_rows != 0)
        add_block(LEVEE_BLOCK_CAM, "cam");
    if (job->sz_bytes != 0)
        add_block(LEVEE_BLOCK_CPQ, "cpq");
    if (!job->no_dma)
        add_block(LEVEE_BLOCK_DMA, "dma");
    if (job->flash != 0)
        add_block(LEVEE_BLOCK_FLASH, "flash");
    for (uint32_t i = 0; i < job->groups; ++i) {
        add_block(LEVEE_BLOCK_VEDA, "veda");
        add_block(LEVEE_BLOCK_ELEMENT_SERIAL, "serial");
    }
    if (job->kv_edram_bytes != 0 || job->activation_edram)
        add_block(LEVEE_BLOCK_EDRAM, "edram");
}
