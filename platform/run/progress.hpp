#pragma once

#include <cstdint>

namespace levee {

/// Shows a person at a terminal how far a long run has come, and how long it may still take; says
/// nothing to anything else.
class Progress {
public:
    /// `total` steps, called `noun`; 0 or 1: nothing worth showing.
    Progress(std::uint64_t total, bool quiet, const char* noun);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void step();

private:
    std::uint64_t total_;
    std::uint64_t done_ = 0;
    double began_s_;
    const char* noun_;
    bool shown_;
};

} // namespace levee
