// SPDX-License-Identifier: Apache-2.0
#include "platform/run/progress.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace levee {

namespace {

constexpr double between_lines_s = 0.1;

double host_seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace

std::string progress_text(std::uint64_t done, std::uint64_t total, double elapsed_s)
{
    const double share = std::min(static_cast<double>(done) / static_cast<double>(total), 1.0);
    const double left_s = elapsed_s / share * (1 - share);
    std::array<char, 64> text{};
    if (left_s < 90)
        std::snprintf(text.data(), text.size(), "%3.0f %%, about %.0f s left", 100 * share, left_s);
    else
        std::snprintf(text.data(), text.size(), "%3.0f %%, about %.0f min left", 100 * share,
                      left_s / 60);
    return text.data();
}

Progress::Progress(std::uint64_t total, bool quiet, const char* noun)
    : total_(total), began_s_(host_seconds()), shown_s_(began_s_), noun_(noun),
      shown_(!quiet && total > 1 && isatty(STDERR_FILENO) != 0)
{
}

Progress::~Progress()
{
    if (shown_ && shown_s_ > began_s_)
        std::fputs("\r\033[K", stderr);
}

void Progress::step(std::uint64_t parts)
{
    done_ += parts;
    const double now_s = shown_ ? host_seconds() : 0;
    if (!shown_ || now_s < shown_s_ + between_lines_s)
        return;
    shown_s_ = now_s;
    constexpr std::uint64_t width = 30;
    const std::uint64_t filled = std::min(done_ * width / total_, width);
    std::string line =
        "\r\033[K[" + std::string(filled, '#') + std::string(width - filled, '.') + "]";
    if (*noun_ != '\0')
        line += " " + std::to_string(done_) + " of " + std::to_string(total_) + " " + noun_ + ",";
    line += " " + progress_text(done_, total_, now_s - began_s_);
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
}

} // namespace levee
