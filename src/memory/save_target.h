// The file that a Save replaces: where it is, what it may be, and who may use it.
#ifndef BLOOMLINE_MEMORY_SAVE_TARGET_H_
#define BLOOMLINE_MEMORY_SAVE_TARGET_H_

#include <sys/types.h>

#include <string>

namespace bloomline::filters {

class SaveTarget {
 public:
  SaveTarget() = default;
  ~SaveTarget();
  SaveTarget(const SaveTarget&) = delete;
  SaveTarget& operator=(const SaveTarget&) = delete;

  // Follows symbolic links, also to a file that does not exist yet. False, with *error, if what is
  // there is no regular file, or if the folder cannot be opened. Opens no file.
  bool Open(const std::string& path, std::string* error);

  // Gives a file of the same folder the owner, group, mode and access control list of the target.
  // Where the process may not change the owner, the file keeps its own; where it may not set the
  // group, either, the group gets no more than everybody has. Nothing happens without a target.
  bool CopyAttributesTo(int descriptor, std::string* error) const;

  // Puts a file of the same folder in the place of the target.
  bool ReplaceBy(const std::string& name, std::string* error) const;

  // Makes that last through a power failure.
  bool Sync(std::string* error) const;

  // Of a new file beside the target: of an existing target's only the owner may use it until
  // CopyAttributesTo; else the umask decides.
  mode_t NewFileMode() const { return exists_ ? 0600 : 0666; }

  int folder() const { return folder_; }                           // a descriptor
  const std::string& folder_path() const { return folder_path_; }  // empty, or ends in a slash
  const std::string& name() const { return name_; }

 private:
  bool OpenFolder(const std::string& path, std::string* error);
  std::string path() const { return folder_path_ + name_; }

  int folder_ = -1;
  std::string folder_path_;
  std::string name_;
  bool exists_ = false;
};

}  // namespace bloomline::filters

#endif  // BLOOMLINE_MEMORY_SAVE_TARGET_H_
