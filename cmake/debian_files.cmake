# SPDX-License-Identifier: Apache-2.0
# CPack runs this script in the folder tree that becomes a Debian package. It adds the files that Debian's policy
# requires (12.5 and 12.7, and a manual page).
set(root ${CPACK_TEMPORARY_DIRECTORY}/usr)
set(doc ${root}/share/doc/levee)
file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: levee

Files: *
Copyright: 2026 Levee's contributors
License: Apache-2.0
 See /usr/share/common-licenses/Apache-2.0. Code of others that pages and programs contain is listed in components.tsv.
")
file(REMOVE ${doc}/LICENSE)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/../tools/sbom/components.tsv DESTINATION ${doc})

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog "levee (${CPACK_PACKAGE_VERSION}) unstable; urgency=low

  * See CHANGELOG.md of the source tree.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(WRITE ${root}/share/man/man1/levee.1 ".TH LEVEE 1 \"\" \"levee ${CPACK_PACKAGE_VERSION}\" \"User Commands\"
.SH NAME
levee \\- ${CPACK_PACKAGE_DESCRIPTION_SUMMARY}
.SH SYNOPSIS
.B levee
.I COMMAND
[\\fIOPTION\\fR]...
.SH DESCRIPTION
.B levee help
lists the commands, and
.B levee
.I COMMAND
.B --help
the options of one. The pages are in
.IR /usr/share/doc/levee/docs .
")
file(CHMOD ${root}/share/levee/source/cmake/verilated_units.sh PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
  GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
file(WRITE ${root}/share/lintian/overrides/levee "# The simulated core's programs, with symbols for GDB, and what firmware of a user is linked with.
levee: arch-dependent-file-in-usr-share *
levee: binary-from-other-architecture *
levee: statically-linked-binary *
levee: unstripped-binary-or-object *
# The package states its builder's e-mail address (LEVEE_PACKAGE_CONTACT).
levee: bogus-mail-host *
levee: bogus-mail-host-in-debian-changelog *
")
foreach(file ${doc}/changelog ${root}/share/man/man1/levee.1)
  execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
