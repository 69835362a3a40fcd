// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/progress.hpp"

#include <cstddef>

namespace levee::sweep {

/// Progress of a sweep: a line that changes on a terminal, else a line now and then, counted in
/// runs, so that it is the same on every machine.
class Announcer {
public:
    /// `total` runs; `done` of them are finished already.
    Announcer(std::size_t total, std::size_t done, bool quiet);
    void ended(bool failed);
    /// `runs` more have ended; which of them failed is not known.
    void ended(std::size_t runs);

private:
    void say() const;

    std::size_t total_, done_, failed_ = 0;
    bool lines_;
    Progress line_;
};

} // namespace levee::sweep
