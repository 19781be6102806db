// Scalars as yaml-cpp's as<T> reads them.
// In: [u32 length][bytes] per scalar. Out, per scalar: double, float, int, bool, each as one
// byte (1 read, 0 refused) and the value's own bytes (zeros where refused). Little-endian.
#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <iostream>
#include <string>

template <typename T>
void answer(const YAML::Node& node, std::string& out) {
  T value{};
  bool read = true;
  try {
    value = node.as<T>();
  } catch (const YAML::BadConversion&) {
    read = false;
    value = T{};
  }
  out.push_back(read ? 1 : 0);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

int main() {
  std::ios::sync_with_stdio(false);
  std::uint32_t length = 0;
  std::string text, out;
  while (std::cin.read(reinterpret_cast<char*>(&length), sizeof length)) {
    text.resize(length);
    std::cin.read(text.data(), length);
    const YAML::Node node(text);
    answer<double>(node, out);
    answer<float>(node, out);
    answer<int>(node, out);
    answer<bool>(node, out);
  }
  std::cout.write(out.data(), static_cast<std::streamsize>(out.size()));
}
