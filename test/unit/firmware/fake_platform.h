// SPDX-License-Identifier: Apache-2.0
/* Runs the firmware's model, cache, targets and sessions on the host. The fake HAL and the fake
 * drivers record submitted descriptors and "execute" them by counting. The fake queues are as deep
 * as the real ones. */
#pragma once

#include "core/abi/boot_info.h"
#include "core/abi/descriptor.h"
#include "core/abi/model_image.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FAKE_RSA = 0,
    FAKE_SFU = 1,
    FAKE_RSA_KV = 2, /* the array's second queue */
    FAKE_SE = 3,
    FAKE_DMA = 4,
    FAKE_MORE_ARRAYS = 5, /* The second, third and further arrays of the job. */
    FAKE_FLASH = 11,
    FAKE_VOTING = 12,
    FAKE_VEDA = 13,   /* PE arrays of the job's groups, at most 2. */
    FAKE_SERIAL = 15, /* Element-serial units of the groups, at most 2. */
    FAKE_CAM = 17,
    FAKE_UNITS = 18
};
/* The units that compute with matrices in a flash. */
enum { FAKE_FLASH_SHARED = 1, FAKE_FLASH_ARRAY = 2, FAKE_FLASH_CORES = 3 };
enum { FAKE_FLASH_ROWS = 8 }; /* With SHARED: rows of a matrix in the cores. */
enum { FAKE_MAX_EXECUTED = 65536, FAKE_MAX_SEQUENCES = 32, FAKE_MAX_REGIONS = 64 };
enum { FAKE_MORE_KV = 4 };
/* The eDRAMs: the first one with the role kv, then more_kv, then the one with activations. */
enum { FAKE_ACTIVATION_EDRAM = 1 + FAKE_MORE_KV, FAKE_EDRAMS };
/* With SESSION_SCORE: runs the usual prefill and steps, or all of score_workload(). */
enum { FAKE_SCORE_STEPS = 1, FAKE_SCORE_WORKLOAD = 2 };

/* A memory with the role kv. */
struct fake_kv_memory {
    uint64_t bytes;
    uint32_t divided; /* 1: an eDRAM in halves */
};

/* The inputs of a run. */
struct fake_job {
    struct levee_model_header shape;
    struct levee_workload workload;                      /* the fake platform sets the addresses */
    struct levee_sequence sequences[FAKE_MAX_SEQUENCES]; /* the fake platform sets the addresses */
    const char* scheduler;
    uint32_t queue_depth;
    uint64_t sram_bytes, dram_bytes;
    uint32_t without_bias_of_wk; /* The image lacks this tensor. */
    uint32_t gap_before_wk;      /* Bytes between WQ and WK in the image. */
    uint32_t kept;  /* 1: a component keeps the matrices of layers; 2: WO has no record. */
    uint32_t flash; /* Used with `kept`: the memory is a flash, one of FAKE_FLASH_*. */
    uint32_t flash_ns,
        flash_fetch_ns;    /* Time of a product with one vector, and of reading a matrix. */
    uint32_t groups;       /* Number of groups of PE arrays and element-serial unit: 0, 1 or 2. */
    uint32_t rsa_first;    /* Whether the array runs first when two units are ready. */
    uint32_t score;        /* One of FAKE_SCORE_*, or 0 for SESSION_GENERATE. */
    uint32_t steps;        /* Decode steps after the prefill. */
    int32_t recorded_from; /* Records operations from this step on; -1 for the prefill. */
    uint32_t heap_bytes;   /* 0 means 1 MiB. */

    struct levee_kv_policy kv;
    uint32_t queues; /* Queues of the array; 2 adds a second one. */
    uint32_t arrays; /* Number of separate arrays, at most 7; 0 means 1. */
    uint32_t no_evictor, no_dma;
    struct levee_kv_voting voting;
    uint32_t voting_capacity; /* Capacity of a voting engine; 0: there is none. */
    struct levee_kv_retrieval retrieval;
    uint32_t cam_rows; /* Rows of a content-addressable memory; 0: there is none. */
    struct levee_kv_cpq cpq;
    uint32_t code_bits; /* Bits of keys and values; 0 means 16. */
    uint32_t hadamard;  /* 1: keys and values are multiplied by a Hadamard matrix. */
    struct levee_kv_random random;
    uint64_t sz_bytes;           /* Scale-zero buffer of a compressing block; 0: no such block. */
    uint64_t kv_edram_bytes;     /* Divided eDRAM with the role kv, before the DRAM; 0: none. */
    uint32_t kv_edram_plain;     /* 1: this eDRAM is not divided. */
    uint32_t first_kv_undivided; /* 1: this memory is no eDRAM and behaves like an SRAM. */
    struct fake_kv_memory more_kv[FAKE_MORE_KV]; /* Listed before the DRAM; 0 bytes: none. */
    uint32_t more_kv_roles;                      /* Roles of these memories in addition to kv. */
    uint32_t activation_edram;                   /* 1: an eDRAM holds the activations. */
    uint32_t sram_roles, edram_roles;            /* Roles in addition to the default ones. */
    uint32_t passes;                /* Passes of a 16-bit operand with an 8-bit one; 0 means 2. */
    uint64_t dram_bytes_per_second; /* 0 means 64e9. */
    uint64_t load_bytes_per_second; /* Load rate of the array; 0 means 128e9. */
    uint64_t elements_per_second;   /* Rate of the function unit; 0 means 32e9. */
    uint32_t input_rows_used;       /* The evictor's answer for every layer and sequence. */
    uint32_t input_rows_grow;       /* added to input_rows_used after each step */
};

struct fake_executed {
    struct levee_descriptor descriptor; /* The units FAKE_* replace the counters. */
    uint32_t unit;
    int32_t step; /* -1 means the prefill. */
};

struct fake_ring {
    uint64_t address;
    uint32_t bytes, stride, writes; /* `writes`: how often the ring's registers were written. */
};

/* Counts the writes to a memory's controller. */
struct fake_edram {
    uint32_t intervals, forgets; /* numbers of writes to the two registers */
    uint32_t described;          /* number of vectors of region 0 that have entries */
};

struct fake_region {
    uint64_t base;
    uint64_t bytes;
};

struct fake_outcome {
    int exit_code; /* 0, or the code given to fatal(); 99: no unit could continue. */
    char message[256];
    uint32_t chunk;
    uint32_t wakeups;
    uint32_t doorbells;
    uint32_t executed_count;
    struct fake_executed executed[FAKE_MAX_EXECUTED];
    uint32_t region_count; /* Number of regions above free_base. */
    struct fake_region regions[FAKE_MAX_REGIONS];
    uint32_t memory_count;
    struct fake_region memories[1 + LEVEE_MAX_MEMORIES]; /* The heap, then all memories. */
    struct fake_edram edrams[FAKE_EDRAMS];
    struct fake_ring rings[2]; /* Rings, as in the registers of the array. */
    uint64_t reported_slots;   /* The reported kv.slots; 0: not reported. */
    uint32_t least_length; /* Smallest word that products on the arrays have read as `lengths`. */
};

void fake_run(const struct fake_job* job, struct fake_outcome* outcome);

#ifdef __cplusplus
}
#endif
