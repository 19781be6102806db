// The platform's logf of the floats whose bits are FIRST .. LAST - 1, to stdout.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

int main(int, char** argv) {
  const std::uint32_t first = std::strtoul(argv[1], nullptr, 10);
  const std::uint32_t last = std::strtoul(argv[2], nullptr, 10);
  std::vector<float> values(last - first);
  for (std::uint32_t bits = first; bits < last; ++bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    values[bits - first] = std::log(x);
  }
  std::fwrite(values.data(), sizeof(float), values.size(), stdout);
}
