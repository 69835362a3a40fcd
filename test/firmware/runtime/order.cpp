// SPDX-License-Identifier: Apache-2.0
// Tests C++ objects without a C++ library. Static objects exist from before main() until after it.
// Objects on the heap, in functions, and of abstract classes work.
extern "C" int printf(const char*, ...);

namespace {

struct Shape {
    virtual ~Shape() { printf("~shape "); }
    [[nodiscard]] virtual int area() const = 0;
};

struct Square : Shape {
    explicit Square(int side) : side_(side) {}
    [[nodiscard]] int area() const override { return side_ * side_; }
    int side_;
};

struct Loud {
    explicit Loud(int number) : number_(number) { printf("+%d ", number_); }
    ~Loud() { printf("-%d%s", number_, number_ == 1 ? "\n" : " "); }
    int number_;
};

int one()
{
    return 1;
}

Loud first(one());

Loud& local()
{
    static Loud loud(2);
    return loud;
}

} // namespace

int main()
{
    local().number_ += 0;
    local().number_ += 0;
    const Shape* const shape = new Square(3);
    printf("area %d ", shape->area());
    delete shape;
    return 0;
}
