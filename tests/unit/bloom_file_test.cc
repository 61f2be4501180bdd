// Saved Bloom filters: a loaded filter equals the saved one, and any other file is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bloomline/bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/in_memory/file_header.h"
#include "tests/support/bloom_layouts.h"
#include "tests/support/golden_keys.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using Verify = MappedBloomFilter::Verify;

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::unique_ptr<BloomFilter> NewFilter(BloomLayout layout, int num_keys) {
  BloomFilterOptions options;
  options.layout = layout;
  options.capacity = 50;
  options.num_bits = 1024;
  options.num_probes = 6;
  options.seed = 0x0123456789ABCDEF;
  auto filter = BloomFilter::Create(options, nullptr);
  for (int i = 0; i < num_keys; ++i) filter->AddKey(std::to_string(i));
  return filter;
}

std::unique_ptr<ScalableBloomFilter> NewScalable(int num_keys) {
  ScalableBloomFilterOptions options;
  options.initial_capacity = 20;
  options.seed = 3;
  auto filter = ScalableBloomFilter::Create(options, nullptr);
  for (int i = 0; i < num_keys; ++i) filter->AddKey(std::to_string(i));
  return filter;
}

class BloomFileTest : public testing::Test {
 protected:
  // Opens the file in every way. All must fail. Returns their errors, which must name the file.
  std::vector<std::string> Refusals(const std::string& path) {
    std::vector<std::string> errors(3);
    EXPECT_EQ(BloomFilter::Load(path, &errors[0]), nullptr);
    EXPECT_EQ(MappedBloomFilter::Open(path, Verify::kHeader, &errors[1]), nullptr);
    EXPECT_EQ(MappedBloomFilter::Open(path, Verify::kPayload, &errors[2]), nullptr);
    EXPECT_EQ(BloomFilter::Load(path, nullptr), nullptr);
    for (const std::string& error : errors) {
      EXPECT_EQ(error.find(path), 0u) << error;
    }
    return errors;
  }

  void ExpectRefused(const std::string& bytes, const std::vector<std::string>& parts) {
    const std::string path = dir_.Path("damaged");
    WriteBytes(path, bytes);
    std::vector<std::string> errors = Refusals(path);
    EXPECT_EQ(BloomFilter::FromBytes(bytes, &errors.emplace_back()), nullptr);
    for (const std::string& error : errors) {
      for (const std::string& part : parts) EXPECT_NE(error.find(part), std::string::npos) << error;
    }
  }

  std::string Saved(const BloomFilterBase& filter) {
    const std::string path = dir_.Path("saved");
    std::string error;
    EXPECT_TRUE(filter.Save(path, &error)) << error;
    std::string bytes;
    EXPECT_TRUE(filter.ToBytes(&bytes, &error)) << error;
    EXPECT_EQ(bytes, ReadBytes(path));
    return bytes;
  }

  // A saved filter with a changed header and a correct checksum.
  std::string WithField(size_t offset, uint64_t value, size_t num_bytes) {
    std::string bytes = Saved(*NewFilter(BloomLayout::kBlocked, 30));
    for (size_t i = 0; i < num_bytes; ++i) bytes[offset + i] = static_cast<char>(value >> (8 * i));
    in_memory::FileHeader header;
    for (size_t i = 0; i < in_memory::kHeaderChecksumOffset; ++i) {
      header.SetByte(i, static_cast<uint8_t>(bytes[i]));
    }
    header.Seal();
    return std::string(header.bytes(), in_memory::kFileHeaderBytes) +
           bytes.substr(in_memory::kFileHeaderBytes);
  }

  tests::TempDir dir_;
};

TEST_F(BloomFileTest, LoadedFilterEqualsTheSavedOne) {
  for (const BloomLayout layout : tests::kAllBloomLayouts) {
    for (const int num_keys : {0, 1, 30, 60}) {
      const auto filter = NewFilter(layout, num_keys);
      const std::string path = dir_.Path("filter");
      std::string error;
      ASSERT_TRUE(filter->Save(path, &error)) << error;
      EXPECT_EQ(std::filesystem::file_size(path), 64 + 1024 / 8);
      const auto loaded = BloomFilter::Load(path, &error);
      ASSERT_NE(loaded, nullptr) << error;
      const auto mapped = MappedBloomFilter::Open(path, Verify::kPayload, &error);
      ASSERT_NE(mapped, nullptr) << error;
      for (const BloomFilterBase* copy : {static_cast<const BloomFilterBase*>(loaded.get()),
                                          static_cast<const BloomFilterBase*>(mapped.get())}) {
        EXPECT_TRUE(*copy == *filter);
        EXPECT_EQ(copy->layout(), filter->layout());
        EXPECT_EQ(copy->num_bits(), filter->num_bits());
        EXPECT_EQ(copy->num_probes(), filter->num_probes());
        EXPECT_EQ(copy->seed(), filter->seed());
        EXPECT_EQ(copy->capacity(), filter->capacity());
        EXPECT_EQ(copy->num_keys(), filter->num_keys());
        EXPECT_EQ(copy->IsPastCapacity(), filter->IsPastCapacity());
        EXPECT_EQ(copy->EstimatedNumKeys(), filter->EstimatedNumKeys());
        EXPECT_EQ(Saved(*copy), ReadBytes(path));
        for (int i = 0; i < 1000; ++i) {
          ASSERT_EQ(copy->MayMatch(std::to_string(i)), filter->MayMatch(std::to_string(i)));
        }
      }
      loaded->AddKey("more");  // a loaded filter is the caller's own
      const auto merged = BloomFilter::Copy(*mapped, &error);
      EXPECT_TRUE(merged->Merge(*mapped, &error));
      EXPECT_TRUE(*merged == *filter);
    }
  }
}

// Files of docs/format.md that an independent implementation wrote (golden/reference.py).
TEST_F(BloomFileTest, BytesAreThoseOfTheFormat) {
  std::ifstream vectors(BLOOMLINE_GOLDEN_DIR "/saved_filters.txt");
  const std::string path = dir_.Path("golden");
  int num_filters = 0;
  int num_scalable = 0;
  for (std::string line; std::getline(vectors, line);) {
    std::istringstream fields(line);
    std::string kind, layout, num_bits, num_probes, capacity, key_list, file;
    BloomFilterOptions options;
    fields >> kind >> layout >> num_bits >> num_probes >> options.seed >> capacity >> key_list >>
        file;
    SCOPED_TRACE(kind + " " + layout + " " + num_bits);
    if (kind == "counting") continue;  // counting_file_test
    options.layout = tests::LayoutOf(layout);
    const std::vector<std::string> keys = tests::KeysFromHex(key_list);
    const std::string bytes = tests::FromHex(file);
    WriteBytes(path, bytes);
    std::string error;
    if (kind == "scalable") {
      const auto filter = ScalableBloomFilter::Load(path, &error);
      ASSERT_NE(filter, nullptr) << error;
      for (const std::string& key : keys) EXPECT_TRUE(filter->MayMatch(key));
      int matches = 0;
      for (int i = 0; i < 1000; ++i) matches += filter->MayMatch("absent" + std::to_string(i));
      EXPECT_LT(matches, 30);
      EXPECT_EQ(filter->num_stages(), 3u);
      EXPECT_EQ(filter->options().initial_capacity, 20u);
      EXPECT_EQ(filter->options().false_positive_rate, 0.01);
      ASSERT_TRUE(filter->Save(path, &error)) << error;
      EXPECT_EQ(ReadBytes(path), bytes);
      const auto from_bytes = ScalableBloomFilter::FromBytes(bytes, &error);
      ASSERT_NE(from_bytes, nullptr) << error;
      std::string saved;
      ASSERT_TRUE(from_bytes->ToBytes(&saved, &error)) << error;
      EXPECT_EQ(saved, bytes);
      ++num_scalable;
      continue;
    }
    options.num_bits = std::stoull(num_bits);
    options.num_probes = std::stoi(num_probes);
    options.capacity = std::stoull(capacity);
    const auto filter = BloomFilter::Create(options, &error);
    ASSERT_NE(filter, nullptr) << error;
    for (const std::string& key : keys) filter->AddKey(key);
    EXPECT_EQ(Saved(*filter), bytes);
    const auto loaded = BloomFilter::Load(path, &error);
    ASSERT_NE(loaded, nullptr) << error;
    EXPECT_TRUE(*loaded == *filter);
    const auto from_bytes = BloomFilter::FromBytes(bytes, &error);
    ASSERT_NE(from_bytes, nullptr) << error;
    EXPECT_EQ(Saved(*from_bytes), bytes);
    ++num_filters;
  }
  EXPECT_EQ(num_filters, 7);
  EXPECT_EQ(num_scalable, 2);
}

TEST_F(BloomFileTest, LargeFilterIsLoadedAndMapped) {
  BloomFilterOptions options;
  options.capacity = 3000000;
  const auto filter = BloomFilter::Create(options, nullptr);
  for (int i = 0; i < 100000; ++i) filter->AddKey(std::to_string(i));
  const std::string path = dir_.Path("filter");
  ASSERT_TRUE(filter->Save(path, nullptr));
  EXPECT_TRUE(*BloomFilter::Load(path, nullptr) == *filter);
  EXPECT_TRUE(*MappedBloomFilter::Open(path, Verify::kPayload, nullptr) == *filter);
}

TEST_F(BloomFileTest, SaveReplacesAFileThatIsMapped) {
  const std::string path = dir_.Path("filter");
  const auto old_filter = NewFilter(BloomLayout::kBlocked, 10);
  const auto new_filter = NewFilter(BloomLayout::kBlocked, 60);
  ASSERT_TRUE(old_filter->Save(path, nullptr));
  const auto mapped = MappedBloomFilter::Open(path, Verify::kHeader, nullptr);
  ASSERT_TRUE(new_filter->Save(path, nullptr));
  EXPECT_TRUE(*mapped == *old_filter);
  EXPECT_TRUE(*MappedBloomFilter::Open(path, Verify::kHeader, nullptr) == *new_filter);
}

TEST_F(BloomFileTest, FailedSaveLeavesTheOldFileAndNothingElse) {
  const auto filter = NewFilter(BloomLayout::kBlocked, 10);
  std::string error;
  EXPECT_FALSE(filter->Save(dir_.Path("no/such/folder"), &error));
  EXPECT_NE(error.find(dir_.Path("no/such/folder")), std::string::npos) << error;
  EXPECT_FALSE(filter->Save(dir_.Path("no/such/folder"), nullptr));
  const std::string folder = dir_.Path("folder");
  std::filesystem::create_directory(folder);
  WriteBytes(folder + "/file", "");
  EXPECT_FALSE(filter->Save(folder, &error));  // a folder cannot be replaced
  EXPECT_NE(error.find("is not a regular file"), std::string::npos) << error;
  size_t entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir_.Path(""))) {
    ++entries;
    EXPECT_EQ(entry.path().filename(), "folder");
  }
  EXPECT_EQ(entries, 1u);
}

TEST_F(BloomFileTest, EveryDamagedHeaderByteIsRefused) {
  const std::string bytes = Saved(*NewFilter(BloomLayout::kBlocked, 30));
  for (size_t i = 0; i < in_memory::kFileHeaderBytes; ++i) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      ExpectRefused(damaged, {"offset "});
    }
  }
}

TEST_F(BloomFileTest, EveryDamagedPayloadByteIsRefusedIfVerified) {
  const std::string bytes = Saved(*NewFilter(BloomLayout::kBlocked, 30));
  const std::string path = dir_.Path("damaged");
  for (size_t i = in_memory::kFileHeaderBytes; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    WriteBytes(path, damaged);
    std::string error;
    EXPECT_EQ(BloomFilter::Load(path, &error), nullptr);
    EXPECT_NE(error.find("payload checksum"), std::string::npos) << error;
    EXPECT_EQ(MappedBloomFilter::Open(path, Verify::kPayload, &error), nullptr);
    EXPECT_NE(error.find("payload checksum"), std::string::npos) << error;
    EXPECT_NE(MappedBloomFilter::Open(path, Verify::kHeader, &error), nullptr);
  }
}

TEST_F(BloomFileTest, EveryOtherLengthIsRefused) {
  const std::string bytes = Saved(*NewFilter(BloomLayout::kStandard, 30));
  for (size_t length = 0; length < bytes.size(); ++length) {
    ExpectRefused(bytes.substr(0, length), {std::to_string(length)});
  }
  ExpectRefused(bytes + '\0', {"193 bytes", "ends at byte 192"});
}

TEST_F(BloomFileTest, FieldsOutOfRangeAreNamedWithOffsetAndValue) {
  ExpectRefused(WithField(0, 0x1122334455667788, 8), {"offset 0", "magic", "0x1122334455667788"});
  ExpectRefused(WithField(8, 2, 4), {"offset 8", "version is 2", "reads 1"});
  ExpectRefused(WithField(12, 4, 1), {"offset 12", "layout is 4", "allowed: 0"});
  ExpectRefused(WithField(13, 0, 1), {"offset 13", "num_probes is 0", "1 to 30"});
  ExpectRefused(WithField(13, 31, 1), {"offset 13", "num_probes is 31", "1 to 30"});
  ExpectRefused(WithField(14, 256, 2), {"offset 14", "reserved is 256"});
  ExpectRefused(WithField(24, 0, 8), {"offset 24", "num_bits is 0"});
  ExpectRefused(WithField(24, 1023, 8), {"offset 24", "num_bits is 1023"});
  ExpectRefused(WithField(24, 1536, 8), {"offset 24", "num_bits is 1536", "256", "192"});
  ExpectRefused(WithField(24, ~uint64_t{511}, 8), {"offset 24", "18446744073709551104"});
  ExpectRefused(WithField(24, 512, 8), {"192 bytes", "128"});
}

TEST_F(BloomFileTest, MissingFilesAndFoldersAreNamed) {
  std::string error;
  EXPECT_EQ(BloomFilter::Load(dir_.Path("missing"), &error), nullptr);
  EXPECT_EQ(error.find(dir_.Path("missing")), 0u) << error;
  for (const std::string& refusal : Refusals(dir_.Path(""))) {
    EXPECT_NE(refusal.find("not a regular file"), std::string::npos) << refusal;
  }
}

TEST_F(BloomFileTest, LoadedScalableFilterContinuesToGrow) {
  for (const int num_keys : {0, 10, 500}) {
    const auto filter = NewScalable(num_keys);
    const std::string path = dir_.Path("scalable");
    std::string error;
    ASSERT_TRUE(filter->Save(path, &error)) << error;
    const auto loaded = ScalableBloomFilter::Load(path, &error);
    ASSERT_NE(loaded, nullptr) << error;
    ASSERT_EQ(loaded->num_stages(), filter->num_stages());
    EXPECT_EQ(loaded->num_keys(), filter->num_keys());
    EXPECT_EQ(loaded->options().tightening, filter->options().tightening);
    EXPECT_EQ(loaded->options().false_positive_rate, filter->options().false_positive_rate);
    for (int i = 0; i < 1000; ++i) {
      const std::string key = std::to_string(i);
      ASSERT_EQ(loaded->MayMatch(key), filter->MayMatch(key));
    }
    for (int i = 0; i < 2000; ++i) {
      const std::string key = "later" + std::to_string(i);
      ASSERT_EQ(loaded->AddKey(key), filter->AddKey(key));
    }
    for (size_t i = 0; i < filter->num_stages(); ++i) {
      EXPECT_TRUE(loaded->stage(i) == filter->stage(i));
    }
  }
}

// All stages share one hash of a key, so they must share the seed.
TEST_F(BloomFileTest, StagesOfOtherSeedsAreRefused) {
  const std::string path = dir_.Path("scalable");
  ASSERT_TRUE(NewScalable(100)->Save(path, nullptr));
  const std::string bytes = ReadBytes(path);
  for (const uint64_t seed : {2, 4}) {  // the filter's is 3
    in_memory::FileHeader header;
    for (size_t i = 0; i < in_memory::kHeaderChecksumOffset; ++i) {
      header.SetByte(i, static_cast<uint8_t>(bytes[in_memory::kFileHeaderBytes + i]));
    }
    header.SetNumber(in_memory::kSeedOffset, seed);
    header.Seal();
    std::string changed = bytes;
    changed.replace(in_memory::kFileHeaderBytes, in_memory::kFileHeaderBytes, header.bytes(),
                    in_memory::kFileHeaderBytes);
    WriteBytes(path, changed);
    std::string error;
    EXPECT_EQ(ScalableBloomFilter::Load(path, &error), nullptr);
    EXPECT_NE(error.find("seed is " + std::to_string(seed)), std::string::npos) << error;
  }
}

TEST_F(BloomFileTest, DamagedScalableFilesAreRefused) {
  const std::string path = dir_.Path("scalable");
  const auto filter = NewScalable(100);
  ASSERT_GE(filter->num_stages(), 3u);
  ASSERT_TRUE(filter->Save(path, nullptr));
  const std::string bytes = ReadBytes(path);
  std::string error;
  const auto expect_refused = [&](const std::string& damaged) {
    WriteBytes(path, damaged);
    error.clear();
    EXPECT_EQ(ScalableBloomFilter::Load(path, &error), nullptr);
    EXPECT_EQ(error.find(path), 0u) << error;
  };
  for (size_t i = 0; i < bytes.size(); i += i < 128 ? 1 : 7) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    expect_refused(damaged);
  }
  for (size_t length = 0; length < bytes.size(); length += 7)
    expect_refused(bytes.substr(0, length));
  expect_refused(bytes + '\0');
  // One kind of file is not accepted as another.
  WriteBytes(path, bytes);
  EXPECT_EQ(BloomFilter::Load(path, &error), nullptr);
  EXPECT_EQ(error, path + ": is a saved ScalableBloomFilter; expected a saved BloomFilter");
  expect_refused(Saved(*NewFilter(BloomLayout::kBlocked, 5)));
  EXPECT_EQ(error, path + ": is a saved BloomFilter; expected a saved ScalableBloomFilter");
}

}  // namespace
}  // namespace bloomline
