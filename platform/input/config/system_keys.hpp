// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/boot_info.h"
#include "platform/input/config/core_keys.hpp"

namespace levee::config {

// The smallest `bus.interleave`, in bytes: one burst of a DRAM.
inline constexpr std::uint64_t least_interleave = 64;
inline constexpr Key bus_keys[] = {
    quantity("latency", Dimension::Time, "Latency of one hop."),
    quantity("port_bandwidth", Dimension::Bandwidth, "Bandwidth of the link to each target.", {1}),
    quantity("interleave", Dimension::Size,
             "Bytes in one of the interleaved memories before the next one follows: a power of two "
             "that divides their size.",
             {least_interleave})
        .or_else("4 KiB"),
};

inline constexpr Key commands_keys[] = {
    count32("queue_depth", "Descriptors that a block's queue holds.", {1, 65536}),
    quantity("fetch", Dimension::Time, "Time to fetch and decode a descriptor."),
    quantity("register_latency", Dimension::Time, "Latency of a register access."),
};

inline constexpr Key stream_keys[] = {
    quantity("bandwidth", Dimension::Bandwidth, "Bandwidth of the port.", {1}),
    quantity("fill", Dimension::Time, "Time until the consumer has the first bytes."),
};

/// The pattern for names of components.
inline constexpr const char* component_name_pattern = "^[a-z0-9_]{1,15}$";
static_assert(LEVEE_NAME_BYTES == 15 + 1, "names end with a zero");

/// Maps of components, whose keys depend on their types (core/component/keys.hpp).
inline constexpr Key memories_key =
    any("memories", "a map from names to memories", "Memories, in the order of the address map.");
inline constexpr Key blocks_key =
    any("blocks", "a map from names to blocks",
        "Blocks, in the order of their registers; one is of type `sync`.")
        .optional();

inline constexpr Key system_keys[] = {
    text("name", "Name in reports."),
    map("core", core_keys, "The RISC-V core."),
    map("bus", bus_keys, "The interconnect."),
    map("commands", commands_keys, "Command queues of all blocks.")
        .needed_if({.with = "blocks", .other_values = true}),
    texts("components", "Shared libraries with further component types (docs/plugins.md).")
        .optional(),
    named("streams", stream_keys, "Stream ports, numbered in their order.").optional(),
    memories_key,
    blocks_key,
};

} // namespace levee::config
