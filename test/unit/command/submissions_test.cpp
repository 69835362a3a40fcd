// SPDX-License-Identifier: Apache-2.0
#include "test/unit/command/parts.hpp"

using namespace levee;
using namespace levee::test;

namespace {

/// Submissions with registers that the test reads and writes.
struct Registers {
    explicit Registers(const Parts& parts)
        : submissions({7, 3, fetch}, file, parts.observers, on_interrupt)
    {
        submissions_address(0x1000);
    }

    std::uint32_t read(std::uint32_t offset) const { return find(offset).read(); }
    void write(std::uint32_t offset, std::uint32_t word) const { find(offset).write(word); }
    void submissions_address(std::uint32_t address) const { write(LEVEE_CMD_ADDRESS_LO, address); }

    RegisterFile file;
    std::vector<bool> levels; ///< The interrupt's level after each change.
    std::function<void(bool)> on_interrupt = [this](bool level) { levels.push_back(level); };
    Submissions submissions;

private:
    [[nodiscard]] const Register& find(std::uint32_t offset) const
    {
        for (const Register& one : file.registers())
            if (one.offset == offset)
                return one;
        throw std::out_of_range("no register");
    }
};

} // namespace

TEST_CASE("descriptors are taken in order, each after it was fetched")
{
    Parts parts;
    Registers queue(parts);
    parts.run([&] {
        CHECK(queue.read(LEVEE_CMD_ID) == 7);
        const Picoseconds begin = now_ps();
        queue.write(LEVEE_CMD_SUBMIT, 2);
        queue.submissions_address(0x9000);
        queue.write(LEVEE_CMD_SUBMIT, 1);
        CHECK(queue.read(LEVEE_CMD_FREE) == 0);
        for (std::uint64_t id = 0; id < 3; ++id) {
            const Submissions::Pending next = queue.submissions.take();
            CHECK(next.id == id);
            CHECK(next.address == (id == 2 ? 0x9000 : 0x1000 + id * LEVEE_DESCRIPTOR_BYTES));
            CHECK(next.fetched_at == begin + (id + 1) * fetch);
            CHECK(queue.read(LEVEE_CMD_STATUS) == LEVEE_CMD_STATUS_BUSY);
            queue.submissions.done(false);
        }
        CHECK(queue.read(LEVEE_CMD_DONE_COUNT) == 3);
        CHECK(queue.levels.empty());
    });
}

TEST_CASE("more descriptors than free places stop the queue, and none of them is taken")
{
    Parts parts;
    Registers queue(parts);
    parts.run([&] {
        queue.write(LEVEE_CMD_SUBMIT, 1);
        queue.write(LEVEE_CMD_SUBMIT, 3);
        CHECK(queue.read(LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_OVERFLOW);
        CHECK(queue.read(LEVEE_CMD_ERROR_INDEX) == 1);
        CHECK(queue.submissions.waiting().size() == 1);
        queue.write(LEVEE_CMD_SUBMIT, 1); // The queue has stopped.
        CHECK(queue.submissions.waiting().size() == 1);
        queue.write(LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        CHECK(queue.read(LEVEE_CMD_STATUS) == LEVEE_CMD_STATUS_EMPTY);
        CHECK(queue.read(LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("the first error is kept, and the interrupt follows its enable bits")
{
    Parts parts;
    Registers queue(parts);
    parts.run([&] {
        queue.write(LEVEE_CMD_SUBMIT, 2);
        (void)queue.submissions.take();
        queue.submissions.done(true);
        CHECK(queue.levels.empty()); // The interrupt is not enabled yet.
        queue.write(LEVEE_CMD_IRQ_ENABLE, LEVEE_CMD_IRQ_DONE);
        CHECK(queue.levels == std::vector<bool>{true});
        queue.write(LEVEE_CMD_IRQ_STATUS, LEVEE_CMD_IRQ_DONE);
        CHECK(queue.levels == std::vector<bool>{true, false});
        (void)queue.submissions.take();
        queue.submissions.stop({LEVEE_ERROR_FIELD, 0x44}, 9);
        queue.submissions.stop({LEVEE_ERROR_TYPE, 0x48}, 10);
        // The interrupt for errors is not enabled.
        CHECK(queue.levels == std::vector<bool>{true, false});
        CHECK(queue.read(LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_FIELD);
        CHECK(queue.read(LEVEE_CMD_ERROR_FIELD) == 0x44);
        CHECK(queue.read(LEVEE_CMD_ERROR_TAG) == 9);
        CHECK(queue.read(LEVEE_CMD_ERROR_INDEX) == 1);
        CHECK((queue.read(LEVEE_CMD_STATUS) & LEVEE_CMD_STATUS_STOPPED) != 0);
    });
}

TEST_CASE("a reset drops waiting descriptors and ends the waits of the running one")
{
    Parts parts;
    Registers queue(parts);
    parts.run([&] {
        queue.write(LEVEE_CMD_SUBMIT, 2);
        (void)queue.submissions.take();
        CHECK_NOTHROW(queue.submissions.need_no_reset());
        sc_core::sc_event never;
        bool is_dropped = false;
        sc_core::sc_spawn([&] {
            sc_core::wait(5, sc_core::SC_NS);
            queue.write(LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        });
        try {
            queue.submissions.wait(never);
        } catch (const Submissions::Dropped&) {
            is_dropped = true;
        }
        CHECK(is_dropped);
        CHECK(queue.submissions.was_reset());
        CHECK(queue.submissions.waiting().empty());
        const Picoseconds now = now_ps();
        queue.write(LEVEE_CMD_SUBMIT, 1); // The fetch does not wait for dropped descriptors.
        CHECK(queue.submissions.take().fetched_at == now + fetch);
        CHECK_FALSE(queue.submissions.was_reset());
    });
}
