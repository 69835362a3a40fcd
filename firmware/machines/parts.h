// SPDX-License-Identifier: Apache-2.0
/* Parts of machines, and the features of models that each part lacks. The firmware is built from
 * this list. The platform uses it to refuse unsuitable models before a run begins. */
#pragma once

#include "core/abi/boot_info.h"
#include "firmware/machines/properties.h"

/* Decomposed attention computes no keys, so it cannot normalise or rotate them. */
#define LEVEE_ROTATIONS_AND_NORMS (MODEL_HEAD_NORMS | MODEL_ALL_HEAD_NORMS | MODEL_PARTLY_ROTATED)

/* Features that a part for attention or functions lacks if it does not store keys and values
 * through the function unit (sfu). */
#define LEVEE_OWN_VECTORS (MODEL_LATENT | MODEL_HADAMARD)

/* X(symbol, roles, name, lacks, sequences, keeps): parts (firmware/target/part.h). `roles` are
 * weights (W), functions (F) and attention (A). K in `roles` marks a part that holds matrices of
 * layers in the format of the memory with the role `weights`. `lacks` has the features of models
 * that the part does not support. `sequences` is the part's largest batch (0: as many as memory
 * holds). `keeps` is 1 if the part's units hold keys and values that nothing can copy. */
#define LEVEE_MACHINE_PARTS(X)                                                                     \
    X(systolic_weights, W, "systolic", 0, 0, 0)                                                    \
    X(flash_weights, WK, "flash", MODEL_LATENT, 1, 0)                                              \
    X(crossbar_weights, WK, "crossbars", MODEL_EXPERTS | MODEL_LATENT, 0, 0)                       \
    X(veda_weights, W, "veda", MODEL_NORMS_AFTER | MODEL_PARALLEL | MODEL_EXPERTS | MODEL_LATENT,  \
      0, 0)                                                                                        \
    X(cim_layers, WKA, "cim", MODEL_ALL_PROPERTIES & ~MODEL_LOGIT_CAP, 0, 0)                       \
    X(systolic_attention, A, "systolic", 0, 0, 0)                                                  \
    X(crossbar_attention, A, "crossbars", LEVEE_OWN_VECTORS, 0, 1)                                 \
    X(crossbar_attention_by_layers, A, "decomposed",                                               \
      LEVEE_ROTATIONS_AND_NORMS | LEVEE_OWN_VECTORS, 0, 1)                                         \
    X(crossbar_attention_pipelined, A, "pipelined", LEVEE_ROTATIONS_AND_NORMS | LEVEE_OWN_VECTORS, \
      0, 1)                                                                                        \
    X(veda_attention, A, "veda", MODEL_SCORE_CAP | MODEL_SINKS | LEVEE_OWN_VECTORS, 0, 0)          \
    X(sfu_functions, F, "sfu", 0, 0, 0)                                                            \
    X(serial_functions, F, "element_serial", MODEL_ALL_HEAD_NORMS | LEVEE_OWN_VECTORS, 0, 0)
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

/* X(name, weights, attention, functions, order): for each scheduler's name, the parts of its
 * machine and its LEVEE_ORDER_* flags (boot_info.h). */
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
