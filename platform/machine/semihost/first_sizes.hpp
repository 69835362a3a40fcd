// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace levee::semihost {

/// Sizes of files before a run first appended to them. All copies of the process share them: when a
/// debugger goes back, the run continues in a copy that may not yet have opened a file to which
/// another copy appended.
class FirstSizes {
public:
    FirstSizes();
    ~FirstSizes();
    FirstSizes(const FirstSizes&) = delete;
    FirstSizes& operator=(const FirstSizes&) = delete;

    /// Records that this copy opens a file of `bytes` for appending. Returns the size that the file
    /// should have: its original size if another copy has opened it and this copy has not.
    [[nodiscard]] std::uint64_t open(const std::string& name, std::uint64_t bytes);

private:
    struct Entry {
        std::uint64_t hash; ///< hash of the name; 0: free
        std::uint64_t bytes;
    };
    std::span<Entry> shared_;      ///< empty if the system gives no shared memory
    std::set<std::string> opened_; ///< Files opened by this copy.
};

} // namespace levee::semihost
