# CPack runs this between installing and packing: every package gets Debian's file copyright, which
# is also what `reuse lint` reads, and the licences of the headers that are compiled into it.
foreach(group_package IN LISTS CPACK_BLOOMLINE_PACKAGES)
  string(REPLACE "=" ";" group_package "${group_package}")
  list(GET group_package 0 group)
  list(GET group_package 1 package)
  set(doc "${CPACK_TEMPORARY_DIRECTORY}/${group}/usr/share/doc/${package}")
  # Not with the permissions of the source: a clone's and an archive's differ.
  file(COPY "${CMAKE_CURRENT_LIST_DIR}/../.reuse/dep5" DESTINATION "${doc}"
       FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(RENAME "${doc}/dep5" "${doc}/copyright")
  set(headers libxxhash-dev)
  if(package STREQUAL "bloomline-tools")
    list(APPEND headers libcli11-dev nlohmann-json3-dev)
  elseif(package MATCHES "^python3")
    set(headers "")
  endif()
  foreach(header IN LISTS headers)
    configure_file("/usr/share/doc/${header}/copyright" "${doc}/copyright.${header}" COPYONLY)
  endforeach()
endforeach()
