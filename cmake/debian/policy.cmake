# What Debian's policy wants of a package beside the files that `cmake --install` puts there: CPack runs
# this once they are staged.
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${share}/doc/cuset)
file(REMOVE ${share}/doc/cuset/LICENSE)
configure_file(${CMAKE_CURRENT_LIST_DIR}/../../CHANGELOG.md ${share}/doc/cuset/changelog COPYONLY)
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
file(GLOB pages ${share}/man/man*/*)
execute_process(COMMAND gzip -9n ${pages} ${share}/doc/cuset/changelog COMMAND_ERROR_IS_FATAL ANY)
