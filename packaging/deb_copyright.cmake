# CPack runs this between installing and packing: every package gets Debian's file copyright.
foreach(group_package IN LISTS CPACK_BLOOMLINE_PACKAGES)
  string(REPLACE "=" ";" group_package "${group_package}")
  list(GET group_package 0 group)
  list(GET group_package 1 package)
  file(WRITE "${CPACK_TEMPORARY_DIRECTORY}/${group}/usr/share/doc/${package}/copyright" "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: bloomline

Files: *
Copyright: The bloomline authors
License: Apache-2.0
 On Debian systems, the text of the licence is in /usr/share/common-licenses/Apache-2.0.
")
endforeach()
