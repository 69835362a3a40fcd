// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace levee::semihost {

/// The sizes that files had before a run first appended to them. All copies of the process share
/// this table. When a debugger goes back in time, another copy continues the run. That copy may not
/// have opened a file yet, although the previous copy has already appended to it.
class FirstSizes {
public:
    FirstSizes();
    ~FirstSizes();
    FirstSizes(const FirstSizes&) = delete;
    FirstSizes& operator=(const FirstSizes&) = delete;

    /// Called when this copy opens a file of `bytes` bytes for appending. Returns the size at which
    /// this copy begins to append. If only another copy has opened the file so far, this is the
    /// original size, but at most `bytes`. Otherwise it is `bytes`.
    [[nodiscard]] std::uint64_t open(const std::string& name, std::uint64_t bytes);

private:
    struct Entry {
        std::uint64_t hash; ///< of the name; 0: the entry is free
        std::uint64_t bytes;
    };
    std::span<Entry> shared_;      ///< empty if the system has no shared memory
    std::set<std::string> opened_; ///< files that this copy has opened
};

} // namespace levee::semihost
