# cmake -DFOLDER=… -DFILES="a;b" -DMODEL="c;d" -DOUTPUT=… -P embed.cmake: the texts of FILES, by
# their paths below FOLDER, as a C++ source (see runtime_files.h); and one hash of them and of the
# files of MODEL.
set(pieces "")
set(hashes "")
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH name ${FOLDER} ${file})
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR length "${digits} / 2")
  string(REGEX REPLACE "(................................................................)" "\\1\"\n\"" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
  string(APPEND pieces "{\"${name}\", std::string_view(\n\"${bytes}\", ${length})},\n")
endforeach()
foreach(file IN LISTS FILES MODEL)
  file(SHA256 ${file} hash)
  file(RELATIVE_PATH name ${FOLDER} ${file})
  string(APPEND hashes "${name} ${hash}\n")
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUTPUT} "#include \"cuset/host/runtime_files.h\"
#include <array>
namespace cuset {
namespace {
constexpr std::array files = std::to_array<runtime_file>({
${pieces}});
}
std::span<const runtime_file> runtime_files() { return files; }
std::uint64_t host_model_hash() { return 0x${hash}U; }
}
")
