// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/progress.hpp"

#include <cstddef>

namespace levee::sweep {

/// Shows a sweep's progress. On a terminal it updates one line. Otherwise it prints a line after
/// every few runs, so that the output is the same on every machine.
class Announcer {
public:
    /// The sweep has `total` runs, and `done` of them are already finished.
    Announcer(std::size_t total, std::size_t done, bool quiet);
    void ended(bool failed);
    /// Called when `runs` further runs have ended, perhaps some with failures.
    void ended(std::size_t runs);

private:
    void say() const;

    std::size_t total_, done_, failed_ = 0;
    bool lines_;
    Progress line_;
};

} // namespace levee::sweep
