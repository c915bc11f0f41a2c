# cuset_embed(TARGET HEADER FILES...): makes the texts of FILES constants of TARGET that HEADER declares:
# page/page.css is `const std::string_view page_css`.
#
# cuset_embed(TARGET HEADER FILES... BELOW FOLDER MODEL files...): the same texts with their paths below FOLDER, and
# two hashes: of FILES, and of FILES and MODEL (see lib/host/include/cuset/host/runtime_files.h).
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(cuset_embed target header)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "BELOW" "MODEL")
    get_filename_component(name ${header} NAME_WE)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    set(script ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake)
    add_custom_command(OUTPUT ${output} VERBATIM WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      COMMAND ${CMAKE_COMMAND} -DHEADER=${header} -DBELOW=${arg_BELOW} "-DFILES=${arg_UNPARSED_ARGUMENTS}"
        "-DMODEL=${arg_MODEL}" -DOUTPUT=${output} -P ${script}
      DEPENDS ${arg_UNPARSED_ARGUMENTS} ${arg_MODEL} ${script})
    target_sources(${target} PRIVATE ${output})
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  endfunction()
  return()
endif()

foreach(file IN LISTS FILES)
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR length "${digits} / 2")
  string(REGEX REPLACE "(................................................................)" "\\1\"\n\"" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
  if(BELOW)
    file(RELATIVE_PATH path ${BELOW} ${file})
    string(APPEND texts "{\"${path}\", std::string_view(\n\"${bytes}\", ${length})},\n")
  else()
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} name)
    string(APPEND texts "const std::string_view ${name}(\n\"${bytes}\", ${length});\n")
  endif()
endforeach()
if(BELOW)
  foreach(part FILES MODEL)
    foreach(file IN LISTS ${part})
      file(SHA256 ${file} hash)
      file(RELATIVE_PATH path ${BELOW} ${file})
      string(APPEND hashes "${path} ${hash}\n")
    endforeach()
    string(SHA256 hash "${hashes}")
    string(SUBSTRING ${hash} 0 16 hash_up_to_${part})
  endforeach()
  set(texts "namespace {
constexpr runtime_file files[] = {
${texts}};
}
std::span<const runtime_file> runtime_files() { return files; }
std::uint64_t host_runtime_hash() { return 0x${hash_up_to_FILES}U; }
std::uint64_t host_model_hash() { return 0x${hash_up_to_MODEL}U; }
")
endif()
file(WRITE ${OUTPUT} "#include \"${HEADER}\"\nnamespace cuset {\n${texts}}\n")
