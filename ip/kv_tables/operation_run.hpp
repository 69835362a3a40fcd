// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/kv_tables/decided.hpp"
#include "ip/kv_tables/drawn_cache.hpp"
#include "ip/kv_tables/engine.hpp"
#include "ip/kv_tables/layout.hpp"
#include "ip/kv_tables/model.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace levee::kv_tables {

/// One operation in execution: its checks, its tables, their write-back.
class OperationRun {
public:
    struct Size {
        std::uint64_t steps = 0;  ///< timing.hpp
        std::uint64_t scores = 0; ///< added
        std::uint64_t evicted = 0;
        std::uint64_t compared = 0;           ///< tokens examined by searches and selections
        std::uint64_t positions_compared = 0; ///< with their positions
    };

    /// `engine`: adds and searches instead of the reference; may be null, and must be for
    /// Ties::Earliest. `chain`: tokens whose importance is added to at the same time by ACCUMULATE.
    OperationRun(CommandQueue& queue, Engine* engine, std::uint32_t chain, Ties ties = Ties::Slot)
        : queue_(queue), engine_(engine), chain_(chain), ties_(ties)
    {
    }
    OperationRun(const OperationRun&) = delete;
    OperationRun& operator=(const OperationRun&) = delete;

    /// Fills all of `operation` except its own pace. Throws CommandFault.
    Size prepare(const levee_descriptor& descriptor, Operation& operation);

    [[nodiscard]] bool takes_stream() const { return from_stream_; }

private:
    // operation_checks.cpp
    void check() const;
    void check_addresses() const;
    void check_alignment() const;
    void read_formats();

    // operation_tables.cpp
    std::vector<std::uint32_t> read_words(const Table& table, std::size_t heads);
    void read_lengths();
    void read_arrivals();
    void read_kept();
    void accept_scores();
    void open_streams(Operation& operation);
    void open_scores(Operation& operation);
    void open(Operation& operation, Direction direction, const Table& table,
              std::span<const std::uint32_t> elements);
    void load_tables();
    void load_formats(Entry& entry);
    void load(const Table& table, std::size_t o0, std::size_t o1, std::size_t elements,
              std::vector<std::uint32_t>& into);
    void load(const Table& table, std::size_t o0, std::size_t o1, std::size_t elements,
              std::vector<std::uint16_t>& into);
    [[nodiscard]] std::vector<std::uint32_t> kept_of_lengths() const;
    [[nodiscard]] AccessPattern scores_pattern(std::size_t o0, std::size_t o1) const;
    [[nodiscard]] ScoreRows scores_of(std::size_t o0, std::size_t o1);
    void check_writes();
    void check_write_formats(const Entry& entry);
    void commit(std::uint32_t first, std::uint32_t last);
    void decide_pair(std::uint32_t pair, Decision& decision) const;
    void decide_formats(std::uint32_t pair, Decision& decision) const;
    static void add(Decision& decision, std::uint32_t pair, Decided what,
                    const AccessPattern& pattern, const void* packed);
    [[nodiscard]] std::vector<std::uint32_t> read_discards(std::size_t o0, std::size_t o1);
    void discard_slots(std::size_t o0, std::size_t o1);

    // operation_timing_only.cpp
    Size prepare_timing_only(Operation& operation);
    void check_arrivals();
    void decide_timing_only(std::uint32_t first, std::uint32_t last);
    void touch(const Table& table, std::span<const std::uint32_t> elements);
    void touch_entries(const Table& table, std::span<const std::uint32_t> elements);
    void touch_kept(const Table& table);
    void touch_scores();
    void touch_importance(std::uint32_t first, std::uint32_t last);
    void touch_tables();
    [[nodiscard]] Size timing_only_size() const;
    void check_timing_only_writes();
    void check_rows(const Table& table, std::span<const std::uint32_t> elements, std::size_t heads);

    // operation_drawn.cpp
    [[nodiscard]] bool draws() const { return queue_.decisions().statistics != nullptr; }
    void find_drawn();
    void draw_decisions();
    void write_drawn();
    void write_words(const Table& table, const std::vector<std::uint32_t>& words,
                     std::size_t heads);
    void write_drawn_gather(std::uint32_t o0);
    void write_drawn_views(std::uint32_t o0);
    Size prepare_drawn_forget(Operation& operation);
    void discard_slot(std::uint32_t o0, std::uint32_t slot);

    Size prepare_forget(Operation& operation);
    Size compute();
    Size accumulate_all();
    void stream_entry(Entry& entry, std::uint32_t length);
    Size evict_all();
    Size select_all();
    Size popular_all();
    void add_scores(Size& size, std::uint32_t length) const;
    void add_selection(Size& size, std::uint32_t length) const;
    [[nodiscard]] Policy policy() const;
    [[nodiscard]] static CommandFault fault_of(const Refusal& refusal);
    [[nodiscard]] std::size_t rows_of_scores() const;
    [[nodiscard]] bool makes_views() const;

    CommandQueue& queue_;
    Engine* engine_;
    std::uint32_t chain_;
    Ties ties_;

    // The running operation.
    std::uint8_t opcode_ = 0;
    levee_se_operation op_{};
    levee_se_formats formats_{}; // of rows 0: none
    Layout layout_{op_, formats_};
    std::vector<std::uint32_t> lengths_; // per o0; POPULAR: the most tokens that a head stores
    std::vector<std::uint32_t> now_;     // per o0
    std::vector<std::uint32_t> kept_;    // POPULAR: per (o0, o1)
    std::vector<std::uint32_t> arrival_slots_; // timing-only EVICT: per (o0, o1), or o0 when drawn
    std::vector<Entry> entries_;
    std::vector<Arrival> arrivals_;
    std::vector<Evicted> evicted_;
    std::vector<std::vector<std::uint32_t>> discarded_slots_; // slots, per (o0, o1)
    std::vector<AccessPattern> discarded_rows_;               // by statistics
    bool from_stream_ = false;                                // the scores come from a stream port
    std::span<const float> stream_;                           // the streamed scores
    std::vector<std::vector<float>> scores_;                  // of an entry's heads, from memory

    // From statistics, across operations: entries of layers, by the address of their positions.
    std::unordered_map<std::uint64_t, DrawnCache> drawn_;
    std::vector<DrawnCache*> entries_drawn_; // of the running operation
};

} // namespace levee::kv_tables
