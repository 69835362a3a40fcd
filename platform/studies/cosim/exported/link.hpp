// SPDX-License-Identifier: Apache-2.0
// The bench of an exported reference runs together with a simulator, one clock cycle after another.
// It needs a stack of its own, since the bench and the simulator each have a main loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

namespace levee::dpi {

/// The bits of several ports. The first port's bits are the highest, as in SystemVerilog's {first,
/// ..., last}.
class Vector {
public:
    explicit Vector(std::size_t bits) : bits_(bits), words_((bits + 31) / 32) {}
    [[nodiscard]] std::uint32_t* data() { return words_.data(); }
    [[nodiscard]] std::size_t words() const { return words_.size(); }

    /// Appends the lowest `bits` of a port.
    void put(const void* port, std::size_t bits)
    {
        const auto* const bytes = static_cast<const unsigned char*>(port);
        at_ += bits;
        for (std::size_t i = 0; i < bits; ++i)
            set(bits_ - at_ + i, bytes[i / 8] >> i % 8 & 1);
    }
    /// Reads the next `bits` into a port.
    void take(void* port, std::size_t bits)
    {
        auto* const bytes = static_cast<unsigned char*>(port);
        std::memset(bytes, 0, (bits + 7) / 8);
        at_ += bits;
        for (std::size_t i = 0; i < bits; ++i)
            bytes[i / 8] = static_cast<unsigned char>(bytes[i / 8] | get(bits_ - at_ + i) << i % 8);
    }
    void rewind() { at_ = 0; }

private:
    void set(std::size_t bit, unsigned value)
    {
        const std::uint32_t mask = std::uint32_t{1} << bit % 32;
        words_[bit / 32] = (words_[bit / 32] & ~mask) | (value != 0 ? mask : 0);
    }
    [[nodiscard]] unsigned get(std::size_t bit) const { return words_[bit / 32] >> bit % 32 & 1; }

    std::size_t bits_, at_ = 0;
    std::vector<std::uint32_t> words_;
};

/// The current cycle's inputs, except the clock, and its outputs.
Vector& inputs();
Vector& outputs();
/// The bench calls this to give the simulator the inputs. It returns when the outputs are ready.
void exchange();

/// Simulates a clock cycle of the design `top`.
template <typename Top> void cycle(Top& top)
{
    inputs().rewind();
    top.put_inputs(inputs());
    exchange();
    outputs().rewind();
    top.take_outputs(outputs());
}

} // namespace levee::dpi
