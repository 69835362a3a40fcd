// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace levee::sfu {

[[noreturn]] inline void refuse(const char* operation, const std::string& what)
{
    throw std::invalid_argument(std::string("levee::sfu::") + operation + ": " + what);
}

inline void require_size(const char* operation, const char* argument, std::size_t size,
                         std::size_t needed)
{
    if (size < needed)
        refuse(operation, std::string(argument) + " has " + std::to_string(size) +
                              " elements, needs " + std::to_string(needed));
}

// Like require_size(), for an argument that may be empty.
inline void require_size_if_given(const char* operation, const char* argument, std::size_t size,
                                  std::size_t needed)
{
    if (size != 0)
        require_size(operation, argument, size, needed);
}

} // namespace levee::sfu
