// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "ip/cam/proxies.hpp"
#include "ip/cam/timing.hpp"

#include <cstdint>
#include <vector>

namespace levee::cam {

/// The configuration of a memory other than its clock and queue.
struct Build {
    Arrays arrays;
    std::uint32_t cell_bits = 1; ///< most bits of a cell
    Pace pace;
    Noise noise;
};

/// One operation in execution: its checks, its accesses, and its stored or listed vectors.
class OperationRun {
public:
    struct Size {
        std::uint64_t cycles = 0;
        std::uint64_t written = 0;       ///< rows
        std::uint64_t searches = 0;      ///< queries, each against one slice
        std::uint64_t compared = 0;      ///< rows compared, over all queries
        std::uint64_t matches = 0;       ///< slots listed
        std::uint64_t written_cells = 0; ///< Cells written, and cells of the rows compared:
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
    // operation_checks.cpp
    void check() const;
    void check_format() const;
    void check_addresses() const;
    void check_rows() const;

    // operation_run.cpp
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
    std::uint64_t readings_ = 0; ///< number of match lines read so far

    // The operation in execution.
    levee_cam_operation op_{};
    std::uint8_t opcode_ = 0;
    Format format_;
    std::vector<std::uint32_t> slots_;            ///< WRITE: by slice
    std::vector<std::uint32_t> lengths_, counts_; ///< SEARCH: by o0
    std::vector<std::uint32_t> lists_;            ///< SEARCH: `width` words a slice
    std::vector<std::vector<std::uint32_t>> any_; ///< SEARCH with any: by o0; none if replayed
};

} // namespace levee::cam
