// Arithmetic with a rounding of its own, bit for bit. The expected values were computed with exact
// rational numbers (Python's fractions), rounded once as IEEE 754 says: nearest even, towards zero,
// up, down.
#include "check.h"

enum operation {
    f_add,
    f_sub,
    f_mul,
    f_div,
    f_rcp,
    f_sqrt,
    f_fma,
    d_add,
    d_sub,
    d_mul,
    d_div,
    d_rcp,
    d_sqrt,
    d_fma
};
struct rounding_case {
    operation what;
    unsigned long long operands[3];
    unsigned long long expected[4];  // rn, rz, ru, rd
};

static const rounding_case cases[] = {
    // clang-format off
    {f_add, {0x3f800000u, 0x1u, 0}, {0x3f800000u, 0x3f800000u, 0x3f800001u, 0x3f800000u}},
    {f_add, {0x3f800000u, 0x80000001u, 0}, {0x3f800000u, 0x3f7fffffu, 0x3f800000u, 0x3f7fffffu}},
    {f_add, {0x7f7fffffu, 0x7f7fffffu, 0}, {0x7f800000u, 0x7f7fffffu, 0x7f800000u, 0x7f7fffffu}},
    {f_add, {0xff7fffffu, 0xff7fffffu, 0}, {0xff800000u, 0xff7fffffu, 0xff7fffffu, 0xff800000u}},
    {f_add, {0x1u, 0x1u, 0}, {0x2u, 0x2u, 0x2u, 0x2u}},
    {f_add, {0x3f800000u, 0xbf800000u, 0}, {0, 0, 0, 0x80000000u}},
    {f_add, {0xbf800000u, 0x3f800000u, 0}, {0, 0, 0, 0x80000000u}},
    {f_add, {0x800000u, 0x80000001u, 0}, {0x7fffffu, 0x7fffffu, 0x7fffffu, 0x7fffffu}},
    {f_add, {0xbf134f06u, 0xc3862e3fu, 0}, {0xc38677e7u, 0xc38677e6u, 0xc38677e6u, 0xc38677e7u}},
    {f_add, {0xbe4497c8u, 0x3e4a98ccu, 0}, {0x3bc02080u, 0x3bc02080u, 0x3bc02080u, 0x3bc02080u}},
    {f_add, {0xae40f3a7u, 0x380b0051u, 0}, {0x380b0045u, 0x380b0044u, 0x380b0045u, 0x380b0044u}},
    {f_add, {0x3f88f105u, 0x3ec688b7u, 0}, {0x3fba9333u, 0x3fba9332u, 0x3fba9333u, 0x3fba9332u}},
    {f_add, {0x45e9d64au, 0x4ef94608u, 0}, {0x4ef94642u, 0x4ef94642u, 0x4ef94643u, 0x4ef94642u}},
    {f_add, {0xbed04fbbu, 0xc007eb18u, 0}, {0xc021f50fu, 0xc021f50fu, 0xc021f50fu, 0xc021f510u}},
    {f_sub, {0x3f800000u, 0x3f800000u, 0}, {0, 0, 0, 0x80000000u}},
    {f_sub, {0x3f800000u, 0x1u, 0}, {0x3f800000u, 0x3f7fffffu, 0x3f800000u, 0x3f7fffffu}},
    {f_sub, {0x7f7fffffu, 0xff7fffffu, 0}, {0x7f800000u, 0x7f7fffffu, 0x7f800000u, 0x7f7fffffu}},
    {f_sub, {0xcf32c66du, 0xad9c4c68u, 0}, {0xcf32c66du, 0xcf32c66cu, 0xcf32c66cu, 0xcf32c66du}},
    {f_sub, {0xbe6de24bu, 0x3eb5a659u, 0}, {0xbf164bbfu, 0xbf164bbfu, 0xbf164bbfu, 0xbf164bc0u}},
    {f_sub, {0xb38f13d0u, 0x4f47b682u, 0}, {0xcf47b682u, 0xcf47b682u, 0xcf47b682u, 0xcf47b683u}},
    {f_sub, {0xc117220au, 0xbe491d39u, 0}, {0xc113fd95u, 0xc113fd95u, 0xc113fd95u, 0xc113fd96u}},
    {f_sub, {0x532faab9u, 0xb0db2672u, 0}, {0x532faab9u, 0x532faab9u, 0x532faabau, 0x532faab9u}},
    {f_sub, {0xbe07a102u, 0x403f8a82u, 0}, {0xc0480492u, 0xc0480492u, 0xc0480492u, 0xc0480493u}},
    {f_mul, {0x7f7fffffu, 0x7f7fffffu, 0}, {0x7f800000u, 0x7f7fffffu, 0x7f800000u, 0x7f7fffffu}},
    {f_mul, {0xff7fffffu, 0x7f7fffffu, 0}, {0xff800000u, 0xff7fffffu, 0xff7fffffu, 0xff800000u}},
    {f_mul, {0x1u, 0x1u, 0}, {0, 0, 0x1u, 0}},
    {f_mul, {0x80000001u, 0x1u, 0}, {0x80000000u, 0x80000000u, 0x80000000u, 0x80000001u}},
    {f_mul, {0x800000u, 0x3f7fffffu, 0}, {0x800000u, 0x7fffffu, 0x800000u, 0x7fffffu}},
    {f_mul, {0x800000u, 0x1fc00000u, 0}, {0, 0, 0x1u, 0}},
    {f_mul, {0x4ce37c3bu, 0x3ecaf3b0u, 0}, {0x4c345892u, 0x4c345891u, 0x4c345892u, 0x4c345891u}},
    {f_mul, {0x3fa65ec3u, 0xbe970298u, 0}, {0xbec44729u, 0xbec44729u, 0xbec44729u, 0xbec4472au}},
    {f_mul, {0x3a4986b7u, 0xbdbf5ff9u, 0}, {0xb896a710u, 0xb896a70fu, 0xb896a70fu, 0xb896a710u}},
    {f_mul, {0xbf397366u, 0xbf7d765eu, 0}, {0x3f379ccbu, 0x3f379ccbu, 0x3f379cccu, 0x3f379ccbu}},
    {f_mul, {0x2f418703u, 0x4560e9feu, 0}, {0x352a0707u, 0x352a0706u, 0x352a0707u, 0x352a0706u}},
    {f_mul, {0x3f777565u, 0x3f8504beu, 0}, {0x3f809493u, 0x3f809492u, 0x3f809493u, 0x3f809492u}},
    {f_div, {0x3f800000u, 0x40400000u, 0}, {0x3eaaaaabu, 0x3eaaaaaau, 0x3eaaaaabu, 0x3eaaaaaau}},
    {f_div, {0x1u, 0x7f7fffffu, 0}, {0, 0, 0x1u, 0}},
    {f_div, {0x7f7fffffu, 0x1u, 0}, {0x7f800000u, 0x7f7fffffu, 0x7f800000u, 0x7f7fffffu}},
    {f_div, {0xbf800000u, 0x40400000u, 0}, {0xbeaaaaabu, 0xbeaaaaaau, 0xbeaaaaaau, 0xbeaaaaabu}},
    {f_div, {0xaf476f06u, 0xcf700fa8u, 0}, {0x1f54acd1u, 0x1f54acd1u, 0x1f54acd2u, 0x1f54acd1u}},
    {f_div, {0x412b8921u, 0x40cc144fu, 0}, {0x3fd72d40u, 0x3fd72d40u, 0x3fd72d41u, 0x3fd72d40u}},
    {f_div, {0xca66008eu, 0x47eb8410u, 0}, {0xc1fa01bau, 0xc1fa01b9u, 0xc1fa01b9u, 0xc1fa01bau}},
    {f_div, {0xbe228d5eu, 0xbfd502f0u, 0}, {0x3dc35b7eu, 0x3dc35b7eu, 0x3dc35b7fu, 0x3dc35b7eu}},
    {f_div, {0x2edd96a1u, 0xbe49fa24u, 0}, {0xb00c6da9u, 0xb00c6da8u, 0xb00c6da8u, 0xb00c6da9u}},
    {f_div, {0xc0b90ac1u, 0xbf31619du, 0}, {0x4105872du, 0x4105872du, 0x4105872eu, 0x4105872du}},
    {f_rcp, {0x1u, 0, 0}, {0x7f800000u, 0x7f7fffffu, 0x7f800000u, 0x7f7fffffu}},
    {f_rcp, {0x7f7fffffu, 0, 0}, {0x200000u, 0x200000u, 0x200001u, 0x200000u}},
    {f_rcp, {0x3f800001u, 0, 0}, {0x3f7ffffeu, 0x3f7ffffeu, 0x3f7fffffu, 0x3f7ffffeu}},
    {f_rcp, {0x40f8672cu, 0, 0}, {0x3e03ea27u, 0x3e03ea27u, 0x3e03ea28u, 0x3e03ea27u}},
    {f_rcp, {0x3f95829bu, 0, 0}, {0x3f5b2b45u, 0x3f5b2b45u, 0x3f5b2b46u, 0x3f5b2b45u}},
    {f_rcp, {0x51bf3155u, 0, 0}, {0x2d2b6326u, 0x2d2b6325u, 0x2d2b6326u, 0x2d2b6325u}},
    {f_rcp, {0x3e625575u, 0, 0}, {0x4090c6fdu, 0x4090c6fdu, 0x4090c6feu, 0x4090c6fdu}},
    {f_rcp, {0x3cde82b0u, 0, 0}, {0x421343d5u, 0x421343d4u, 0x421343d5u, 0x421343d4u}},
    {f_rcp, {0x3eb20aa3u, 0, 0}, {0x40380c03u, 0x40380c03u, 0x40380c04u, 0x40380c03u}},
    {f_sqrt, {0x1u, 0, 0}, {0x1a3504f3u, 0x1a3504f3u, 0x1a3504f4u, 0x1a3504f3u}},
    {f_sqrt, {0x7f7fffffu, 0, 0}, {0x5f7fffffu, 0x5f7fffffu, 0x5f800000u, 0x5f7fffffu}},
    {f_sqrt, {0x3f800001u, 0, 0}, {0x3f800000u, 0x3f800000u, 0x3f800001u, 0x3f800000u}},
    {f_sqrt, {0x40000000u, 0, 0}, {0x3fb504f3u, 0x3fb504f3u, 0x3fb504f4u, 0x3fb504f3u}},
    {f_sqrt, {0x4a154b7du, 0, 0}, {0x44c37f80u, 0x44c37f80u, 0x44c37f81u, 0x44c37f80u}},
    {f_sqrt, {0x3fc6540cu, 0, 0}, {0x3f9f5476u, 0x3f9f5475u, 0x3f9f5476u, 0x3f9f5475u}},
    {f_sqrt, {0x3c1186cbu, 0, 0}, {0x3dc103d8u, 0x3dc103d7u, 0x3dc103d8u, 0x3dc103d7u}},
    {f_sqrt, {0x416e970bu, 0, 0}, {0x4077244au, 0x40772449u, 0x4077244au, 0x40772449u}},
    {f_sqrt, {0x4dda6b35u, 0, 0}, {0x46a7348du, 0x46a7348cu, 0x46a7348du, 0x46a7348cu}},
    {f_sqrt, {0x3fadec36u, 0, 0}, {0x3f953475u, 0x3f953475u, 0x3f953476u, 0x3f953475u}},
    {f_fma, {0x3f800001u, 0x3f800001u, 0xbf800000u}, {0x34800000u, 0x34800000u, 0x34800001u, 0x34800000u}},
    {f_fma, {0x3f800001u, 0x3f7fffffu, 0xbf800000u}, {0x337ffffeu, 0x337ffffeu, 0x337ffffeu, 0x337ffffeu}},
    {f_fma, {0x7f7fffffu, 0x40000000u, 0xff7fffffu}, {0x7f7fffffu, 0x7f7fffffu, 0x7f7fffffu, 0x7f7fffffu}},
    {f_fma, {0x1u, 0x1u, 0x3f800000u}, {0x3f800000u, 0x3f800000u, 0x3f800001u, 0x3f800000u}},
    {f_fma, {0x1u, 0x1u, 0xbf800000u}, {0xbf800000u, 0xbf7fffffu, 0xbf7fffffu, 0xbf800000u}},
    {f_fma, {0xc29d8943u, 0x34168e4du, 0x34544a46u}, {0xb735fad4u, 0xb735fad4u, 0xb735fad4u, 0xb735fad5u}},
    {f_fma, {0x3ebe1342u, 0xc1175702u, 0x3f008623u}, {0xc0409a63u, 0xc0409a63u, 0xc0409a63u, 0xc0409a64u}},
    {f_fma, {0x33c46d7au, 0xc2487ddeu, 0xbe90101bu}, {0xbe9010b5u, 0xbe9010b4u, 0xbe9010b4u, 0xbe9010b5u}},
    {f_fma, {0xc0c1fb9fu, 0xc0568db9u, 0x40ba734du}, {0x41d1308eu, 0x41d1308du, 0x41d1308eu, 0x41d1308du}},
    {f_fma, {0x4e32f3f2u, 0x440d40b4u, 0xc93341b4u}, {0x52c57b18u, 0x52c57b17u, 0x52c57b18u, 0x52c57b17u}},
    {f_fma, {0x3e089ed8u, 0x3e94c659u, 0x3e4ce4a1u}, {0x3e749779u, 0x3e749778u, 0x3e749779u, 0x3e749778u}},
    {d_add, {0x3ff0000000000000ull, 0x1ull, 0}, {0x3ff0000000000000ull, 0x3ff0000000000000ull, 0x3ff0000000000001ull, 0x3ff0000000000000ull}},
    {d_add, {0x3ff0000000000000ull, 0x8000000000000001ull, 0}, {0x3ff0000000000000ull, 0x3fefffffffffffffull, 0x3ff0000000000000ull, 0x3fefffffffffffffull}},
    {d_add, {0x7fefffffffffffffull, 0x7fefffffffffffffull, 0}, {0x7ff0000000000000ull, 0x7fefffffffffffffull, 0x7ff0000000000000ull, 0x7fefffffffffffffull}},
    {d_add, {0xffefffffffffffffull, 0xffefffffffffffffull, 0}, {0xfff0000000000000ull, 0xffefffffffffffffull, 0xffefffffffffffffull, 0xfff0000000000000ull}},
    {d_add, {0x1ull, 0x1ull, 0}, {0x2ull, 0x2ull, 0x2ull, 0x2ull}},
    {d_add, {0x3ff0000000000000ull, 0xbff0000000000000ull, 0}, {0, 0, 0, 0x8000000000000000ull}},
    {d_add, {0xbff0000000000000ull, 0x3ff0000000000000ull, 0}, {0, 0, 0, 0x8000000000000000ull}},
    {d_add, {0x10000000000000ull, 0x8000000000000001ull, 0}, {0xfffffffffffffull, 0xfffffffffffffull, 0xfffffffffffffull, 0xfffffffffffffull}},
    {d_add, {0x2df9118b000f49c8ull, 0xb44f2ee419f9919cull, 0}, {0xb44f2ee419f9919cull, 0xb44f2ee419f9919bull, 0xb44f2ee419f9919bull, 0xb44f2ee419f9919cull}},
    {d_add, {0xbfe12003068739faull, 0x402605099d33a01cull, 0}, {0x4024f3096ccb2c7cull, 0x4024f3096ccb2c7cull, 0x4024f3096ccb2c7dull, 0x4024f3096ccb2c7cull}},
    {d_add, {0xb42f49984093f6deull, 0xc0d7961f5d39d0a8ull, 0}, {0xc0d7961f5d39d0a8ull, 0xc0d7961f5d39d0a8ull, 0xc0d7961f5d39d0a8ull, 0xc0d7961f5d39d0a9ull}},
    {d_add, {0x3fc7cf20d953ee26ull, 0x3ff4fd587bdc968bull, 0}, {0x3ff7f73c97071450ull, 0x3ff7f73c9707144full, 0x3ff7f73c97071450ull, 0x3ff7f73c9707144full}},
    {d_add, {0x301bfeaa1a28f7b3ull, 0xc087a86f43c71b9aull, 0}, {0xc087a86f43c71b9aull, 0xc087a86f43c71b99ull, 0xc087a86f43c71b99ull, 0xc087a86f43c71b9aull}},
    {d_add, {0xc02842e729540a6eull, 0x3fcf3b7af373ca53ull, 0}, {0xc027c5f93d863b45ull, 0xc027c5f93d863b44ull, 0xc027c5f93d863b44ull, 0xc027c5f93d863b45ull}},
    {d_sub, {0x3ff0000000000000ull, 0x3ff0000000000000ull, 0}, {0, 0, 0, 0x8000000000000000ull}},
    {d_sub, {0x3ff0000000000000ull, 0x1ull, 0}, {0x3ff0000000000000ull, 0x3fefffffffffffffull, 0x3ff0000000000000ull, 0x3fefffffffffffffull}},
    {d_sub, {0x7fefffffffffffffull, 0xffefffffffffffffull, 0}, {0x7ff0000000000000ull, 0x7fefffffffffffffull, 0x7ff0000000000000ull, 0x7fefffffffffffffull}},
    {d_sub, {0x4c6b0a842587be6bull, 0xcd6c215a06ec41adull, 0}, {0x4d6c217511706735ull, 0x4d6c217511706734ull, 0x4d6c217511706735ull, 0x4d6c217511706734ull}},
    {d_sub, {0x400a4963fa7f0eabull, 0x402d86f4b239f3c7ull, 0}, {0xc026f49bb39a301cull, 0xc026f49bb39a301cull, 0xc026f49bb39a301cull, 0xc026f49bb39a301dull}},
    {d_sub, {0xbb5e883a5de00997ull, 0x3553908fc59db916ull, 0}, {0xbb5e883a5de00997ull, 0xbb5e883a5de00997ull, 0xbb5e883a5de00997ull, 0xbb5e883a5de00998ull}},
    {d_sub, {0xc0080b0cc7702420ull, 0xbfe9cfc839194242ull, 0}, {0xc001971ab929d390ull, 0xc001971ab929d38full, 0xc001971ab929d38full, 0xc001971ab929d390ull}},
    {d_sub, {0xb71d17e43d4882a5ull, 0xc443a0b9cda6c6fdull, 0}, {0x4443a0b9cda6c6fdull, 0x4443a0b9cda6c6fcull, 0x4443a0b9cda6c6fdull, 0x4443a0b9cda6c6fcull}},
    {d_sub, {0xbfd5b0627e26f36aull, 0x4010726efd56a926ull, 0}, {0xc011cd752539185dull, 0xc011cd752539185cull, 0xc011cd752539185cull, 0xc011cd752539185dull}},
    {d_mul, {0x7fefffffffffffffull, 0x7fefffffffffffffull, 0}, {0x7ff0000000000000ull, 0x7fefffffffffffffull, 0x7ff0000000000000ull, 0x7fefffffffffffffull}},
    {d_mul, {0xffefffffffffffffull, 0x7fefffffffffffffull, 0}, {0xfff0000000000000ull, 0xffefffffffffffffull, 0xffefffffffffffffull, 0xfff0000000000000ull}},
    {d_mul, {0x1ull, 0x1ull, 0}, {0, 0, 0x1ull, 0}},
    {d_mul, {0x8000000000000001ull, 0x1ull, 0}, {0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000001ull}},
    {d_mul, {0x10000000000000ull, 0x3fefffffffffffffull, 0}, {0x10000000000000ull, 0xfffffffffffffull, 0x10000000000000ull, 0xfffffffffffffull}},
    {d_mul, {0x10000000000000ull, 0x1ff8000000000000ull, 0}, {0, 0, 0x1ull, 0}},
    {d_mul, {0x3c83192b42594052ull, 0xd15727d85822cb77ull, 0}, {0xcdeba3bdc5cdfbfeull, 0xcdeba3bdc5cdfbfdull, 0xcdeba3bdc5cdfbfdull, 0xcdeba3bdc5cdfbfeull}},
    {d_mul, {0xc02fcf00b91ee9e5ull, 0xbfe5d58cf979d04aull, 0}, {0x4025b41e77eb7c91ull, 0x4025b41e77eb7c90ull, 0x4025b41e77eb7c91ull, 0x4025b41e77eb7c90ull}},
    {d_mul, {0x2fc3a1291a26f889ull, 0x48b3451d5675f6adull, 0}, {0x3887a42bce7c84a4ull, 0x3887a42bce7c84a4ull, 0x3887a42bce7c84a5ull, 0x3887a42bce7c84a4ull}},
    {d_mul, {0xbffe67a9fc394724ull, 0xc007abec007d1034ull, 0}, {0x40167ddc5ea175b2ull, 0x40167ddc5ea175b1ull, 0x40167ddc5ea175b2ull, 0x40167ddc5ea175b1ull}},
    {d_mul, {0x546a4a45ccb573d9ull, 0xb001eb20a91c2439ull, 0}, {0xc47d7142b519cc58ull, 0xc47d7142b519cc58ull, 0xc47d7142b519cc58ull, 0xc47d7142b519cc59ull}},
    {d_mul, {0xbffc0093b6246771ull, 0x3fd2db39e39639beull, 0}, {0xbfe08029b189acd4ull, 0xbfe08029b189acd4ull, 0xbfe08029b189acd4ull, 0xbfe08029b189acd5ull}},
    {d_div, {0x3ff0000000000000ull, 0x4008000000000000ull, 0}, {0x3fd5555555555555ull, 0x3fd5555555555555ull, 0x3fd5555555555556ull, 0x3fd5555555555555ull}},
    {d_div, {0x1ull, 0x7fefffffffffffffull, 0}, {0, 0, 0x1ull, 0}},
    {d_div, {0x7fefffffffffffffull, 0x1ull, 0}, {0x7ff0000000000000ull, 0x7fefffffffffffffull, 0x7ff0000000000000ull, 0x7fefffffffffffffull}},
    {d_div, {0xbff0000000000000ull, 0x4008000000000000ull, 0}, {0xbfd5555555555555ull, 0xbfd5555555555555ull, 0xbfd5555555555555ull, 0xbfd5555555555556ull}},
    {d_div, {0xc66551fda2c68e45ull, 0xb02f8be8f237e45aull, 0}, {0x5625a072d7b77ea1ull, 0x5625a072d7b77ea0ull, 0x5625a072d7b77ea1ull, 0x5625a072d7b77ea0ull}},
    {d_div, {0x40166c147691b06full, 0xc01b98c615bd448full, 0}, {0xbfe9fff1871c1da7ull, 0xbfe9fff1871c1da7ull, 0xbfe9fff1871c1da7ull, 0xbfe9fff1871c1da8ull}},
    {d_div, {0x34c20859fe3c9c8full, 0x2c6e7a46973f7986ull, 0}, {0x4842eef04a9f63b1ull, 0x4842eef04a9f63b1ull, 0x4842eef04a9f63b2ull, 0x4842eef04a9f63b1ull}},
    {d_div, {0xbff256baa7e6529bull, 0xc00faf55988af3fbull, 0}, {0x3fd2856ad3a015b0ull, 0x3fd2856ad3a015b0ull, 0x3fd2856ad3a015b1ull, 0x3fd2856ad3a015b0ull}},
    {d_div, {0xc8f59b44effddeeaull, 0xb49218828c5c715full, 0}, {0x54531aab9aedba03ull, 0x54531aab9aedba02ull, 0x54531aab9aedba03ull, 0x54531aab9aedba02ull}},
    {d_div, {0x3fcf88c4cca2a92bull, 0xc0186ce01a4f44f9ull, 0}, {0xbfa4a8230830e826ull, 0xbfa4a8230830e825ull, 0xbfa4a8230830e825ull, 0xbfa4a8230830e826ull}},
    {d_rcp, {0x1ull, 0, 0}, {0x7ff0000000000000ull, 0x7fefffffffffffffull, 0x7ff0000000000000ull, 0x7fefffffffffffffull}},
    {d_rcp, {0x7fefffffffffffffull, 0, 0}, {0x4000000000000ull, 0x4000000000000ull, 0x4000000000001ull, 0x4000000000000ull}},
    {d_rcp, {0x3ff0000000000001ull, 0, 0}, {0x3feffffffffffffeull, 0x3feffffffffffffeull, 0x3fefffffffffffffull, 0x3feffffffffffffeull}},
    {d_rcp, {0x338df2a8fc8e80b3ull, 0, 0}, {0x4c5118ab35d383acull, 0x4c5118ab35d383abull, 0x4c5118ab35d383acull, 0x4c5118ab35d383abull}},
    {d_rcp, {0xbfd3606ddfb85c0dull, 0, 0}, {0xc00a6c6bce616f2cull, 0xc00a6c6bce616f2bull, 0xc00a6c6bce616f2bull, 0xc00a6c6bce616f2cull}},
    {d_rcp, {0x2c64affd3678bc8dull, 0, 0}, {0x5378bfd1d602785dull, 0x5378bfd1d602785dull, 0x5378bfd1d602785eull, 0x5378bfd1d602785dull}},
    {d_rcp, {0x4009620bc38084a0ull, 0, 0}, {0x3fd42bc5ccbf00d1ull, 0x3fd42bc5ccbf00d1ull, 0x3fd42bc5ccbf00d2ull, 0x3fd42bc5ccbf00d1ull}},
    {d_rcp, {0x3f76b4468b5ab3eeull, 0, 0}, {0x40668d07465cc780ull, 0x40668d07465cc780ull, 0x40668d07465cc781ull, 0x40668d07465cc780ull}},
    {d_rcp, {0x402e8f6e0f977044ull, 0, 0}, {0x3fb0c0f786cdd8ecull, 0x3fb0c0f786cdd8ebull, 0x3fb0c0f786cdd8ecull, 0x3fb0c0f786cdd8ebull}},
    {d_sqrt, {0x1ull, 0, 0}, {0x1e60000000000000ull, 0x1e60000000000000ull, 0x1e60000000000000ull, 0x1e60000000000000ull}},
    {d_sqrt, {0x7fefffffffffffffull, 0, 0}, {0x5fefffffffffffffull, 0x5fefffffffffffffull, 0x5ff0000000000000ull, 0x5fefffffffffffffull}},
    {d_sqrt, {0x3ff0000000000001ull, 0, 0}, {0x3ff0000000000000ull, 0x3ff0000000000000ull, 0x3ff0000000000001ull, 0x3ff0000000000000ull}},
    {d_sqrt, {0x4000000000000000ull, 0, 0}, {0x3ff6a09e667f3bcdull, 0x3ff6a09e667f3bccull, 0x3ff6a09e667f3bcdull, 0x3ff6a09e667f3bccull}},
    {d_sqrt, {0x414a997f754a09cdull, 0, 0}, {0x409d2cd43979a870ull, 0x409d2cd43979a86full, 0x409d2cd43979a870ull, 0x409d2cd43979a86full}},
    {d_sqrt, {0x400844a7e77ffe48ull, 0, 0}, {0x3ffbde022b7dddc3ull, 0x3ffbde022b7dddc2ull, 0x3ffbde022b7dddc3ull, 0x3ffbde022b7dddc2ull}},
    {d_sqrt, {0x458e0cfaeaefc4d2ull, 0, 0}, {0x42bf0291ea5f8b71ull, 0x42bf0291ea5f8b70ull, 0x42bf0291ea5f8b71ull, 0x42bf0291ea5f8b70ull}},
    {d_sqrt, {0x40026deb8825ae56ull, 0, 0}, {0x3ff848d920e04f49ull, 0x3ff848d920e04f48ull, 0x3ff848d920e04f49ull, 0x3ff848d920e04f48ull}},
    {d_sqrt, {0x4c2df70304c9d78dull, 0, 0}, {0x460ef73a1f852954ull, 0x460ef73a1f852953ull, 0x460ef73a1f852954ull, 0x460ef73a1f852953ull}},
    {d_sqrt, {0x3ff9bca32ee0289dull, 0, 0}, {0x3ff44ae8325b7575ull, 0x3ff44ae8325b7574ull, 0x3ff44ae8325b7575ull, 0x3ff44ae8325b7574ull}},
    {d_fma, {0x3ff0000000000001ull, 0x3ff0000000000001ull, 0xbff0000000000000ull}, {0x3cc0000000000000ull, 0x3cc0000000000000ull, 0x3cc0000000000001ull, 0x3cc0000000000000ull}},
    {d_fma, {0x3ff0000000000001ull, 0x3fefffffffffffffull, 0xbff0000000000000ull}, {0x3c9ffffffffffffeull, 0x3c9ffffffffffffeull, 0x3c9ffffffffffffeull, 0x3c9ffffffffffffeull}},
    {d_fma, {0x7fefffffffffffffull, 0x4000000000000000ull, 0xffefffffffffffffull}, {0x7fefffffffffffffull, 0x7fefffffffffffffull, 0x7fefffffffffffffull, 0x7fefffffffffffffull}},
    {d_fma, {0x1ull, 0x1ull, 0x3ff0000000000000ull}, {0x3ff0000000000000ull, 0x3ff0000000000000ull, 0x3ff0000000000001ull, 0x3ff0000000000000ull}},
    {d_fma, {0x1ull, 0x1ull, 0xbff0000000000000ull}, {0xbff0000000000000ull, 0xbfefffffffffffffull, 0xbfefffffffffffffull, 0xbff0000000000000ull}},
    {d_fma, {0xaae26597cc966f46ull, 0x35a9e7d67936d536ull, 0xb25537390fcf31caull}, {0xb25537390fcf31caull, 0xb25537390fcf31caull, 0xb25537390fcf31caull, 0xb25537390fcf31cbull}},
    {d_fma, {0xc018e31787ddaeb7ull, 0xbff1b29fc6c80e2bull, 0x40030f973f9d52f9ull}, {0x40228775c5ee7db1ull, 0x40228775c5ee7db1ull, 0x40228775c5ee7db2ull, 0x40228775c5ee7db1ull}},
    {d_fma, {0x3c51905dc5b2e75aull, 0x4b1072238fcd7f40ull, 0x2ea9ccea535b6a43ull}, {0x47720da96b7c7dfaull, 0x47720da96b7c7dfaull, 0x47720da96b7c7dfbull, 0x47720da96b7c7dfaull}},
    {d_fma, {0xc00330c1831d03bfull, 0x4018216873ccef03ull, 0xc0081fc07a609683ull}, {0xc0317c921d181341ull, 0xc0317c921d181340ull, 0xc0317c921d181340ull, 0xc0317c921d181341ull}},
    {d_fma, {0xba7e064a85f1115bull, 0xbb3e48b98f3c4be3ull, 0xb79231b3729135bdull}, {0xb79231b371ade4acull, 0xb79231b371ade4abull, 0xb79231b371ade4abull, 0xb79231b371ade4acull}},
    {d_fma, {0x3ff712ea6471fde4ull, 0x3fe3d9a8abd0d7fbull, 0x3ffab6283672d6aeull}, {0x4004832aa360f27full, 0x4004832aa360f27eull, 0x4004832aa360f27full, 0x4004832aa360f27eull}},
    // clang-format on
};

#define FOUR(name, ...)                \
    {                                  \
        r[0] = name##_rn(__VA_ARGS__); \
        r[1] = name##_rz(__VA_ARGS__); \
        r[2] = name##_ru(__VA_ARGS__); \
        r[3] = name##_rd(__VA_ARGS__); \
        break;                         \
    }

__device__ void in_float(const rounding_case& c, unsigned long long* result) {
    const float x = __uint_as_float((unsigned)c.operands[0]);
    const float y = __uint_as_float((unsigned)c.operands[1]);
    const float z = __uint_as_float((unsigned)c.operands[2]);
    float r[4] = {0, 0, 0, 0};
    switch (c.what) {
        case f_add: FOUR(__fadd, x, y)
        case f_sub: FOUR(__fsub, x, y)
        case f_mul: FOUR(__fmul, x, y)
        case f_div: FOUR(__fdiv, x, y)
        case f_rcp: FOUR(__frcp, x)
        case f_sqrt: FOUR(__fsqrt, x)
        default: FOUR(__fmaf, x, y, z)
    }
    for (int i = 0; i < 4; ++i) result[i] = __float_as_uint(r[i]);
}

__device__ void in_double(const rounding_case& c, unsigned long long* result) {
    const double x = __longlong_as_double((long long)c.operands[0]);
    const double y = __longlong_as_double((long long)c.operands[1]);
    const double z = __longlong_as_double((long long)c.operands[2]);
    double r[4] = {0, 0, 0, 0};
    switch (c.what) {
        case d_add: FOUR(__dadd, x, y)
        case d_sub: FOUR(__dsub, x, y)
        case d_mul: FOUR(__dmul, x, y)
        case d_div: FOUR(__ddiv, x, y)
        case d_rcp: FOUR(__drcp, x)
        case d_sqrt: FOUR(__dsqrt, x)
        default: FOUR(__fma, x, y, z)
    }
    for (int i = 0; i < 4; ++i) result[i] = (unsigned long long)__double_as_longlong(r[i]);
}

__global__ void compute(const rounding_case* all, int n, unsigned long long* result) {
    for (int i = 0; i < n; ++i) {
        if (all[i].what <= f_fma)
            in_float(all[i], result + 4 * i);
        else
            in_double(all[i], result + 4 * i);
    }
}

int main() {
    const int n = sizeof(cases) / sizeof(cases[0]);
    rounding_case* in = device(std::vector<rounding_case>(cases, cases + n));
    auto* out = device<unsigned long long>(4 * n);
    compute<<<1, 1>>>(in, n, out);
    const std::vector<unsigned long long> result = taken(out, 4 * n);
    static const char* const modes[] = {"rn", "rz", "ru", "rd"};
    for (int i = 0; i < n; ++i)
        for (int m = 0; m < 4; ++m)
            expect(modes[m], i, (int)cases[i].what, result[4 * i + m], cases[i].expected[m]);
    cudaFree(in);
    return verdict();
}
