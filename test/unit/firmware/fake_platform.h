// SPDX-License-Identifier: Apache-2.0
/* Firmware's model, cache, targets and sessions on the host. HAL and drivers are replaced by
 * versions that record submitted descriptors and "execute" them by counting, in queues as deep
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
    FAKE_MORE_ARRAYS = 5, /* the second, third, ... of the job's arrays */
    FAKE_FLASH = 11,
    FAKE_VOTING = 12,
    FAKE_VEDA = 13,   /* PE arrays of the job's groups, up to 2 */
    FAKE_SERIAL = 15, /* element-serial units, likewise */
    FAKE_CAM = 17,
    FAKE_UNITS = 18
};
/* The units that compute with the matrices of a flash. */
enum { FAKE_FLASH_SHARED = 1, FAKE_FLASH_ARRAY = 2, FAKE_FLASH_CORES = 3 };
enum { FAKE_FLASH_ROWS = 8 }; /* shared: rows of each matrix that the flash's cores hold */
enum { FAKE_MAX_EXECUTED = 65536, FAKE_MAX_SEQUENCES = 32, FAKE_MAX_REGIONS = 64 };
enum { FAKE_MORE_KV = 4 };
/* eDRAMs: the one with the role kv, more_kv, and the one with activations. */
enum { FAKE_ACTIVATION_EDRAM = 1 + FAKE_MORE_KV, FAKE_EDRAMS };
/* SESSION_SCORE: the same prefill and steps as otherwise, or the whole of score_workload. */
enum { FAKE_SCORE_STEPS = 1, FAKE_SCORE_WORKLOAD = 2 };

/* A memory with the role kv. */
struct fake_kv_memory {
    uint64_t bytes;
    uint32_t divided; /* 1: an eDRAM in halves */
};

/* The inputs of a run. */
struct fake_job {
    struct levee_model_header shape;
    struct levee_workload workload;                      /* addresses are filled in */
    struct levee_sequence sequences[FAKE_MAX_SEQUENCES]; /* sequences, likewise */
    const char* scheduler;
    uint32_t queue_depth;
    uint64_t sram_bytes, dram_bytes;
    uint32_t without_bias_of_wk; /* image: leaves this tensor out */
    uint32_t gap_before_wk;      /* image: bytes between WQ and WK */
    uint32_t kept;  /* image: a component keeps the layers' matrices; 2: WO has no record */
    uint32_t flash; /* With kept: the memory is a flash; FAKE_FLASH_*. */
    uint32_t flash_ns,
        flash_fetch_ns;    /* time of a product with one vector, and of reading a matrix */
    uint32_t groups;       /* number of groups of PE arrays and element-serial unit: 0, 1, 2 */
    uint32_t rsa_first;    /* of two units that could go on, the one that goes first */
    uint32_t score;        /* FAKE_SCORE_*; 0: SESSION_GENERATE */
    uint32_t steps;        /* decode steps after the prefill */
    int32_t recorded_from; /* operations before this step are not recorded; -1: prefill */
    uint32_t heap_bytes;   /* 0: 1 MiB */

    struct levee_kv_policy kv;
    uint32_t queues; /* queues of the array: 2 adds a second one */
    uint32_t arrays; /* Number of separate arrays; 0: 1, at most 7. */
    uint32_t no_evictor, no_dma;
    struct levee_kv_voting voting;
    uint32_t voting_capacity; /* capacity of a voting engine; 0: there is none */
    struct levee_kv_retrieval retrieval;
    uint32_t cam_rows; /* rows of a content-addressable memory; 0: there is none */
    struct levee_kv_cpq cpq;
    uint32_t code_bits; /* bits of keys and values; 0: 16 */
    struct levee_kv_random random;
    uint64_t
        sz_bytes; /* size of the scale-zero buffer of a block that compresses; 0: there is none */
    uint64_t kv_edram_bytes;     /* a divided eDRAM with the role kv, before the DRAM; 0: none */
    uint32_t kv_edram_plain;     /* 1: it is not divided */
    uint32_t first_kv_undivided; /* 1: that memory is no eDRAM, but behaves like an SRAM */
    struct fake_kv_memory more_kv[FAKE_MORE_KV]; /* Follow it, before the DRAM; 0 bytes: none. */
    uint32_t more_kv_roles;                      /* roles of these memories in addition to kv */
    uint32_t activation_edram;                   /* 1: activations lie in one */
    uint32_t sram_roles, edram_roles;            /* beyond those they have */
    uint32_t passes;                /* passes of a 16-bit operand with an 8-bit one; 0: 2 */
    uint64_t dram_bytes_per_second; /* 0: 64e9 */
    uint64_t load_bytes_per_second; /* load rate of the array; 0: 128e9 */
    uint64_t
        elements_per_second;  /* rate of the function unit; 0: 32e9, 32 lanes at the core's clock */
    uint32_t input_rows_used; /* the evictor's answer for every layer and entry */
    uint32_t input_rows_grow; /* Increase after each step. */
};

struct fake_executed {
    struct levee_descriptor descriptor; /* Counters are units, FAKE_*. */
    uint32_t unit;
    int32_t step; /* -1: prefill */
};

struct fake_ring {
    uint64_t address;
    uint32_t bytes, stride, writes; /* writes: of its registers */
};

/* Writes to a memory's controller. */
struct fake_edram {
    uint32_t intervals, forgets; /* writes */
    uint32_t described;          /* vectors of region 0 that have entries */
};

struct fake_region {
    uint64_t base;
    uint64_t bytes;
};

struct fake_outcome {
    int exit_code; /* 0, or the code given to fatal(); 99: no unit could go on */
    char message[256];
    uint32_t chunk;
    uint32_t wakeups;
    uint32_t doorbells;
    uint32_t executed_count;
    struct fake_executed executed[FAKE_MAX_EXECUTED];
    uint32_t region_count; /* number of places above free_base */
    struct fake_region regions[FAKE_MAX_REGIONS];
    uint32_t memory_count;
    struct fake_region memories[1 + LEVEE_MAX_MEMORIES]; /* the heap, then the system's memories */
    struct fake_edram edrams[FAKE_EDRAMS];
    struct fake_ring rings[2]; /* Rings, as in the array's registers. */
    uint64_t reported_slots;   /* kv.slots; 0: not reported */
    uint32_t least_length; /* smallest word that products on the arrays have read as `lengths` */
};

void fake_run(const struct fake_job* job, struct fake_outcome* outcome);

#ifdef __cplusplus
}
#endif
