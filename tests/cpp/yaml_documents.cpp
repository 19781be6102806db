// Documents as yaml-cpp reads them.
// In: [u32 length][bytes] per document. Out, per document: [u32 length][tree]. A tree is
// "~" (null), "'" length ":" bytes (scalar), "[" items "]", or "{" key value ... "}" with
// scalar keys alone, each with its first value; "!" and a message for a refusal.
#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>

constexpr std::size_t kLongest = 1 << 20;

void put_text(const std::string& text, std::string& out) {
  out += "'" + std::to_string(text.size()) + ":" + text;
}

void put(const YAML::Node& node, int depth, std::string& out) {
  if (depth > 2000 || out.size() > kLongest) throw std::runtime_error("unbounded tree");
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      put_text(node.Scalar(), out);
      break;
    case YAML::NodeType::Sequence:
      out += '[';
      for (const auto& item : node) put(item, depth + 1, out);
      out += ']';
      break;
    case YAML::NodeType::Map: {
      std::set<std::string> seen;
      out += '{';
      for (const auto& entry : node) {
        if (!entry.first.IsScalar() || !seen.insert(entry.first.Scalar()).second) continue;
        put_text(entry.first.Scalar(), out);
        put(entry.second, depth + 1, out);
      }
      out += '}';
      break;
    }
    default:
      out += '~';
  }
}

int main() {
  std::ios::sync_with_stdio(false);
  std::uint32_t length = 0;
  std::string text;
  while (std::cin.read(reinterpret_cast<char*>(&length), sizeof length)) {
    text.resize(length);
    std::cin.read(text.data(), length);
    std::string out;
    try {
      put(YAML::Load(text), 0, out);
    } catch (const std::exception& error) {
      out = std::string("!") + error.what();
    }
    const auto size = static_cast<std::uint32_t>(out.size());
    std::cout.write(reinterpret_cast<const char*>(&size), sizeof size);
    std::cout.write(out.data(), size);
  }
}
