// The file that Save replaces: where it is, what it may be, and who may use it.
#ifndef BLOOMLINE_SUPPORT_SAVE_TARGET_H_
#define BLOOMLINE_SUPPORT_SAVE_TARGET_H_

#include <string>

namespace bloomline::support {

// Who may use a file that does not exist yet: as the umask says, on Windows as its folder says; or
// its owner alone.
enum class NewFile { kByUmask, kPrivate };

class SaveTarget {
 public:
  SaveTarget() = default;
  ~SaveTarget();
  SaveTarget(const SaveTarget&) = delete;
  SaveTarget& operator=(const SaveTarget&) = delete;

  // Finds the target; opens its folder, but no file. Follows symbolic links, also to a file that
  // does not exist yet; on Windows, such a link is itself the target, because its calls that follow
  // links need the file. False, with *error, if the target is no regular file, or if its folder
  // cannot be opened.
  bool Open(const std::string& path, std::string* error);

  // Gives a file of the same folder the owner, group, mode and access control list of the target.
  // Where the process may not change the owner, the file keeps its own. Where it may not set the
  // group either, the group gets no more than everybody has. Does nothing if there is no target
  // yet.
  bool CopyAttributesTo(int descriptor, std::string* error) const;

  // Renames a file of the same folder to the target.
  bool ReplaceBy(const std::string& name, std::string* error) const;

  // Syncs the folder, so that the renaming survives a power failure.
  bool Sync(std::string* error) const;

  // Creates a file for writing in the target's folder; returns its descriptor, or -1 with errno.
  // If the target exists, only the owner may use the new file until CopyAttributesTo; otherwise
  // `new_file` decides.
  int CreateBeside(const std::string& name, NewFile new_file);
  // Removes the file that was created last. Needs no memory.
  void RemoveBeside(const std::string& name) const;

  const std::string& folder_path() const { return folder_path_; }  // empty, or ends in a slash
  const std::string& name() const { return name_; }

 private:
  bool OpenFolder(const std::string& path, std::string* error);
  std::string path() const { return folder_path_ + name_; }

  // So that another working directory changes nothing.
  int folder_ = -1;           // a descriptor; none on Windows
  std::wstring full_path_;    // of the target, on Windows alone
  std::wstring full_beside_;  // of the file that was created last, on Windows alone
  std::string folder_path_;
  std::string name_;
  bool exists_ = false;
};

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_SAVE_TARGET_H_
