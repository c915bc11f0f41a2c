# The Debian package of the tools that need no model (setup/deb.sh). Its libraries are Debian's, which
# dpkg-shlibdeps names from what the programs are linked to.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cuset)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The cuset developers <developers@cuset.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "programs that make code models write correct CUDA kernels")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
  "cuset tags the kernels in CUDA code, finds where a model is least sure
of one, judges programs by compiling and running them, on a GPU or on a
model of one, and makes training pairs. This package has the tools that
need no model: cuset-tag, window, stats, view, eval, run, report and curate.
The Python wheel of cuset has those that run and train models, too.")
# The one component that goes in.
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};cuset;tools;/")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# cuset-eval and cuset-run use a compiler in a sandbox, and cuset-eval runs Python programs of tasks.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "bubblewrap, g++, python3")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-numpy")
# This strips the programs, and cuset-dbgsym has their debug files.
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/policy.cmake)
include(CPack)
