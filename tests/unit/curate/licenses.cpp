#include "cuset/curate/licenses.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cuset/curate/checks.h"

using namespace cuset;

namespace {

std::string license_of_code(const std::string& text) {
    code_tokens code;
    code.read(text);
    return license_of(comments_of(code));
}

/// The text as lines of comments, each behind its mark.
std::string commented(const std::string& text, const std::string& mark) {
    std::string out = mark;
    for (const char c : text) {
        out += c;
        if (c == '\n') out += mark;
    }
    return out + "\nint a;\n";
}

const std::string mit =
    "Copyright (c) 2020 Somebody\n\nPermission is hereby granted, free of charge, to any person\n"
    "obtaining a copy of this software and associated documentation files (the \"Software\"), to\n"
    "deal in the Software without restriction";
const std::string bsd2 =
    "Copyright 2019, A University. All rights reserved.\n"
    "Redistribution and use in source and binary forms, with or without\n"
    "modification, are permitted provided that the following conditions\nare met:";
const std::string bsd3 =
    bsd2 +
    "\n * Neither the name of the university nor the names of its contributors may be\n"
    "used to endorse or promote products derived from this software";
const std::string apache =
    "Licensed under the Apache License, Version 2.0 (the \"License\");\n"
    "you may not use this file except in compliance with the License.";
const std::string nvidia =
    "Copyright 1993-2015 NVIDIA Corporation.  All rights reserved.\n\n"
    "Please refer to the NVIDIA end user license agreement (EULA) associated\n"
    "with this source code for terms and conditions that govern your use";
const std::string gpl =
    "This program is free software: you can redistribute it and/or modify\n"
    "it under the terms of the GNU General Public License as published by\n"
    "the Free Software Foundation, either version 3 of the License, or\n"
    "(at your option) any later version.";
const std::string lgpl =
    "under the terms of the GNU Lesser General Public License as published by the Free Software\n"
    "Foundation; version 2.1. It comes without the terms of the GNU General Public License.";

}  // namespace

BOOST_AUTO_TEST_SUITE(licenses)

BOOST_AUTO_TEST_CASE(notices_in_comments) {
    const std::pair<std::string, std::string> notices[] = {
        {mit, "MIT"},
        {bsd2, "BSD-2-Clause"},
        {bsd3, "BSD-3-Clause"},
        {bsd3 + "\nAll advertising materials mentioning features of this", "BSD-4-Clause"},
        {apache, "Apache-2.0"},
        {"Part of the CUDA Toolkit,\nunder the Apache License v2.0 with LLVM Exceptions.",
         "Apache-2.0 WITH LLVM-exception"},
        {"under the Apache License, Version 2.0 with LLVM Exceptions.",
         "Apache-2.0 WITH LLVM-exception"},
        {nvidia, "LicenseRef-NVIDIA-proprietary"},
        {"NVIDIA CORPORATION and its licensors retain all intellectual property\nand rights",
         "LicenseRef-NVIDIA-proprietary"},
        {gpl, "GPL-3.0-or-later"},
        {"GNU General Public License, version 2 only", "GPL-2.0-only"},
        {"released under the GNU General Public License", "unknown"},
        {lgpl, "LGPL-2.1-only"},
        {"Distributed under the Boost Software License, Version 1.0.", "BSL-1.0"},
        {"subject to the terms of the Mozilla Public\nLicense, v. 2.0.", "MPL-2.0"},
        {"Permission to use, copy, modify, and/or distribute this software for any\npurpose with "
         "or without fee is hereby granted, provided that the above\ncopyright notice appear",
         "ISC"},
        {apache + "\nParts of it:\n" + mit, "Apache-2.0 AND MIT"},
        {"Copyright (C) 2021 A Company, all rights reserved.", "LicenseRef-all-rights-reserved"},
        {"Copyright (C) 2021 A Company", "unknown"},
        {"This source code is licensed under the BSD-style license found in the\nLICENSE file",
         "unknown"},
        {"adds two vectors, a copy of each", "none"},
        {"", "none"}};
    for (const auto& [text, name] : notices) {
        BOOST_TEST(license_of_code("/*\n" + text + "\n*/\nint a;\n") == name, text);
        BOOST_TEST(license_of_code(commented(text, "// ")) == name, text);
        BOOST_TEST(license_of_code("/**\n" + commented(text, " * ") + "*/") == name, text);
    }
    BOOST_TEST(license_of_code("const char* s = \"" + apache.substr(0, 40) + "\";\n") == "none");
}

BOOST_AUTO_TEST_CASE(spdx_names_come_first) {
    BOOST_TEST(license_of_code("// SPDX-License-Identifier: MIT OR Apache-2.0\nint a;\n") ==
               "MIT OR Apache-2.0");
    BOOST_TEST(license_of_code("/* " + gpl + " */\n// SPDX-License-Identifier: MIT\nint a;\n") ==
               "MIT");
}

// Debian's copies of whole texts.
BOOST_AUTO_TEST_CASE(whole_texts) {
    const std::pair<const char*, const char*> texts[] = {
        {"Apache-2.0", "Apache-2.0"}, {"BSD", "BSD-3-Clause"},   {"CC0-1.0", "CC0-1.0"},
        {"GPL-2", "GPL-2.0-only"},    {"GPL-3", "GPL-3.0-only"}, {"LGPL-2.1", "LGPL-2.1-only"},
        {"LGPL-3", "LGPL-3.0-only"},  {"MPL-2.0", "MPL-2.0"}};
    for (const auto& [file, name] : texts) {
        std::ifstream in(std::filesystem::path("/usr/share/common-licenses") / file);
        if (!in) continue;
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        BOOST_TEST(license_in(text) == name, file << ": " << license_in(text));
    }
}

BOOST_AUTO_TEST_CASE(what_is_allowed) {
    const std::vector<std::string> allowed{"MIT", "none", "GPL-2.0-only WITH Classpath-exception"};
    BOOST_TEST(is_allowed("MIT OR Apache-2.0", allowed));
    BOOST_TEST(!is_allowed("MIT AND Apache-2.0", allowed));
    BOOST_TEST(!is_allowed("(MIT)", allowed));
    BOOST_TEST(is_allowed("mit", allowed));
    BOOST_TEST(!is_allowed("MIT-0", allowed));
    BOOST_TEST(is_allowed("GPL-2.0-only WITH Classpath-exception", allowed));
    BOOST_TEST(is_allowed(license_of({}), allowed));
    BOOST_TEST(!is_allowed("unknown", allowed));
}

BOOST_AUTO_TEST_CASE(names) {
    BOOST_TEST(license_names().size() > 500U);
    for (const char* name : {"MIT", "mit", "none", "unknown", "Apache-2.0 WITH LLVM-exception",
                             "LicenseRef-NVIDIA-proprietary", "GPL-3.0-or-later", "0BSD"})
        BOOST_TEST(is_license_name(name), name);
    for (const char* name : {"", "MTI", "Apache", "MIT OR Apache-2.0", "licenseref-x"})
        BOOST_TEST(!is_license_name(name), name);
    for (const char* file :
         {"LICENSE", "license.txt", "LICENSE-MIT", "COPYING.LESSER", "Licence.md", "COPYRIGHT"})
        BOOST_TEST(is_license_file(file), file);
    for (const char* file : {"licenses", "LICENSES", "relicense.txt", "copy.txt", ""})
        BOOST_TEST(!is_license_file(file), file);
}

BOOST_AUTO_TEST_SUITE_END()
