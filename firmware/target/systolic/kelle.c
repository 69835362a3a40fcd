// SPDX-License-Identifier: Apache-2.0
/* The Kelle scheduler (section 6) and the order it is compared with (figure 12 a).
 *
 * Activations live in eDRAM and must be refreshed while they wait to be used. With Ts for reading a
 * weight matrix from SRAM and Te for reading half of KV from eDRAM:
 *
 *   baseline   MM_Q | MM_K | MM_V | MM_qk | SM, MM_av      one after another
 *              X waits 3 Ts, Q 2 Ts + Te, K Ts + Te, V 2 Te
 *
 *   Kelle      MM_Q | MM_K | MM_V    | SM, MM_av           weights and KV at the same time
 *                          | MM_qk   |
 *              X waits 3 Ts, Q Ts + Te, K and V not at all
 *
 * Kelle's array has two memories beside it. Its queue for weights goes through Q, K, V; the one
 * for keys and values multiplies Q with the keys as soon as the new one is there, while V's weights
 * are still being read. No more needs to be said: the waits of a program let an operation start
 * once what it reads has been written.
 *
 * In the baseline order new keys and values are data like any other: they are staged in the
 * activation eDRAM until MM_qk and MM_av have used them, and only then take their place in the
 * cache. Kelle puts them there at once. */
#include "firmware/target/systolic/machine.h"

const struct target target_kelle = {
    .name = "kelle",
    .machine = &systolic_machine,
    .separate = true,
    .kv_queue = true,
};

const struct target target_kelle_baseline = {
    .name = "kelle_baseline",
    .machine = &systolic_machine,
    .separate = true,
    .staged = true,
};
