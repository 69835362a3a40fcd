// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/cpq/engine.hpp"
#include "ip/cpq/magnitudes.hpp"
#include "ip/cpq/model.hpp"
#include "ip/cpq/regs.h"
#include "ip/cpq/timing.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::cpq {

/// What is expected of rows where a timing-only run has statistics instead of recorded decisions.
struct Expected {
    double pruned = 0; ///< share of the values
    double zero = 0;   ///< share of the values that are not stored: at least `pruned`
    std::uint32_t levels = 1;
};

/// What an operation, or several, did.
struct Totals {
    std::uint64_t cycles = 0;
    std::uint64_t rows = 0, values = 0, survivors = 0, non_zeros = 0, levels = 0, clamped = 0;
    std::uint64_t index_bytes = 0, code_bytes = 0, label_bytes = 0, packed_bytes = 0;
    std::uint64_t expanded_rows = 0, expanded = 0, expanded_bytes = 0;
    std::uint64_t compared = 0; ///< values, each time that the pruning unit sees them

    void add(const Totals& other);
};

/// One operation in execution: its checks, its rows, their write-back. A timing-only run has no
/// values; the records of its rows are replayed from a recording or expected.
class OperationRun {
public:
    /// `engine`: prunes and quantises instead of the reference; may be null.
    OperationRun(CommandQueue& queue, const Units& units, std::uint64_t sz_bytes,
                 const std::optional<Expected>& expected, Engine* engine)
        : queue_(queue), units_(units), sz_bytes_(sz_bytes), expected_(expected), engine_(engine)
    {
    }
    OperationRun(const OperationRun&) = delete;
    OperationRun& operator=(const OperationRun&) = delete;

    /// Fills all of `operation` except its own pace. Throws CommandFault.
    Totals prepare(const levee_descriptor& descriptor, Operation& operation);

    /// From now on, magnitudes of all values that are compressed are counted, by table.
    void count_magnitudes() { counts_magnitudes_ = true; }
    [[nodiscard]] std::span<const Magnitudes> magnitudes() const { return magnitudes_; }

private:
    /// A table of the scale-zero buffer, since it was reset.
    struct Slot {
        std::uint32_t channels = 0;
        Settings settings;
        std::optional<Table> table; ///< not in timing-only runs
    };
    /// The rows of one sequence.
    struct Entry {
        std::uint32_t count = 0;
        std::uint32_t first = 0;          ///< COMPRESS: number of the first row
        std::vector<std::uint32_t> slots; ///< EXPAND of listed rows: their numbers
        std::vector<levee_cpq_record> records;
        std::vector<std::vector<std::uint8_t>> packed; ///< COMPRESS
        std::vector<float> values;                     ///< COMPRESS: until they are packed; EXPAND
    };

    // operation_checks.cpp
    void check() const;
    void check_layout() const;
    void check_tables() const;
    [[nodiscard]] std::uint64_t bytes_in_use() const;

    [[nodiscard]] bool compresses() const { return opcode_ == LEVEE_CPQ_COMPRESS; }
    [[nodiscard]] bool opens() const { return compresses() && (op_.flags & LEVEE_CPQ_OPEN) != 0; }
    [[nodiscard]] std::uint32_t channels() const { return std::uint32_t{op_.vectors} * op_.vector; }
    [[nodiscard]] std::size_t table_of(std::size_t o0) const
    {
        return op_.table + o0 * op_.table_step;
    }
    [[nodiscard]] Settings settings() const;
    [[nodiscard]] std::uint64_t most_bytes() const;
    [[nodiscard]] AccessPattern data(std::size_t o0) const;
    [[nodiscard]] AccessPattern scales(std::size_t o0) const;
    [[nodiscard]] AccessPattern packed_row(std::size_t o0, std::size_t row,
                                           std::uint64_t bytes) const;
    [[nodiscard]] AccessPattern rows_spread(std::size_t o0, std::uint64_t bytes) const;
    [[nodiscard]] AccessPattern record(std::size_t o0, std::size_t row) const;
    [[nodiscard]] std::uint32_t number(std::size_t o0, std::size_t row) const;
    [[nodiscard]] const Slot* slot_in_use(std::size_t o0) const;
    Slot& slot(std::size_t o0);
    void forget();

    void read_counts();
    void read_slots(std::size_t o0);
    void check_writes(std::size_t o0);
    void open_rows(Operation& operation, std::size_t o0);
    void open_packed(Operation& operation, std::size_t o0);
    void read_values(std::size_t o0);
    void compress(std::size_t o0);
    void read_records(std::size_t o0);
    void expand(std::size_t o0);
    void commit(std::uint32_t first, std::uint32_t last);
    void commit_compressed(std::size_t o0, Decision& decision);
    void commit_expanded(std::size_t o0);
    [[nodiscard]] Totals totals() const;
    void add_row(const levee_cpq_record& record, Totals& totals) const;

    // operation_timing_only.cpp
    void find_records();
    void expect_records();
    void touch(std::size_t o0);
    void commit_timing_only(std::uint32_t first, std::uint32_t last);

    CommandQueue& queue_;
    Units units_;
    std::uint64_t sz_bytes_;
    std::optional<Expected> expected_;
    Engine* engine_;
    std::vector<Slot> slots_; ///< by number of the table
    bool counts_magnitudes_ = false;
    std::vector<Magnitudes> magnitudes_; ///< likewise

    // The running operation.
    std::uint8_t opcode_ = 0;
    levee_cpq_operation op_{};
    std::vector<Entry> entries_; ///< by o0
};

} // namespace levee::cpq
