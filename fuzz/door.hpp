// SPDX-License-Identifier: Apache-2.0
// A harness feeds one kind of input to the code that reads it. libFuzzer draws inputs (fuzzer.cpp);
// a test feeds files (replay.cpp).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace levee::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// Feeds one input. Returns the message with which it is refused, or nothing if it is taken. Each
/// harness defines it.
std::string feed(Bytes input);

/// `opened` returns the part of an input that is worth mutating, without checksum, length or
/// compression; `closed` makes an input of such a part. Harnesses without them mutate the whole
/// input.
std::vector<std::uint8_t> opened(Bytes input);
std::vector<std::uint8_t> closed(Bytes part);

[[nodiscard]] inline std::string text_of(Bytes input)
{
    return {input.begin(), input.end()};
}

[[nodiscard]] inline Bytes bytes_of(std::string_view text)
{
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Ends the process as a finding.
[[noreturn]] inline void find_fault(const std::string& what)
{
    std::cerr << "finding: " << what << '\n';
    std::abort();
}

/// Whether an error is of a kind that a harness expects. Of the C++ library's errors only
/// runtime_error itself is expected: others (length_error, filesystem_error) tell a user nothing.
template <typename Expected> bool is_a(const std::exception& error)
{
    if constexpr (std::is_same_v<Expected, std::runtime_error>)
        return typeid(error) == typeid(std::runtime_error);
    else
        return dynamic_cast<const Expected*>(&error) != nullptr;
}

/// The message of an error that `use` throws, one of `Errors`: any other is a finding. So is a
/// message without `place`.
template <typename... Errors, typename Use>
std::string refusal(const std::string& place, const Use& use)
{
    try {
        use();
        return {};
    } catch (const std::exception& error) {
        if (!(is_a<Errors>(error) || ...))
            throw;
        std::string message = error.what();
        if (message.find(place) == std::string::npos)
            find_fault("the message has no '" + place + "': " + message);
        return message;
    }
}

/// A folder for the files of a harness, removed at its end.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    /// Writes a file, over the old one.
    std::filesystem::path write(const std::string& name, Bytes content) const;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace levee::fuzz
