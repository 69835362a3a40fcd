// SPDX-License-Identifier: Apache-2.0
// Operations of one decode step of a layer of Llama2-7B with 16 sequences and 2048 slots each.
#pragma once

#include "ip/dma/regs.h"
#include "ip/rsa/regs.h"
#include "ip/sfu/regs.h"
#include "ip/systolic_evictor/regs.h"

#include <cstdint>

namespace levee::timing_only_bench {

inline constexpr std::uint64_t near = 0x40'0000'0000, far = 0x80'0000'0000; // base addresses of the
                                                                            // two memories
inline constexpr std::uint64_t near_bytes = 64 << 20, far_bytes = 1ull << 34;
inline constexpr std::uint16_t entries = 16, heads = 32, head_dim = 128;
inline constexpr std::uint32_t slots = 2048, dim = 4096;

// Tables in the near memory.
inline constexpr std::uint64_t next_slots = 1 << 20, lengths = 12 << 20;
inline constexpr std::uint64_t cache_lengths = 13 << 20, cache_now = cache_lengths + 4096,
                               cache_next = cache_now + 4096;

inline levee_dma_operation mebibyte()
{
    levee_dma_operation copy{};
    copy.count[0] = copy.count[1] = copy.count[2] = 1;
    copy.run_bytes = 1 << 20;
    copy.source = far;
    copy.destination = far + (1 << 24);
    return copy;
}

inline levee_dma_operation vectors_into_slots()
{
    levee_dma_operation copy = mebibyte();
    copy.count[0] = entries;
    copy.count[1] = heads;
    copy.run_bytes = 2 * head_dim;
    copy.source_stride[0] = heads * 2 * head_dim;
    copy.source_stride[1] = 2 * head_dim;
    copy.destination_stride[2] = 2 * head_dim;
    copy.destination_stride[1] = 2 * head_dim * slots;
    copy.destination_stride[0] = copy.destination_stride[1] * heads;
    copy.destination_index = near + next_slots;
    copy.destination_index_stride[0] = 4;
    copy.destination_index_stride[1] = 4 * entries;
    return copy;
}

inline levee_dma_operation word_into_slots()
{
    levee_dma_operation copy = vectors_into_slots();
    copy.flags = LEVEE_DMA_CONTROL;
    copy.run_bytes = 4;
    copy.source_stride[0] = copy.source_stride[1] = 0;
    copy.source = copy.destination = near + (2 << 20);
    copy.destination_stride[2] = 4;
    copy.destination_stride[1] = 4 * slots;
    copy.destination_stride[0] = 4 * slots * heads;
    return copy;
}

inline levee_dma_operation words()
{
    levee_dma_operation copy{};
    copy.flags = LEVEE_DMA_CONTROL;
    copy.count[0] = entries;
    copy.count[1] = heads;
    copy.count[2] = 1;
    copy.run_bytes = 4;
    copy.source = near + (2 << 20);
    copy.destination = near + (3 << 20);
    copy.source_stride[0] = copy.destination_stride[0] = 4;
    copy.source_stride[1] = copy.destination_stride[1] = 4 * entries;
    return copy;
}

inline levee_sfu_operation norm()
{
    levee_sfu_operation norm{};
    norm.outer[0] = norm.outer[1] = 1;
    norm.rows = entries;
    norm.n = dim;
    norm.x_type = LEVEE_TYPE_FP32;
    norm.out_type = LEVEE_TYPE_INT16;
    norm.x = near + (4 << 20);
    norm.x_stride[2] = 4 * dim;
    norm.gain = far;
    norm.out = near + (8 << 20);
    norm.out_stride[2] = 2 * dim;
    norm.out_scale = near + (9 << 20);
    norm.out_scale_stride[2] = 4;
    return norm;
}

inline levee_sfu_operation store_keys()
{
    levee_sfu_operation store = norm();
    store.gain = 0;
    store.outer[0] = entries;
    store.outer[1] = heads;
    store.rows = 1;
    store.n = head_dim;
    store.x_stride[0] = 4 * dim;
    store.x_stride[1] = 4 * head_dim;
    store.flags = LEVEE_SFU_SCATTER;
    store.indices = near + next_slots;
    store.indices_stride[0] = 4;
    store.indices_stride[1] = 4 * entries;
    store.out = far;
    store.out_stride[2] = 2 * head_dim;
    store.out_stride[1] = store.out_stride[2] * static_cast<std::int32_t>(slots);
    store.out_stride[0] = store.out_stride[1] * heads;
    store.out_scale_stride[1] = 4 * slots;
    store.out_scale_stride[0] = 4 * slots * heads;
    store.y = far + (1 << 28);
    store.positions = near + next_slots;
    return store;
}

inline levee_sfu_operation softmax()
{
    levee_sfu_operation softmax{};
    softmax.outer[0] = entries;
    softmax.outer[1] = heads;
    softmax.rows = 1;
    softmax.n = slots;
    softmax.x_type = LEVEE_TYPE_FP32;
    softmax.out_type = LEVEE_TYPE_INT16;
    softmax.x = near + (16 << 20);
    softmax.x_stride[1] = 4 * slots;
    softmax.x_stride[0] = 4 * slots * heads;
    softmax.y = far;
    softmax.y_stride[2] = 4;
    softmax.y_stride[1] = 4 * slots;
    softmax.y_stride[0] = 4 * slots * heads;
    softmax.out = near + (24 << 20);
    softmax.out_stride[1] = 2 * slots;
    softmax.out_stride[0] = 2 * slots * heads;
    softmax.out_scale = near + (9 << 20);
    softmax.out_scale_stride[1] = 4;
    softmax.out_scale_stride[0] = 4 * heads;
    softmax.lengths = near + lengths;
    softmax.lengths_stride[0] = 4;
    return softmax;
}

inline levee_rsa_operation product()
{
    levee_rsa_operation product{};
    product.outer[0] = product.outer[1] = product.m1 = 1;
    product.m0 = entries;
    product.k = product.n = dim;
    product.a_type = LEVEE_TYPE_INT16;
    product.b_type = LEVEE_TYPE_INT8;
    product.alpha = 1.0f;
    product.a = near + (4 << 20);
    product.a_stride[3] = 2 * dim;
    product.b = far;
    product.b_stride[2] = dim;
    product.b_scale = far + (1 << 28);
    product.b_scale_stride[2] = 4;
    product.out = near + (8 << 20);
    product.out_stride[3] = 4 * dim;
    return product;
}

/// Evicts from a full cache of `slots` tokens and the arriving one.
inline levee_se_operation eviction()
{
    constexpr std::int32_t row = slots + 1;
    levee_se_operation op{};
    op.outer[0] = entries;
    op.outer[1] = heads;
    op.rows = op.group = 1;
    op.n = slots + 1;
    op.capacity = slots;
    op.sinks = 10;
    op.importance = far;
    op.importance_stride[1] = 2 * row;
    op.importance_stride[0] = 2 * row * heads;
    op.positions = far + (1 << 26);
    op.positions_stride[1] = 4 * row;
    op.positions_stride[0] = 4 * row * heads;
    op.lengths = near + cache_lengths;
    op.now = near + cache_now;
    op.arrival = op.next = near + cache_next;
    op.table_stride[0] = 4;
    op.table_stride[1] = 4 * entries;
    return op;
}

inline levee_se_operation selection()
{
    levee_se_operation op = eviction();
    op.gather = far + (1ull << 32);
    return op;
}

inline levee_se_operation discards()
{
    levee_se_operation op = eviction();
    op.keys = far + (1 << 28);
    op.values = far + (1ull << 33);
    op.kv_row_bytes = 2 * head_dim;
    op.kv_stride[1] = 2 * head_dim * static_cast<std::int32_t>(slots + 1);
    op.kv_stride[0] = op.kv_stride[1] * heads;
    return op;
}

} // namespace levee::timing_only_bench
