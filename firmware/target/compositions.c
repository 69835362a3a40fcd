// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/compositions.h"

#include "firmware/machines/parts.h"

#include <stddef.h>

/* Parts for caches, which every machine may have. This list determines the numbers of the parts,
 * and the order in which their units are opened. */
#define CACHE_PARTS(X)                                                                             \
    X(evictor)                                                                                     \
    X(slots)                                                                                       \
    X(staging)                                                                                     \
    X(stored_inputs)                                                                               \
    X(voting)                                                                                      \
    X(retrieval)                                                                                   \
    X(cim_packing)                                                                                 \
    X(cpq)                                                                                         \
    X(filling)                                                                                     \
    X(rings)

#define DECLARE(symbol, ...) extern const struct machine_part part_##symbol;
LEVEE_MACHINE_PARTS(DECLARE)
CACHE_PARTS(DECLARE)
#undef DECLARE

#define LIST(symbol, ...) &part_##symbol,
const struct machine_part* const machine_parts[] = {LEVEE_MACHINE_PARTS(LIST) CACHE_PARTS(LIST)
                                                        NULL};
#undef LIST

/* Kelle (section 6), its baseline (figure 12 a), and operations in program order. Each operation
 * starts when its inputs have been written, so operations overlap where the data permit it.
 *
 * Activations are in eDRAM, which is refreshed while they wait for use. Let Ts be the time for
 * reading a weight matrix from SRAM. Let Te be the time for reading the keys (or the values) from
 * eDRAM. MM is a matrix product and SM the softmax:
 *
 *  kelle_baseline   MM_Q | MM_K | MM_V | MM_qk | SM, MM_av      one after another
 *                   X waits 3 Ts, Q 2 Ts + Te, K Ts + Te, V 2 Te
 *
 *  kelle            MM_Q | MM_K | MM_V    | SM, MM_av           weights and KV at the same time
 *                               | MM_qk   |
 *                   X waits 3 Ts, Q Ts + Te, K and V not at all
 *
 * Kelle's array has two queues, one for each memory. The queue for weights computes Q, K and V.
 * The queue for keys and values multiplies Q by the keys as soon as the new key has been written.
 * The weights of V are still being read then. This order needs no code: an operation starts when
 * its waits are over.
 *
 * In the baseline, new keys and values stay in the activation eDRAM until MM_qk and MM_av have
 * used them. They then move to the cache. Kelle stores them in the cache at once. */
#define PARTS_OF(weights, attention, functions)                                                    \
    {                                                                                              \
        [PART_WEIGHTS] = &part_##weights, [PART_ATTENTION] = &part_##attention,                    \
        [PART_FUNCTIONS] = &part_##functions                                                       \
    }

const struct composition compositions[] = {
#define COMPOSITION(its_name, weights, attention, functions, order)                                \
    {.name = #its_name,                                                                            \
     .parts = PARTS_OF(weights, attention, functions),                                             \
     .separate = ((order)&LEVEE_ORDER_SEPARATE) != 0,                                              \
     .staged = ((order)&LEVEE_ORDER_STAGED) != 0,                                                  \
     .kv_queue = ((order)&LEVEE_ORDER_KV_QUEUE) != 0},
    LEVEE_SCHEDULERS(COMPOSITION)
#undef COMPOSITION
        {.name = NULL},
};
