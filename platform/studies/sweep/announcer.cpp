// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/announcer.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace levee::sweep {

namespace {

constexpr std::size_t most_lines = 20; // maximum number of lines for a whole sweep

} // namespace

Announcer::Announcer(std::size_t total, std::size_t done, bool quiet)
    : total_(total), done_(done), lines_(!quiet && isatty(STDERR_FILENO) == 0),
      line_(total - done, quiet, "runs")
{
    if (!quiet && done != 0)
        std::fprintf(stderr, "%zu of %zu runs are done already\n", done, total);
}

void Announcer::ended(bool failed)
{
    failed_ += failed ? 1 : 0;
    ended(std::size_t{1});
}

void Announcer::ended(std::size_t runs)
{
    if (runs == 0)
        return;
    line_.step(runs);
    const std::size_t before = done_ * most_lines / total_;
    done_ = std::min(done_ + runs, total_);
    if (lines_ && done_ * most_lines / total_ != before)
        say();
}

void Announcer::say() const
{
    std::fprintf(stderr, "%zu of %zu runs done", done_, total_);
    if (failed_ != 0)
        std::fprintf(stderr, ", %zu failed", failed_);
    std::fputc('\n', stderr);
}

} // namespace levee::sweep
