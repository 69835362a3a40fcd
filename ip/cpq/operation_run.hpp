// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cpq/engine.hpp"
#include "ip/cpq/magnitudes.hpp"
#include "ip/cpq/operands.hpp"
#include "ip/cpq/records.hpp"
#include "ip/cpq/tables.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::cpq {

/// Executes one operation: reads rows, converts them and writes the results. A timing-only run has
/// no values; the records of its rows come from a recording or from statistics.
class OperationRun {
public:
    /// `engine` prunes and quantises instead of the reference; may be null.
    OperationRun(CommandQueue& queue, const Units& units, std::uint64_t sz_bytes,
                 const std::optional<Expected>& expected, Engine* engine)
        : queue_(queue), units_(units), expected_(expected), engine_(engine), tables_(sz_bytes),
          operands_(queue)
    {
    }
    OperationRun(const OperationRun&) = delete;
    OperationRun& operator=(const OperationRun&) = delete;

    /// Fills all of `operation` except its own pace. Throws CommandFault.
    Totals prepare(const levee_descriptor& descriptor, Operation& operation);

    /// Starts to count the magnitudes of all compressed values, by table.
    void count_magnitudes() { counts_magnitudes_ = true; }
    [[nodiscard]] std::span<const Magnitudes> magnitudes() const { return magnitudes_; }

private:
    /// The rows of one sequence. Timing-only runs only fill in `records`.
    struct Entry {
        std::vector<levee_cpq_record> records;
        std::vector<std::uint8_t> packed; ///< COMPRESS: packed rows one after another.
        /// COMPRESS: values to be packed. EXPAND: decompressed values.
        std::vector<float> values;
    };

    void check_writes(std::size_t o0);
    void read_records(std::size_t o0);
    void find_records();
    void recall_records();
    void expect_records();
    void read_values(std::size_t o0);
    void expand(std::size_t o0);
    void open_rows(Operation& operation, std::size_t o0);
    void open_packed(Operation& operation, std::size_t o0);
    void compress(std::size_t o0);
    void compress_rows(Table& table, Entry& entry, std::span<const float> values);
    [[nodiscard]] Totals totals() const;
    void commit(std::uint32_t first, std::uint32_t last);
    void write_packed(std::size_t o0);
    void write_values(std::size_t o0);
    [[nodiscard]] Decision decided(std::uint32_t first, std::uint32_t last) const;

    CommandQueue& queue_;
    Units units_;
    std::optional<Expected> expected_;
    Engine* engine_;
    Tables tables_;
    bool counts_magnitudes_ = false;
    std::vector<Magnitudes> magnitudes_; ///< By number of the table.
    Operands operands_;                  ///< Operands of the current operation.
    std::vector<Entry> entries_;         ///< Entries of the current operation, by o0.
};

} // namespace levee::cpq
