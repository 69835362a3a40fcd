// SPDX-License-Identifier: Apache-2.0
#include "core/shipped/lock_holder.hpp"

#include <array>
#include <unistd.h>

namespace levee {

void write_holder(int descriptor)
{
    std::array<char, 128> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0)
        host[0] = '?';
    const std::string text = "process " + std::to_string(::getpid()) + " on " + host.data();
    // A full disk takes no lock away: the text is for people.
    (void)!::ftruncate(descriptor, 0);
    (void)!::pwrite(descriptor, text.data(), text.size(), 0);
}

std::string holder_of(int descriptor)
{
    std::array<char, 256> text{};
    const ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
    return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : "another process";
}

} // namespace levee
