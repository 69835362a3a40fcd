// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace levee::semihost {

/// File sizes before the run's first append, shared by all copies of this process. When a debugger
/// goes back in time, another copy continues the run. That copy might not yet have opened a file
/// to which the previous copy has appended.
class FirstSizes {
public:
    FirstSizes();
    ~FirstSizes();
    FirstSizes(const FirstSizes&) = delete;
    FirstSizes& operator=(const FirstSizes&) = delete;

    /// Called when this copy opens a file of `bytes` bytes for appending. Returns the size at which
    /// this copy begins to append: `bytes`, or, if only another copy has opened the file before,
    /// the original size (at most `bytes`).
    [[nodiscard]] std::uint64_t open(const std::string& name, std::uint64_t bytes);

private:
    struct Entry {
        std::uint64_t hash; ///< hash of the file's name; 0: the entry is free
        std::uint64_t bytes;
    };
    std::span<Entry> shared_;      ///< empty if the system has no shared memory
    std::set<std::string> opened_; ///< files that this copy has opened
};

} // namespace levee::semihost
