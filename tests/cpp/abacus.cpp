// What abacus draws for a list of parameters, each w in its flat order. Arguments:
//   ENGINE int:N|seq:A,B,.. float64|float32 GLOBAL_INIT_RANGE {ROWN COLN INIT_RANGE SCALE_BY_ROWN}..
// float64 is the loop of dnn/param_layer.cpp as the seed document quotes it; float32 has every
// number and product in float, as the parameter server derived from it.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <vector>

template <class Engine>
Engine seeded(const std::string& seeding) {
  const std::string values = seeding.substr(4);
  if (seeding.rfind("int:", 0) == 0) return Engine(std::strtoull(values.c_str(), nullptr, 10));
  std::vector<long long> list;
  std::istringstream in(values);
  for (std::string item; std::getline(in, item, ',');) list.push_back(std::stoll(item));
  std::seed_seq sequence(list.begin(), list.end());
  return Engine(sequence);
}

template <class Scale>
Scale read(const char* text) {
  Scale value;
  std::istringstream(text) >> value;
  return value;
}

template <class Scale, class Engine>
void draw(Engine engine, int argc, char** argv) {
  const Scale global_init_range = read<Scale>(argv[4]);
  for (int i = 5; i + 3 < argc; i += 4) {
    const int rown = std::atoi(argv[i]), coln = std::atoi(argv[i + 1]);
    Scale scale = read<Scale>(argv[i + 2]) * global_init_range;
    if (std::string(argv[i + 3]) == "true") scale /= std::sqrt(Scale(rown));
    std::vector<float> w;
    std::normal_distribution<float> ndistr(0.0, 1.0);
    for (int k = 0; k < rown * coln; ++k) w.push_back(ndistr(engine) * scale);
    std::fwrite(w.data(), sizeof(float), w.size(), stdout);
  }
}

template <class Engine>
void run(int argc, char** argv) {
  const Engine engine = seeded<Engine>(argv[2]);
  std::string(argv[3]) == "float64" ? draw<double>(engine, argc, argv)
                                    : draw<float>(engine, argc, argv);
}

int main(int argc, char** argv) {
  const std::string name = argv[1];
  if (name == "minstd_rand0") run<std::minstd_rand0>(argc, argv);
  if (name == "minstd_rand") run<std::minstd_rand>(argc, argv);
  if (name == "mt19937") run<std::mt19937>(argc, argv);
  if (name == "mt19937_64") run<std::mt19937_64>(argc, argv);
}
