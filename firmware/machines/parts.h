// SPDX-License-Identifier: Apache-2.0
/* Parts of machines, and the model features that they lack. Firmware is built from this list,
 * and a run uses it to refuse models before it begins. */
#pragma once

#include "core/abi/boot_info.h"
#include "firmware/machines/properties.h"

/* Attention that is decomposed has no keys that could be normalised or rotated by layer. */
#define LEVEE_ROTATIONS_AND_NORMS (MODEL_HEAD_NORMS | MODEL_ALL_HEAD_NORMS | MODEL_PARTLY_ROTATED)

/* X(symbol, roles, name, lacks, sequences, keeps): parts (firmware/target/part.h) for weights (W),
 * functions (F) and attention (A), with their names, what of models they cannot do, and the most
 * sequences of a batch (0: as many as memory holds). keeps: 1 if keys and values are in its units,
 * from where nothing copies them. K: its matrices are kept (those of layers, in
 * the form of the memory with the role `weights`). */
#define LEVEE_MACHINE_PARTS(X)                                                                     \
    X(systolic_weights, W, "systolic", 0, 0, 0)                                                    \
    X(flash_weights, WK, "flash", MODEL_LATENT, 1, 0)                                              \
    X(crossbar_weights, WK, "crossbars", MODEL_EXPERTS | MODEL_LATENT, 0, 0)                       \
    X(veda_weights, W, "veda", MODEL_NORMS_AFTER | MODEL_PARALLEL | MODEL_EXPERTS | MODEL_LATENT,  \
      0, 0)                                                                                        \
    X(cim_layers, WKA, "cim", MODEL_ALL_PROPERTIES & ~MODEL_LOGIT_CAP, 0, 0)                       \
    X(systolic_attention, A, "systolic", 0, 0, 0)                                                  \
    X(crossbar_attention, A, "crossbars", MODEL_LATENT, 0, 1)                                      \
    X(crossbar_attention_by_layers, A, "decomposed", LEVEE_ROTATIONS_AND_NORMS | MODEL_LATENT, 0,  \
      1)                                                                                           \
    X(crossbar_attention_pipelined, A, "pipelined", LEVEE_ROTATIONS_AND_NORMS | MODEL_LATENT, 0,   \
      1)                                                                                           \
    X(veda_attention, A, "veda", MODEL_SCORE_CAP | MODEL_SINKS | MODEL_LATENT, 0, 0)               \
    X(sfu_functions, F, "sfu", 0, 0, 0)                                                            \
    X(serial_functions, F, "element_serial", MODEL_ALL_HEAD_NORMS | MODEL_LATENT, 0, 0)
enum levee_part_lacks {
#define LEVEE_PART_LACKS(symbol, roles, name, lacks, sequences, keeps) LACKS_OF_##symbol = (lacks),
    LEVEE_MACHINE_PARTS(LEVEE_PART_LACKS)
#undef LEVEE_PART_LACKS
};
enum levee_part_sequences {
#define LEVEE_PART_SEQUENCES(symbol, roles, name, lacks, sequences, keeps)                         \
    SEQUENCES_OF_##symbol = (sequences),
    LEVEE_MACHINE_PARTS(LEVEE_PART_SEQUENCES)
#undef LEVEE_PART_SEQUENCES
};
enum levee_part_keeps {
#define LEVEE_PART_KEEPS(symbol, roles, name, lacks, sequences, keeps) KEEPS_OF_##symbol = (keeps),
    LEVEE_MACHINE_PARTS(LEVEE_PART_KEEPS)
#undef LEVEE_PART_KEEPS
};

/* X(name, weights, attention, functions, order): the machines of the schedulers' names, with
 * their LEVEE_ORDER_* (boot_info.h). */
#define LEVEE_SCHEDULERS(X)                                                                        \
    X(baseline, systolic_weights, systolic_attention, sfu_functions, 0)                            \
    X(kelle, systolic_weights, systolic_attention, sfu_functions,                                  \
      LEVEE_ORDER_SEPARATE | LEVEE_ORDER_KV_QUEUE)                                                 \
    X(kelle_baseline, systolic_weights, systolic_attention, sfu_functions,                         \
      LEVEE_ORDER_SEPARATE | LEVEE_ORDER_STAGED)                                                   \
    X(flash, flash_weights, systolic_attention, sfu_functions, 0)                                  \
    X(veda, veda_weights, veda_attention, serial_functions, 0)                                     \
    X(retransformer, crossbar_weights, crossbar_attention_pipelined, sfu_functions, 0)             \
    X(reram_layers, crossbar_weights, crossbar_attention_by_layers, sfu_functions, 0)              \
    X(reram_plain, crossbar_weights, crossbar_attention, sfu_functions, 0)                         \
    X(reram_weights, crossbar_weights, systolic_attention, sfu_functions, 0)                       \
    X(titanus, cim_layers, cim_layers, sfu_functions, 0)
