// SPDX-License-Identifier: Apache-2.0
// Reads a GGUF file from front to back.
#pragma once

#include "platform/input/model/file.hpp"
#include "platform/input/model/model_shape.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace levee::gguf {

/// Types of values, with the numbers of the specification.
enum ValueType : std::uint32_t {
    type_uint8,
    type_int8,
    type_uint16,
    type_int16,
    type_uint32,
    type_int32,
    type_float32,
    type_bool,
    type_string,
    type_array,
    type_uint64,
    type_int64,
    type_float64,
    type_count
};

/// Returns the bytes of a value of this type; 0 for strings and arrays, whose sizes vary.
std::uint32_t value_bytes(std::uint32_t type);
const char* value_type_name(std::uint32_t type); ///< "uint32"

/// Returns a name from a file in a form for messages: short, and in printable ASCII.
std::string printable(const std::string& name);
/// Returns the number with the fewest digits that identify it: "8", "0.5".
std::string number_text(double value);

class Cursor {
public:
    Cursor(const InputFile& file, std::uint64_t at) : file_(file), at_(at) {}

    /// This function and those below throw ModelError, either with the place where the file ends,
    /// or with the claimed count. `what` names the item in the message, such as "key general.name".
    template <typename T> T take(const std::string& what)
    {
        std::array<std::uint8_t, sizeof(T)> raw{};
        take_bytes(raw, what);
        T value;
        std::memcpy(&value, raw.data(), sizeof value);
        return value;
    }

    /// Returns a string of at most `most` bytes.
    std::string take_string(std::uint64_t most, const std::string& what);
    void skip_string(const std::string& what);
    void skip(std::uint64_t bytes, const std::string& what);
    /// Reads a count of items, each of which takes at least `least` bytes.
    std::uint64_t take_count(std::uint64_t least, const std::string& what);

    [[noreturn]] void fail(const std::string& what, const std::string& problem) const;

    [[nodiscard]] std::uint64_t at() const { return at_; }
    [[nodiscard]] std::uint64_t left() const { return file_.size() - at_; }

private:
    void take_bytes(std::span<std::uint8_t> out, const std::string& what);
    void expect(std::uint64_t bytes, const std::string& what) const;

    const InputFile& file_;
    std::uint64_t at_;
    std::vector<std::uint8_t> buffer_; ///< bytes of the file, from buffer_at_ on
    std::uint64_t buffer_at_ = 0;
};

} // namespace levee::gguf
