// Reads confs as abacus does and prints every parameter's scale.
//
// conf_scales double|float   file names on standard input, one a line
//
// For each file: "file NAME", then "NAME ROWN COLN SCALE" a parameter, the scale as a hex float,
// then "end" or "error WHAT".
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>

static YAML::Node section_of(const std::string& path) {
  YAML::Node conf = YAML::LoadFile(path);
  if (!conf["plugins"]) return conf;
  YAML::Node plugin = conf["plugins"]["dnn_plugin"];
  if (!plugin.IsScalar()) return plugin;
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  return section_of(folder + plugin.as<std::string>());
}

static double double_scale(const YAML::Node& conf, double global_init_range) {
  double init_range = conf["init_range"].as<double>() * global_init_range;
  if (conf["scale_by_rown"].as<bool>()) {
    init_range /= sqrt(double(conf["rown"].as<int>()));
  }
  return init_range;
}

static float float_scale(const YAML::Node& conf, float global_init_range) {
  float product = conf["init_range"].as<float>() * global_init_range;
  float scale = product / (conf["scale_by_rown"].as<bool>()
                               ? std::sqrt(static_cast<float>(conf["rown"].as<int>()))
                               : 1.0);
  return scale;
}

static void print(const YAML::Node& conf, const YAML::Node& section, const std::string& name,
                  bool narrow) {
  double scale = narrow ? float_scale(conf, section["global_init_range"].as<float>())
                        : double_scale(conf, section["global_init_range"].as<double>());
  printf("%s %d %d %a\n", name.c_str(), conf["rown"].as<int>(), conf["coln"].as<int>(), scale);
}

int main(int, char** argv) {
  bool narrow = std::string(argv[1]) == "float";
  std::string path;
  while (std::getline(std::cin, path)) {
    printf("file %s\n", path.c_str());
    try {
      YAML::Node section = section_of(path);
      if (section["param"]) {
        for (size_t i = 0; i < section["param"].size(); ++i) {
          YAML::Node param = section["param"][i];
          print(param, section, param["name"].as<std::string>(), narrow);
        }
      } else {
        print(section, section, "weight", narrow);
      }
      printf("end\n");
    } catch (const std::exception& error) {
      printf("error %s\n", error.what());
    }
  }
}
