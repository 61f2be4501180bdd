// Ribbon filters, RocksDB's and those on their own: every kernel writes the bytes of RocksDB's
// insertion of one key after the other, for hashes of any kind, and no key of a filter is lost.
#include <algorithm>
#include <string>
#include <vector>

#include "src/filter/container/table_bytes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/stock/ribbon.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/view/open_query.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {
namespace {

constexpr size_t kMaxHashes = 3000;  // two groups

// Hashes as given, and hashes that start in a few rows with some seed.
std::vector<uint64_t> ConsumeStarts(FuzzedDataProvider* input) {
  std::vector<uint64_t> hashes = ConsumeHashes(input, kMaxHashes / 2);
  uint64_t factor = stock::RibbonKey::kSeedFactor;  // its inverse modulo 2^64
  for (int i = 0; i < 5; ++i) factor *= 2 - factor * stock::RibbonKey::kSeedFactor;
  const uint64_t raw_seed = stock::RibbonView::RawSeed(input->ConsumeIntegral<uint8_t>());
  const uint64_t first = input->ConsumeIntegral<uint64_t>();
  const int shift = input->ConsumeIntegralInRange<int>(0, 63);
  for (size_t i = ConsumeCount(input, 8, kMaxHashes - hashes.size()); i-- != 0;) {
    hashes.push_back((first + (RandomNumber(first, i) >> shift)) * factor ^ raw_seed);
  }
  if (hashes.empty()) hashes.push_back(first);
  return hashes;
}

std::string Built(const stock::RibbonSolver& solver, double bits,
                  const std::vector<uint64_t>& hashes) {
  kernels::Kernel kernel = Portable();
  kernel.stock.ribbon_solver = solver;
  filter::FilterWriter writer({Format::kRibbon, bits}, filter::PlanRow(Format::kRibbon));
  for (const uint64_t hash : hashes) writer.AddHash(hash);
  const filter::FilterShape shape = writer.Plan({}, &kernel);
  std::string filter(shape.payload_bytes() + stock::kMetadataBytes, '\0');
  writer.FinishTo(shape, filter.data());
  return filter;
}

// A filter on its own, of which the number of keys and the bits give the size.
std::string BuiltAlone(const stock::RibbonSolver& solver, double bits,
                       const std::vector<uint64_t>& hashes) {
  kernels::Kernel kernel = Portable();
  kernel.stock.ribbon_solver = solver;
  const filter::ShapeRequest request = {hashes.size(), bits, filter::kTrailerBytes};
  filter::FilterShape shape = filter::StandaloneShape(Format::kRibbon, request);
  const size_t num_bytes = shape.payload_bytes() + filter::EndBytes(shape);
  std::string filter(num_bytes, '\0');
  if (shape.layout == filter::Layout::kRibbon) {
    filter::HashList list;
    for (const uint64_t hash : hashes) list.Append(hash);
    const auto solution =
        filter::LayoutRowFor(shape.layout).solve(&list, 0, request, kernel, &shape);
    solution->WriteTo(shape, kernel, filter.data());
  } else {
    filter::LayoutRowFor(shape.layout)
        .insert(shape, kernel, filter.data(), hashes.size(), hashes.data());
  }
  const size_t payload_bytes = shape.payload_bytes();
  Require(payload_bytes + filter::EndBytes(shape) <= num_bytes, "a filter has its size");
  filter::EncodeEnd(shape, 0, num_bytes - payload_bytes, filter.data() + payload_bytes);
  return filter;
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline;
  using namespace bloomline::fuzz;
  FuzzedDataProvider input(data, size);
  const bool is_alone = input.ConsumeBool();
  const auto build = is_alone ? BuiltAlone : Built;
  const double bits = input.ConsumeIntegralInRange<int>(1000, 40000) / 1000.0;
  const std::vector<uint64_t> hashes = ConsumeStarts(&input);
  stock::RibbonSolver one_by_one = Portable().stock.ribbon_solver;
  one_by_one.solve = [](const stock::RibbonGroup&, stock::WaitingEquations*,
                        stock::RibbonEquation*) { return stock::RibbonSolved::kTooMany; };
  const std::string expected = build(one_by_one, bits, hashes);
  for (const kernels::Kernel* kernel : SupportedKernels()) {
    for (const size_t most_kept_rows : {size_t{0}, SIZE_MAX}) {
      stock::RibbonSolver solver = kernel->stock.ribbon_solver;
      solver.most_kept_rows = most_kept_rows;
      Require(build(solver, bits, hashes) == expected, "the bytes of insertion", kernel->name);
    }
    const filter::Payload payload =
        is_alone ? filter::DecodeTrailer(expected) : filter::DecodeTableBytes(expected);
    Require(!payload.always_matches(), "a filter as it was written is understood");
    filter::WithQuery(payload, *kernel, [&](const auto& query) {
      for (const uint64_t hash : hashes) {
        Require(query.MayMatch(hash), "a key that was added matches", kernel->name);
      }
    });
  }
  return 0;
}
