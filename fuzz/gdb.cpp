// SPDX-License-Identifier: Apache-2.0
// Bytes from a debugger. They are divided into packets, and each packet is handled.
#include "fuzz/door.hpp"
#include "platform/observe/debug/packet.hpp"
#include "platform/observe/debug/session.hpp"

#include <algorithm>

using namespace levee::debug;

namespace {

constexpr std::uint32_t memory_base = 0x8000'0000;

/// A core that consists of registers and a little memory.
class Machine : public Target {
public:
    std::optional<std::uint32_t> read_register(std::uint32_t index) override
    {
        return index < registers_.size() ? std::optional(registers_[index]) : std::nullopt;
    }
    bool write_register(std::uint32_t index, std::uint32_t value) override
    {
        if (index >= registers_.size())
            return false;
        registers_[index] = value;
        return true;
    }
    std::size_t read_memory(std::uint32_t address, std::span<std::uint8_t> data) override
    {
        std::size_t done = 0;
        for (; done < data.size() && address - memory_base + done < memory_.size(); ++done)
            data[done] = memory_[address - memory_base + done];
        return done;
    }
    bool write_memory(std::uint32_t address, std::span<const std::uint8_t> data) override
    {
        const std::size_t at = address - memory_base;
        if (at > memory_.size() || data.size() > memory_.size() - at)
            return false;
        std::ranges::copy(data, memory_.begin() + static_cast<std::ptrdiff_t>(at));
        return true;
    }
    [[nodiscard]] std::vector<Region> regions() const override { return {{memory_base, 0x100}}; }
    void add_point(const Point& point) override { points_.push_back(point); }
    void remove_point(const Point& point) override { std::erase(points_, point); }
    void remove_all_points() override { points_.clear(); }

private:
    std::vector<std::uint32_t> registers_ = std::vector<std::uint32_t>(33);
    std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(0x100);
    std::vector<Point> points_;
};

} // namespace

std::string levee::fuzz::feed(Bytes input)
{
    Machine machine;
    Session session(machine);
    Framer framer;
    std::vector<Incoming> found;
    const std::string text = text_of(input);
    framer.feed(text, found);
    // Checksums of a mutated text are wrong, so the text is also tried as a packet.
    found.push_back({Incoming::Kind::Packet, text});
    for (const Incoming& incoming : found)
        if (incoming.kind == Incoming::Kind::Packet)
            (void)session.handle(incoming.text, "T05thread:1;");
    return {};
}
