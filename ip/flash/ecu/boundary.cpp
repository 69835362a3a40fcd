// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/ecu/boundary.hpp"

#include <algorithm>
#include <stdexcept>

namespace levee::flash::ecu {

Boundary::Boundary(const Shape& shape) : shape_(shape)
{
    if (const std::string fault = shape.format.fault(); !fault.empty())
        throw std::invalid_argument("levee::flash::ecu::Boundary: invalid code format: " + fault);
    code_.resize(shape.code_beats() * shape.beat_bytes);
}

void Boundary::reset()
{
    *this = Boundary(shape_);
}

bool Boundary::has_all_fields() const
{
    return fields_ == shape_.format.threshold_copies + shape_.format.protected_values;
}

std::uint64_t Boundary::next_field_bits() const
{
    const CodeFormat& format = shape_.format;
    return fields_ < format.threshold_copies ? format.value_bits : format.record_bits();
}

bool Boundary::has_field() const
{
    return !has_all_fields() && received_bits_ - taken_bits_ >= next_field_bits();
}

/// Whether the record that is being inserted sorts before the record that it is compared with in
/// this cycle.
bool Boundary::moves() const
{
    return moving_ && place_ > 0 && addresses_[place_ - 1] > *moving_;
}

/// Whether the beat that the unit holds contains the next record's value.
bool Boundary::record_is_here() const
{
    return head_ < addresses_.size() && addresses_[head_] / shape_.lanes() + 1 == beats_;
}

Outputs Boundary::settle(const Inputs& in) const
{
    Outputs out;
    out.out_valid = held_ && !record_is_here();
    out.out_last = beats_ == shape_.page_beats();
    out.done_valid = done_;
    if (!has_all_fields())
        out.in_ready = !has_field();
    else
        out.in_ready = !moving_ && !out.out_last && (!held_ || (out.out_valid && in.out_ready));
    return out;
}

void Boundary::edge(const Inputs& in)
{
    const Outputs out = settle(in);
    if (done_ && in.done_ready)
        return reset();
    const bool gives = out.out_valid && in.out_ready;
    const bool is_code = !has_all_fields();
    const bool takes_field = has_field() && (fields_ < shape_.format.threshold_copies || !moves());
    head_ += held_ && record_is_here();
    held_ = held_ && !gives;
    done_ = done_ || (gives && out.out_last);
    place_record();
    if (takes_field)
        take_field();
    if (!in.in_valid || !out.in_ready)
        return;
    if (is_code) {
        take_code(in.in_data);
    } else {
        ++beats_;
        held_ = true;
    }
}

void Boundary::take_code(const Beat& beat)
{
    std::copy_n(beat.begin(), shape_.beat_bytes,
                code_.begin() + static_cast<std::ptrdiff_t>(received_bits_ / 8));
    received_bits_ += shape_.beat_bytes * 8;
}

void Boundary::take_field()
{
    const CodeFormat& format = shape_.format;
    taken_bits_ += next_field_bits();
    const std::uint32_t field = fields_++;
    if (field < format.threshold_copies)
        return;
    const Record record = read_record(format, code_, field - format.threshold_copies);
    if (!record.valid())
        return;
    moving_ = record.address;
    place_ = addresses_.size();
}

void Boundary::place_record()
{
    if (moves()) {
        --place_;
    } else if (moving_) {
        addresses_.insert(addresses_.begin() + static_cast<std::ptrdiff_t>(place_), *moving_);
        moving_.reset();
    }
}

} // namespace levee::flash::ecu
