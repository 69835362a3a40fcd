// SPDX-License-Identifier: Apache-2.0
// A Verilated model's state in memory. Only for wrapper files, and never together with SystemC.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>
#include <verilated.h>
#include <verilated_save.h>

namespace levee {

/// Receives the state that a model saves.
class StateWriter final : public VerilatedSerialize {
public:
    StateWriter() { m_isOpen = true; }
    ~StateWriter() override = default;
    void flush() override
    {
        state_.insert(state_.end(), m_bufp, m_cp);
        m_cp = m_bufp;
    }
    [[nodiscard]] std::vector<std::uint8_t> take()
    {
        flush();
        return std::move(state_);
    }

private:
    std::vector<std::uint8_t> state_;
};

/// Supplies the saved state to a model.
class StateReader final : public VerilatedDeserialize {
public:
    explicit StateReader(const std::vector<std::uint8_t>& state) : state_(state)
    {
        m_isOpen = true;
        m_endp = m_cp = m_bufp;
        fill();
    }
    ~StateReader() override = default;
    void flush() override {}

private:
    /// Supplies zeros after the end of the state, so that Verilator need not check for the end at
    /// each byte.
    void fill() override
    {
        const auto left = static_cast<std::size_t>(m_endp - m_cp);
        std::memmove(m_bufp, m_cp, left);
        const std::size_t room = bufferSize() - left;
        const std::size_t given = std::min(room, state_.size() - at_);
        std::copy_n(state_.data() + at_, given, m_bufp + left);
        std::fill_n(m_bufp + left + given, room - given, std::uint8_t{0});
        at_ += given;
        m_cp = m_bufp;
        m_endp = m_bufp + bufferSize();
    }

    const std::vector<std::uint8_t>& state_;
    std::size_t at_ = 0;
};

/// A model made by Verilator with --savable.
template <typename Top>
concept SavableModel =
    std::is_same_v<VerilatedSerialize&,
                   decltype(std::declval<VerilatedSerialize&>() << std::declval<Top&>())>;

} // namespace levee
