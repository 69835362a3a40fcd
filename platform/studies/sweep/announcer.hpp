// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/progress.hpp"

#include <cstddef>

namespace levee::sweep {

/// Progress of a sweep: an updated line on a terminal, otherwise occasional lines, counted in runs,
/// so that they are the same on every machine.
class Announcer {
public:
    /// `total` runs; `done` of them are finished already.
    Announcer(std::size_t total, std::size_t done, bool quiet);
    void ended(bool failed);
    /// `runs` more have ended, possibly with failures.
    void ended(std::size_t runs);

private:
    void say() const;

    std::size_t total_, done_, failed_ = 0;
    bool lines_;
    Progress line_;
};

} // namespace levee::sweep
