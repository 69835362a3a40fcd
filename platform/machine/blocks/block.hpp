// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/boot_info.h"
#include "ip/common/clock.hpp"
#include "ip/common/command_queue.hpp"
#include "ip/common/lockstep.hpp"
#include "platform/input/config/reader.hpp"
#include "platform/input/config/scenario.hpp"

#include <systemc>
#include <tlm>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee {

/// A parameter as `describe` shows it.
using Parameter = std::pair<std::string, std::string>;

/// What does a block's work: `impl:` of the block.
enum class Implementation {
    Tlm,     ///< its reference
    Rtl,     ///< its Verilated design
    Lockstep ///< both, compared
};

/// What a system gives blocks that do not state their own.
struct BlockDefaults {
    Clock clock;
    CommandQueueConfig queue;
    config::TimingConfig timing;
    Implementation implementation = Implementation::Tlm; ///< of this block
    std::span<const config::Component> blocks; ///< the system's, for those that refer to others
};

/// Called with every logits vector that the block sees.
using LogitsSink = std::function<void(std::span<const float>)>;

/// A block in a system, whatever its type: what the platform needs to connect, run and report it.
struct Block {
    std::unique_ptr<sc_core::sc_module> module;
    tlm::tlm_target_socket<>* registers = nullptr;
    tlm::tlm_initiator_socket<>* memory = nullptr;     ///< null: it does not access memory
    std::function<void(bool)>* on_interrupt = nullptr; ///< null: it has no interrupt
    const RegisterFile* register_file = nullptr;
    RtlStatus* rtl = nullptr;                       ///< null: it runs no RTL
    CommandQueue* queue = nullptr;                  ///< null: it executes no descriptors
    SyncCounters* counters = nullptr;               ///< not null: this is the sync unit
    std::function<void(Stats&)> report;             ///< may be empty
    std::function<void(LogitsSink)> observe_logits; ///< empty: it sees none
    /// Empty: it shares nothing. The argument is the module of the block that its plan names.
    std::function<void(sc_core::sc_module&)> share;
};

/// A block's configuration, read: how to make it and what to say of it.
struct BlockPlan {
    std::vector<Parameter> parameters;
    bool has_rtl = false;              ///< honours BlockDefaults::implementation
    std::string shares;                ///< the block whose units it works on; empty: its own
    std::uint64_t macs_per_second = 0; ///< multiply-accumulates at its peak, of units of its own
    /// `fabric` is null only while the sync unit itself is made.
    std::function<Block(const std::string& name, Fabric* fabric)> make;
};

/// A kind of block: one file in this folder, one line in registry.cpp.
struct BlockType {
    std::string name; ///< in scenarios: `type: rsa`
    levee_block_type id;
    /// Reads the block's own keys; the caller finishes the reader.
    std::function<BlockPlan(config::MapReader&, const BlockDefaults&)> read;
};

[[nodiscard]] const std::vector<BlockType>& block_types();

/// `clock:` of a block, by default the system's.
[[nodiscard]] Clock read_clock(config::MapReader& reader, const BlockDefaults& defaults);

/// The queue of a block whose operations take time or, all of them, none.
[[nodiscard]] CommandQueueConfig queue_of(const BlockDefaults& defaults, bool takes_time);

/// Fills what every block with a command queue has in common.
void use_queue(Block& block, CommandQueue& queue);

// The types, one file each.
[[nodiscard]] BlockType sync_type();
[[nodiscard]] BlockType dma_type();
[[nodiscard]] BlockType rsa_type();
[[nodiscard]] BlockType sfu_type();
[[nodiscard]] BlockType systolic_evictor_type();
[[nodiscard]] BlockType veda_type();

} // namespace levee
