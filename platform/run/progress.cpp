#include "platform/run/progress.hpp"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace levee {

namespace {

double host_seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace

Progress::Progress(std::uint64_t total, bool quiet, const char* noun)
    : total_(total), began_s_(host_seconds()), noun_(noun),
      shown_(!quiet && total > 1 && isatty(STDERR_FILENO) != 0)
{
}

Progress::~Progress()
{
    if (shown_ && done_ > 0)
        std::fputs("\r\033[K", stderr);
}

void Progress::step()
{
    ++done_;
    if (!shown_ || done_ > total_)
        return;
    const double left_s = (host_seconds() - began_s_) / static_cast<double>(done_) *
                          static_cast<double>(total_ - done_);
    std::fprintf(stderr, "\r\033[K%llu of %llu %s, about %.0f s left",
                 static_cast<unsigned long long>(done_), static_cast<unsigned long long>(total_),
                 noun_, left_s);
    std::fflush(stderr);
}

} // namespace levee
