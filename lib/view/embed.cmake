# cmake -DFILES="a;b" -DOUTPUT=… -P embed.cmake: the texts of FILES as constants (see page_files.h),
# page.html as page_html.
set(constants "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} name)
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR length "${digits} / 2")
  string(REGEX REPLACE "(................................................................)" "\\1\"\n\"" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
  string(APPEND constants "const std::string_view ${name}(\n\"${bytes}\", ${length});\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"page_files.h\"
namespace cuset {
${constants}}
")
