// SPDX-License-Identifier: Apache-2.0
// Arithmetic of numbers, texts and lists, by Python's rules.
#pragma once

#include "platform/input/import/jinja/value.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>

namespace levee::jinja {

/// Throws Unable for numbers beyond 32 bits, whose results could overflow.
void check_32(std::initializer_list<std::int64_t> numbers);

/// Returns the result of + - * / // % **. Throws Raised for operands that Python refuses, and
/// Unable for operands that Levee does not support.
Value operated(const std::string& sign, const Value& left, const Value& right);

/// Returns -value.
Value negative(const Value& value);

/// Returns the two texts joined. Throws Unable if the result is longer than most_bytes.
Value joined_texts(const std::string& left, const std::string& right);

} // namespace levee::jinja
