// How long reading a model takes: the floor (see floor.h) and the Model view on the same bytes, a model
// whose file is not in memory, and how the time for a node grows with the number of nodes, for reading
// and for the whole map through the public interface.
//
//   thence_read_bench [--models=build/bench] [Google Benchmark's flags]
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <thence/thence.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "floor.h"
#include "heap.h"
#include "onnx/model.h"

namespace thence::bench {
namespace {

std::string folder = "build/bench";
std::string path_of(const std::string& model) { return folder + "/" + model + ".onnx"; }

template <class T>
T must(Result<T> result) {
  if (result) return *std::move(result);
  std::cerr << result.error().text << "\nmake the models first: python bench/models.py\n";
  std::exit(1);
}

void floor_of(benchmark::State& state, const std::string& model) {
  const base::MappedFile file = must(base::MappedFile::open(path_of(model)));
  const Floor floor = walk_floor(file.bytes());
  for (auto _ : state) benchmark::DoNotOptimize(walk_floor(file.bytes()).fields);
  if (!floor.sound) state.SkipWithError("the model does not decode");
  state.counters["fields"] = static_cast<double>(floor.fields);
  state.counters["file_bytes"] = static_cast<double>(file.bytes().size());
}

void read_of(benchmark::State& state, const std::string& model) {
  const base::MappedFile file = must(base::MappedFile::open(path_of(model)));
  const auto read = [&] {
    Diagnostics diagnostics;
    return must(onnx::Model::read(file.bytes(), model, diagnostics));
  };
  const std::size_t before = heap_now();
  forget_heap_peak();
  const std::uint32_t nodes = read().node_count();
  const std::size_t peak = heap_peak() - before;
  for (auto _ : state) benchmark::DoNotOptimize(read().node_count());
  state.counters["nodes"] = nodes;
  state.counters["heap_bytes"] = static_cast<double>(peak);
  state.counters["file_bytes"] = static_cast<double>(file.bytes().size());
}

// The same two from the file's name on: the file is in memory, but has yet to be opened and mapped.
void open_floor(benchmark::State& state, const std::string& model) {
  for (auto _ : state)
    benchmark::DoNotOptimize(walk_floor(must(base::MappedFile::open(path_of(model))).bytes()).fields);
}

void open_read(benchmark::State& state, const std::string& model) {
  for (auto _ : state) {
    Diagnostics diagnostics;
    benchmark::DoNotOptimize(must(onnx::Model::open(path_of(model), diagnostics)).node_count());
  }
}

// Asks the kernel to drop the file's pages (posix_fadvise DONTNEED); returns how many stayed.
std::size_t evict(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  const off_t size = lseek(descriptor, 0, SEEK_END);
  void* const data = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_SHARED, descriptor, 0);
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> resident((static_cast<std::size_t>(size) + page - 1) / page);
  mincore(data, static_cast<std::size_t>(size), resident.data());
  munmap(data, static_cast<std::size_t>(size));
  close(descriptor);
  std::size_t stayed = 0;
  for (const unsigned char flags : resident) stayed += flags & 1;
  return stayed;
}

void read_cold(benchmark::State& state, const std::string& model) {
  std::size_t stayed = 0;
  for (auto _ : state) {
    stayed += evict(path_of(model));
    const auto start = std::chrono::steady_clock::now();
    Diagnostics diagnostics;
    benchmark::DoNotOptimize(must(onnx::Model::open(path_of(model), diagnostics)).node_count());
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  state.counters["pages_not_evicted"] = static_cast<double>(stayed);
}

void map_json(benchmark::State& state, const std::string& model) {
  for (auto _ : state) benchmark::DoNotOptimize(must(map_model(path_of(model))).json().size());
}

void add_all() {
  for (const std::string model : {"nodes", "metadata", "weights"}) {
    benchmark::RegisterBenchmark(("floor/" + model).c_str(), floor_of, model);
    benchmark::RegisterBenchmark(("read/" + model).c_str(), read_of, model);
    benchmark::RegisterBenchmark(("open_floor/" + model).c_str(), open_floor, model);
    benchmark::RegisterBenchmark(("open_read/" + model).c_str(), open_read, model);
  }
  for (const std::string model : {"nodes_10k", "nodes_1m", "no_weights"})
    benchmark::RegisterBenchmark(("read/" + model).c_str(), read_of, model);
  for (const std::string model : {"nodes_10k", "nodes", "nodes_1m"})
    benchmark::RegisterBenchmark(("map/" + model).c_str(), map_json, model);
  benchmark::RegisterBenchmark("cold/weights", read_cold, "weights")->UseManualTime()->Iterations(5);
}

}  // namespace
}  // namespace thence::bench

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (!argument.starts_with("--models=")) {
      std::cerr << "unknown argument " << argument << "\n";
      return 2;
    }
    thence::bench::folder = argument.substr(9);
  }
  thence::bench::add_all();
  benchmark::RunSpecifiedBenchmarks();
}
