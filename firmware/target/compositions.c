// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/compositions.h"

#include <stddef.h>

/* Parts, by what they do. The cache's are numbered, and their units opened, in this order. */
#define PARTS(X)                                                                                   \
    X(systolic_weights)                                                                            \
    X(flash_weights)                                                                               \
    X(crossbar_weights)                                                                            \
    X(veda_weights)                                                                                \
    X(cim_layers)                                                                                  \
    X(systolic_attention)                                                                          \
    X(crossbar_attention)                                                                          \
    X(crossbar_attention_by_layers)                                                                \
    X(crossbar_attention_pipelined)                                                                \
    X(veda_attention)                                                                              \
    X(sfu_functions)                                                                               \
    X(serial_functions)                                                                            \
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

#define DECLARE(name) extern const struct machine_part part_##name;
PARTS(DECLARE)
#undef DECLARE

#define LIST(name) &part_##name,
const struct machine_part* const machine_parts[] = {PARTS(LIST) NULL};
#undef LIST

/* Kelle (section 6), the order it is compared with (figure 12 a), and operations in program order:
 * each starts when what it reads has been written, so they overlap where the data allow it.
 *
 * Activations live in eDRAM and must be refreshed while they wait to be used. With Ts for reading a
 * weight matrix from SRAM and Te for reading half of KV from eDRAM:
 *
 *   kelle_baseline   MM_Q | MM_K | MM_V | MM_qk | SM, MM_av      one after another
 *                    X waits 3 Ts, Q 2 Ts + Te, K Ts + Te, V 2 Te
 *
 *   kelle            MM_Q | MM_K | MM_V    | SM, MM_av           weights and KV at the same time
 *                                | MM_qk   |
 *                    X waits 3 Ts, Q Ts + Te, K and V not at all
 *
 * Kelle's array has two memories beside it. Its queue for weights goes through Q, K, V; the one
 * for keys and values multiplies Q with the keys as soon as the new one is there, while V's weights
 * are still being read. No more needs to be said: the waits of a program let an operation start
 * once what it reads has been written.
 *
 * In the order it is compared with new keys and values are data like any other: they are staged in
 * the activation eDRAM until MM_qk and MM_av have used them, and only then take their place in the
 * cache. Kelle puts them there at once. */
#define PARTS_OF(weights, attention, functions)                                                    \
    {                                                                                              \
        [PART_WEIGHTS] = &part_##weights, [PART_ATTENTION] = &part_##attention,                    \
        [PART_FUNCTIONS] = &part_##functions                                                       \
    }
#define SYSTOLIC PARTS_OF(systolic_weights, systolic_attention, sfu_functions)

const struct composition compositions[] = {
    {.name = "baseline", .parts = SYSTOLIC},
    {.name = "kelle", .parts = SYSTOLIC, .separate = true, .kv_queue = true},
    {.name = "kelle_baseline", .parts = SYSTOLIC, .separate = true, .staged = true},
    {.name = "flash", .parts = PARTS_OF(flash_weights, systolic_attention, sfu_functions)},
    {.name = "veda", .parts = PARTS_OF(veda_weights, veda_attention, serial_functions)},
    {.name = "retransformer",
     .parts = PARTS_OF(crossbar_weights, crossbar_attention_pipelined, sfu_functions)},
    {.name = "reram_layers",
     .parts = PARTS_OF(crossbar_weights, crossbar_attention_by_layers, sfu_functions)},
    {.name = "reram_plain", .parts = PARTS_OF(crossbar_weights, crossbar_attention, sfu_functions)},
    {.name = "reram_weights",
     .parts = PARTS_OF(crossbar_weights, systolic_attention, sfu_functions)},
    {.name = "titanus", .parts = PARTS_OF(cim_layers, cim_layers, sfu_functions)},
    {.name = NULL},
};
