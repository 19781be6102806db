// What libstdc++ draws. Arguments: engine, how it is seeded, what is drawn, how many:
//   ENGINE default|int:N|seq:A,B,.. raw|normal|uniform T COUNTS [A B]
//   ENGINE default canonical T
// Values go to stdout as they are in memory (raw: 8 bytes each). COUNTS may be a list:
// "3,5": one distribution object draws all; "3;5": a new object for each. canonical takes
// the draws, 8 bytes each, from stdin.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

template <class T>
void put(const std::vector<T>& values) {
  std::fwrite(values.data(), sizeof(T), values.size(), stdout);
}

template <class Engine>
struct Given {
  using result_type = typename Engine::result_type;
  static constexpr result_type min() { return Engine::min(); }
  static constexpr result_type max() { return Engine::max(); }
  result_type operator()() { return draws[next++]; }
  std::vector<std::uint64_t> draws;
  std::size_t next = 0;
};

template <class T, class Engine>
void canonical() {
  Given<Engine> given;
  for (std::uint64_t word; std::fread(&word, 8, 1, stdin) == 1;) given.draws.push_back(word);
  std::vector<T> values;
  while (given.next < given.draws.size())
    values.push_back(std::generate_canonical<T, std::numeric_limits<T>::digits>(given));
  put(values);
}

template <class Distribution, class Engine>
void draw(Engine& engine, const std::string& counts, double a, double b) {
  using T = typename Distribution::result_type;
  Distribution distribution{T(a), T(b)};
  std::istringstream in(counts);
  long count;
  char mark = ',';
  while (in >> count) {
    std::vector<T> values(count);
    for (T& value : values) value = distribution(engine);
    put(values);
    if (in >> mark && mark == ';') distribution = Distribution{T(a), T(b)};
  }
}

template <class Engine>
void run(const std::vector<std::string>& args) {
  Engine engine;
  const std::string& seeding = args[1];
  const std::string values = seeding.size() > 4 ? seeding.substr(4) : "";
  if (seeding.rfind("int:", 0) == 0) {
    engine.seed(std::strtoull(values.c_str(), nullptr, 10));
  } else if (seeding.rfind("seq:", 0) == 0) {
    std::vector<long long> list;
    std::istringstream in(values);
    for (std::string item; std::getline(in, item, ',');) list.push_back(std::stoll(item));
    std::seed_seq sequence(list.begin(), list.end());
    engine.seed(sequence);
  }
  const std::string& what = args[2];
  if (what == "canonical") {
    args[3] == "float" ? canonical<float, Engine>() : canonical<double, Engine>();
    return;
  }
  const double a = args.size() > 5 ? std::stod(args[5]) : 0;
  const double b = args.size() > 6 ? std::stod(args[6]) : 1;
  const bool single = args[3] == "float";
  if (what == "raw") {
    std::vector<std::uint64_t> words(std::stoul(args[4]));
    for (auto& word : words) word = engine();
    put(words);
  } else if (what == "normal") {
    single ? draw<std::normal_distribution<float>>(engine, args[4], a, b)
           : draw<std::normal_distribution<double>>(engine, args[4], a, b);
  } else {
    single ? draw<std::uniform_real_distribution<float>>(engine, args[4], a, b)
           : draw<std::uniform_real_distribution<double>>(engine, args[4], a, b);
  }
}

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args[0] == "minstd_rand0") run<std::minstd_rand0>(args);
  if (args[0] == "minstd_rand") run<std::minstd_rand>(args);
  if (args[0] == "mt19937") run<std::mt19937>(args);
  if (args[0] == "mt19937_64") run<std::mt19937_64>(args);
}
