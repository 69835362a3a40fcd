// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>
#include <utility>

namespace levee::config {

/// Owns a file descriptor and closes it; -1: none.
class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor()
    {
        if (number_ >= 0)
            ::close(number_);
    }

    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] explicit operator bool() const { return number_ >= 0; }
    /// Returns the descriptor and gives up ownership.
    [[nodiscard]] int release() { return std::exchange(number_, -1); }

private:
    int number_;
};

} // namespace levee::config
