// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/descriptor.hpp"
#include "platform/machine/semihost/first_sizes.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee::semihost {

using config::Descriptor;

/// The modes of fopen as numbered by SYS_OPEN: "r" is 0, "rb" 1, "r+" 2 ... "a+b" 11.
constexpr std::uint32_t mode_count = 12;

/// Gives access only to regular files below a folder. A name must be relative, without `..` and
/// without symbolic links. Errors are errno numbers, and 0 means success.
class Files {
public:
    explicit Files(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Returns the opened file, or an invalid descriptor with the reason in `error`. `mode` must be
    /// below mode_count.
    [[nodiscard]] Descriptor open(const std::string& name, std::uint32_t mode, int& error);
    [[nodiscard]] int remove(const std::string& name) const;
    [[nodiscard]] int rename(const std::string& from, const std::string& to) const;

private:
    /// An opened folder and a name in it.
    struct Place {
        Descriptor folder;
        std::string leaf;
        int error = 0;
    };
    [[nodiscard]] Place find(const std::string& name) const;
    [[nodiscard]] int append(const Descriptor& file, const std::string& name, std::uint64_t bytes);

    std::filesystem::path folder_;
    FirstSizes sizes_;
    std::map<std::string, Descriptor> appended_;
};

} // namespace levee::semihost
