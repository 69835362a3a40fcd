// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "ip/cam/proxies.hpp"
#include "ip/cam/timing.hpp"

#include <cstdint>
#include <vector>

namespace levee::cam {

/// Configuration of a content-addressable memory, except its clock and queue.
struct Build {
    Arrays arrays;
    std::uint32_t cell_bits = 1; ///< Maximum number of bits of a cell.
    Pace pace;
    Noise noise;
};

/// Executes one operation: checks it, accesses memory, and stores vectors or searches for them.
class OperationRun {
public:
    struct Size {
        std::uint64_t cycles = 0;
        std::uint64_t written = 0;       ///< Rows written.
        std::uint64_t searches = 0;      ///< Queries, each against one slice.
        std::uint64_t compared = 0;      ///< Rows compared, summed over all queries.
        std::uint64_t matches = 0;       ///< Slots listed.
        std::uint64_t written_cells = 0; ///< Cells written.
        /// Cells of the compared rows, and match lines read.
        std::uint64_t compared_cells = 0, lines = 0;
    };

    OperationRun(CommandQueue& queue, const Build& build)
        : queue_(queue), build_(build), proxies_(build.arrays)
    {
    }
    OperationRun(const OperationRun&) = delete;
    OperationRun& operator=(const OperationRun&) = delete;

    /// Fills all of `operation` except its own pace. Throws CommandFault.
    Size prepare(const levee_descriptor& descriptor, Operation& operation);

private:
    // Defined in operation_checks.cpp.
    void check() const;
    void check_format() const;
    void check_addresses() const;
    void check_rows() const;

    // Defined in operation_run.cpp.
    Size write(Operation& operation);
    Size search(Operation& operation);
    void read_slots();
    void read_counts();
    void store_slice(std::uint32_t o0, std::uint32_t o1);
    void find_slice(std::uint32_t o0, std::uint32_t o1);
    void draw_slice(std::uint32_t o0, std::uint32_t o1);
    std::uint64_t join_lists(Operation& operation, std::uint32_t o0);
    [[nodiscard]] std::uint32_t recorded_count(std::uint32_t o0) const;
    [[nodiscard]] Decision decided(std::uint32_t first, std::uint32_t last) const;
    void commit(std::uint32_t first, std::uint32_t last);
    [[nodiscard]] std::vector<std::int16_t> read_vectors(const View& view);
    [[nodiscard]] View vectors(std::uint32_t o0, std::uint32_t o1) const;
    [[nodiscard]] View scales(std::uint32_t o0, std::uint32_t o1) const;
    [[nodiscard]] View list(std::uint32_t o0, std::uint32_t o1) const;
    [[nodiscard]] View any(std::uint32_t o0, std::uint64_t count) const;
    [[nodiscard]] View any_count(std::uint32_t o0) const;
    [[nodiscard]] std::uint64_t row_of(std::uint32_t o0, std::uint32_t o1) const;
    [[nodiscard]] std::size_t slice(std::uint32_t o0, std::uint32_t o1) const
    {
        return std::size_t{o0} * op_.outer[1] + o1;
    }

    CommandQueue& queue_;
    const Build& build_;
    Proxies proxies_;
    std::uint64_t readings_ = 0; ///< Match lines read so far.

    // State of the current operation.
    levee_cam_operation op_{};
    std::uint8_t opcode_ = 0;
    Format format_;
    std::vector<std::uint32_t> slots_;            ///< WRITE: first slot to write, by slice.
    std::vector<std::uint32_t> lengths_, counts_; ///< SEARCH: words read from `lengths` and
                                                  ///< `counts`, by o0.
    std::vector<std::uint32_t> lists_;            ///< SEARCH: `width` words per slice.
    std::vector<std::vector<std::uint32_t>> any_; ///< SEARCH with `any`: joined slots, by o0; empty
                                                  ///< in a replay.
};

} // namespace levee::cam
