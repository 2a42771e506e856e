// Copyright 2026 The Harbour Library.

#include <memory>
#include <string>
#include <vector>

#define SHELF_CHECK(condition) if (!(condition)) throw Full()

using namespace std::literals;

namespace harbour {

/// Nobody finds a place any more.
class Full : public std::exception {
public:
    const char* what() const noexcept override { return "full"; }
};

constexpr int capacity = 40;

using VolumeId = unsigned long;

template <typename T>
concept Shelvable = requires(T volume) { volume.width(); };

/// A shelf with room for so many volumes.
template <typename T, int N = 40>
class [[nodiscard]] Shelf final {
public:
    explicit Shelf(std::string label);
    virtual ~Shelf() = default;
    Shelf(const Shelf&) = delete;

    /// Puts one volume in its place.
    template <typename... Args>
    T& put(Args&&... args);

    bool operator==(const Shelf& other) const { return label_ == other.label_; }
    int operator ()(int row) const { return row; }
    operator bool() const { return !volumes_.empty(); }

    struct Label {
        std::string text;
        void print() const {}
    };

    enum class Side { left, right };

private:
    std::string label_;
    std::vector<T> volumes_;
};

template <typename T, int N>
Shelf<T, N>::Shelf(std::string label) : label_(std::move(label)) {
}

template <typename T, int N>
template <typename... Args>
T& Shelf<T, N>::put(Args&&... args) {
    auto later = [this](int x) { return x; };
    return volumes_.emplace_back(std::forward<Args>(args)...);
}

namespace detail {
namespace {

/// Only seen here.
int hidden() { return 1; }

}  // namespace

int count(const std::vector<int>& all) noexcept;
}  // namespace detail

}  // namespace harbour

namespace harbour::desk {

std::unique_ptr<int> open()
{
    return std::make_unique<int>(capacity);
}

struct Drawer {
    void pull();
    static int opened;
};

}  // namespace harbour::desk

void harbour::desk::Drawer::pull()
{
    SHELF_CHECK(true);
}

int harbour::detail::count(const std::vector<int>& all) noexcept { return all.size(); }

std::string operator""_title(const char* text, std::size_t length) { return {text, length}; }

union Raw {
    unsigned number;
    unsigned char bytes[4];
};

extern "C" {
void lamp_on(int level) {}
}

int main() { return 0; }
