// SPDX-License-Identifier: Apache-2.0
// A harness feeds one kind of input to the code that reads it. Inputs come from libFuzzer
// (fuzzer.cpp) or, in a test, from files (replay.cpp).
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

/// Processes one input. Returns the message of a refusal, or nothing if the input is accepted. Each
/// harness defines this function.
std::string feed(Bytes input);

/// `opened` returns the part of an input that is worth mutating, without checksum, length or
/// compression. `closed` makes an input from this part. Harnesses without these functions mutate
/// the whole input.
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

/// Ends the process in the way that libFuzzer counts as a finding.
[[noreturn]] inline void find_fault(const std::string& what)
{
    std::cerr << "finding: " << what << '\n';
    std::abort();
}

/// Returns whether a harness expects errors of this type. The only expected error of the C++
/// library is runtime_error itself; others (length_error, filesystem_error) tell a user nothing.
template <typename Expected> bool is_a(const std::exception& error)
{
    if constexpr (std::is_same_v<Expected, std::runtime_error>)
        return typeid(error) == typeid(std::runtime_error);
    else
        return dynamic_cast<const Expected*>(&error) != nullptr;
}

/// Returns the message of the error that `use` throws. It is a finding if the error's type is not
/// in `Errors`, or if the message does not contain `place`.
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

/// Returns a temporary folder for a harness's files.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    /// Writes a file, and overwrites an existing one.
    std::filesystem::path write(const std::string& name, Bytes content) const;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace levee::fuzz
