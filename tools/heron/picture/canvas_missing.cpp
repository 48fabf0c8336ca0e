// In place of canvas.cpp where there is no Cairo.
#include <stdexcept>

#include "canvas.hpp"

namespace heron::tools {
namespace {

[[noreturn]] void refuse() {
    throw std::runtime_error("this program was built without Cairo and cannot draw");
}

}  // namespace

canvas::canvas(std::int64_t, std::int64_t) { refuse(); }
void canvas::fill(pixel, std::int64_t, std::int64_t, rgb) {}
void canvas::frame(pixel, std::int64_t, std::int64_t) {}
void canvas::text(pixel, const std::string&, rgb) {}
void canvas::image(pixel, const rgb_image&, std::int64_t) {}
drawing canvas::take() { refuse(); }
std::int64_t width_of(const std::string&) { refuse(); }
rgb_image pixels_of(const drawing&) { refuse(); }
void write_picture(const std::string&, const drawing&) { refuse(); }
void require_picture_name(const std::string&) {}

}  // namespace heron::tools
