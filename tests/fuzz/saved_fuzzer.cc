// Readers of saved filters: any bytes, and bytes with correct checksums over any fields, are
// refused with a reason or give a filter that answers queries and takes keys. A file of these bytes
// gives the same filter or the same error.
#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/filter/bits/bytes.h"
#include "src/filter/bits/hash.h"
#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {
namespace {

// docs/format.md, sections 8 to 10.
constexpr size_t kHeaderBytes = 64;
constexpr const char* kMagics[] = {"bLnBloom", "bLnCount", "bLnScale"};
enum Magic { kBloom, kCount, kScale };

void SetNumber(uint64_t value, size_t offset, std::string* header) {
  kernels::StoreLittleEndian64(value, header->data() + offset);
}

void Seal(std::string* header) {
  SetNumber(filter::Hash64({header->data(), kHeaderBytes - 8}, 0), kHeaderBytes - 8, header);
}

std::string ConsumeHeader(FuzzedDataProvider* input, Magic magic, uint64_t seed) {
  std::string header = kMagics[magic] + std::string(kHeaderBytes - 8, '\0');
  header[8] = 1;  // version
  header[12] = input->ConsumeIntegralInRange<char>(0, 4);
  header[13] = input->ConsumeIntegralInRange<char>(0, 31);
  SetNumber(seed, 16, &header);
  return header;
}

// A header and a payload of whole blocks. The header may record another size.
std::string ConsumeFilter(FuzzedDataProvider* input, Magic magic, uint64_t seed) {
  std::string header = ConsumeHeader(input, magic, seed);
  const auto num_lines = input->ConsumeIntegralInRange<uint64_t>(1, 8);
  const auto kind = input->ConsumeIntegralInRange<int>(0, 7);
  const uint64_t num_bits = kind == 7   ? input->ConsumeIntegral<uint64_t>()
                            : kind == 6 ? num_lines * 512 - input->ConsumeIntegral<uint8_t>()
                                        : num_lines * 512;
  SetNumber(num_bits, 24, &header);
  SetNumber(input->ConsumeIntegral<uint16_t>(), 32, &header);
  SetNumber(input->ConsumeIntegral<uint16_t>(), 40, &header);
  const size_t counter_bits = magic == kBloom ? 1 : header[12] == 2 ? 4 : 8;
  const std::string payload = ConsumeContent(input, num_lines * 64 * counter_bits);
  SetNumber(filter::Hash64(payload, 0), 48, &header);
  Seal(&header);
  return header + payload;
}

std::string ConsumeScalable(FuzzedDataProvider* input, uint64_t seed) {
  std::string file = ConsumeHeader(input, kScale, seed);
  SetNumber(input->ConsumeIntegral<uint16_t>(), 24, &file);
  for (const size_t offset : {size_t{32}, size_t{40}}) {
    const double value = input->ConsumeBool() ? input->ConsumeProbability<double>()
                                              : input->ConsumeFloatingPoint<double>();
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    SetNumber(bits, offset, &file);
  }
  const auto num_stages = input->ConsumeIntegralInRange<uint64_t>(0, 4);
  const auto surplus = input->ConsumeIntegralInRange<uint64_t>(0, 15) == 15 ? 1 : 0;
  SetNumber(num_stages + static_cast<uint64_t>(surplus), 48, &file);
  Seal(&file);
  for (uint64_t i = 0; i < num_stages; ++i) {
    const uint64_t other = input->ConsumeIntegralInRange<int>(0, 15) == 15 ? 1 : 0;
    file += ConsumeFilter(input, kBloom, seed ^ other);
  }
  return file;
}

template <typename Filter>
void RequireReason(const Filter& filter, std::string* error) {
  Require((filter == nullptr) == !error->empty(), "what is refused has a reason, and only that");
  error->clear();
}

// The filter of these bytes, or null, from memory and a file, which must agree.
template <typename Filter>
std::unique_ptr<Filter> ReadFilter(std::string_view bytes, const std::string& path) {
  std::string error, file_error;
  auto filter = Filter::FromBytes(bytes, &error);
  Require((filter == nullptr) == !error.empty(), "what is refused has a reason, and only that");
  const auto loaded = Filter::Load(path, &file_error);
  Require((filter == nullptr) == (loaded == nullptr), "a file is read as its bytes are");
  if (filter == nullptr) {
    constexpr size_t kName = std::string_view("bytes").size();
    // Only where they end too early do the texts differ: "they end", "the file ends".
    Require(error.substr(kName) == file_error.substr(path.size()) ||
                error.find("cannot read") != std::string::npos,
            "the reason is the same");
    return nullptr;
  }
  std::string saved;
  Require(filter->ToBytes(&saved, nullptr) && saved == bytes, "what was read is saved as it was");
  return filter;
}

template <typename Filter>
void Ask(const Filter& filter, const std::vector<Key>& keys) {
  std::vector<std::string_view> views;
  for (const Key& key : keys) views.push_back(View(key));
  const std::unique_ptr<bool[]> answers(new bool[views.size()]);
  filter.MayMatch(views.size(), views.data(), answers.get());
  for (size_t i = 0; i < views.size(); ++i) {
    Require(filter.MayMatch(views[i]) == answers[i], "batched query as single");
  }
}

template <typename Filter>
void Use(Filter* filter, const std::vector<Key>& keys) {
  Ask(*filter, keys);
  for (const Key& key : keys) filter->AddKey(View(key));
  for (const Key& key : keys) Require(filter->MayMatch(View(key)), "an added key is contained");
}

// True if any reader accepts the bytes.
bool Read(const std::string& bytes, const std::vector<Key>& keys) {
  const std::string& path = FileOf(bytes);
  std::string error;
  const auto bloom = ReadFilter<BloomFilter>(bytes, path);
  const auto mapped = MappedBloomFilter::Open(path, MappedBloomFilter::Verify::kPayload, &error);
  RequireReason(mapped, &error);
  Require((bloom == nullptr) == (mapped == nullptr), "mapped if it can be loaded");
  const auto unverified = MappedBloomFilter::Open(path, MappedBloomFilter::Verify::kHeader, &error);
  RequireReason(unverified, &error);
  Require(bloom == nullptr || unverified != nullptr, "the header is right if all is");
  if (unverified != nullptr) Ask(*unverified, keys);
  if (bloom != nullptr) {
    Require(*bloom == *mapped, "mapped and loaded are equal");
    Use(bloom.get(), keys);
  }
  const auto counting = ReadFilter<CountingBloomFilter>(bytes, path);
  if (counting != nullptr) {
    Use(counting.get(), keys);
    for (const Key& key : keys) counting->RemoveKey(View(key));
  }
  const auto scalable = ReadFilter<ScalableBloomFilter>(bytes, path);
  if (scalable != nullptr) {
    Require(scalable->num_stages() > 0, "a scalable filter has a stage");
    for (size_t i = 0; i < scalable->num_stages(); ++i) {
      Require(scalable->stage(i).seed() == scalable->stage(0).seed(), "stages share their hashes");
    }
    Ask(*scalable, keys);
  }
  return unverified != nullptr || counting != nullptr || scalable != nullptr;
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline::fuzz;
  FuzzedDataProvider input(data, size);
  const auto mode = input.ConsumeIntegralInRange<int>(0, 3);
  const auto first = input.ConsumeIntegral<uint64_t>();
  std::vector<Key> keys(1);
  const size_t num_keys = ConsumeCount(&input, 4, 40);
  for (uint64_t i = 0; i < num_keys; ++i) keys.push_back(BigEndianKey(first + i));
  const uint64_t seed = input.ConsumeBool() ? input.ConsumeIntegral<uint64_t>() : 0;
  std::string bytes = mode == 0   ? input.ConsumeRemainingBytesAsString()
                      : mode == 1 ? ConsumeFilter(&input, kBloom, seed)
                      : mode == 2 ? ConsumeFilter(&input, kCount, seed)
                                  : ConsumeScalable(&input, seed);
  while (input.remaining_bytes() > 0 && !bytes.empty() && input.ConsumeBool()) {
    bytes[input.ConsumeIntegralInRange<size_t>(0, bytes.size() - 1)] =
        input.ConsumeIntegral<char>();
    if (input.ConsumeBool()) bytes.resize(input.ConsumeIntegralInRange<size_t>(0, bytes.size()));
  }
  if (Read(bytes, keys)) {
    Require(!Read(bytes + '\0', keys), "a byte too many is refused");
  }
  return 0;
}
